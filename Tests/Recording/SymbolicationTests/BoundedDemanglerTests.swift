@testable import Symbolication
import Testing

@Suite struct BoundedDemanglerTests {
  /// A generic type nested thirty deep, with two arguments each: 180 characters for a name of 30 GB.
  static let bomb: String = {
    func reference(_ number: Int) -> String {
      number < 26
        ? "A\(Character(UnicodeScalar(UInt8(65 + number))))" : number == 26 ? "A_" : "A\(number - 27)_"
    }
    let depth = 30
    return "$s1a1xAA1GVy" + String(repeating: "ADy", count: depth) + "S2iG"
      + (0..<depth).map { reference(4 + $0) + "G" }.joined() + "vau"
  }()

  @Test func namesOfTheRuntime() {
    let demangler = BoundedDemangler()
    for symbol in [
      "$s1a1xAA1GVyADyADyS2iGAEGAFGvau", "_ZN3foo3barEi", "$s5names5ModelC5startyyF", "main", "$s", "", "_Zz",
    ] {
      let name = demangler.name(of: symbol), wanted = ShortName(symbol: symbol)
      #expect(
        name.short == wanted.text && name.full == wanted.full && name.isThunk == wanted.isThunk, "\(symbol)")
    }
    #expect(demangler.losses == 0)
  }

  /// The compiler splits top-level code that awaits into parts of a generated function.
  @Test func topLevelCode() {
    let demangler = BoundedDemangler()
    #expect(demangler.name(of: "async_Main").short == "async main")
    #expect(demangler.name(of: "async_MainTQ3_").short == "async main")
    #expect(demangler.name(of: "main").short == "main")
  }

  /// Demangling stops after a few seconds, and later symbols still get their names.
  @Test func aSymbolThatExpandsToGigabytes() {
    let demangler = BoundedDemangler()
    #expect(demangler.name(of: Self.bomb).short == Self.bomb)
    #expect(demangler.losses == 1)
    #expect(demangler.name(of: "$s5names5ModelC5startyyF").short == "Model.start()")
    // Another request for the same symbol costs no time.
    #expect(demangler.name(of: Self.bomb).short == Self.bomb && demangler.losses == 1)
    let long = "$s" + String(repeating: "5abcde", count: 100_000)
    #expect(demangler.name(of: long).short == long.prefix(299) + "…" && demangler.losses == 1)
  }
}
