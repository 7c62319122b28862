import Foundation

/// A name without the parts that a rebuild or another run changes: code offsets, addresses, hashes, line numbers,
/// closure numbers, and the numbers of queues, work and tasks without a name.
///
/// For example, `closure #2 in Feed.go() (app+0x1f76) < main (app+0x2bc7)` becomes `closure # in Feed.go() < main`.
package struct BuildFreeName: Hashable {
  package let text: String
  /// The same with closure numbers, which distinguish the closures of one function.
  package let textWithClosures: String

  /// The removed numbers, in their order in the name. They distinguish names with the same text, and order them by
  /// their place in the program.
  struct Numbers: Hashable, Comparable {
    var closures: [UInt64] = []
    var places: [UInt64] = []

    static func < (a: Numbers, b: Numbers) -> Bool {
      a.closures == b.closures
        ? a.places.lexicographicallyPrecedes(b.places) : a.closures.lexicographicallyPrecedes(b.closures)
    }
  }

  let numbers: Numbers

  package init(_ name: String) {
    var text = "", numbered = ""
    var numbers = Numbers()
    var rest = name.startIndex
    for match in Self.taken?.matches(in: name, range: NSRange(rest..., in: name)) ?? [] {
      guard let place = Range(match.range, in: name) else { continue }
      func number(_ group: Int, radix: Int) -> UInt64? {
        Range(match.range(at: group), in: name).flatMap { UInt64(name[$0], radix: radix) }
      }
      let address = number(3, radix: 16), closure = number(4, radix: 10)
      numbers.places += [
        number(1, radix: 16), number(2, radix: 16), address, number(5, radix: 10), number(6, radix: 10),
        number(7, radix: 10),
      ].compactMap(\.self)
      numbers.closures += [closure].compactMap(\.self)
      // An address leaves `0x` behind; an offset after a name leaves nothing.
      let kept = name[rest..<place.lowerBound] + (closure != nil ? "closure #" : address != nil ? "0x" : "")
      text += kept
      numbered += kept + (closure.map(String.init) ?? "")
      rest = place.upperBound
    }
    self.text = text + name[rest...]
    textWithClosures = numbered + name[rest...]
    self.numbers = numbers
  }

  package static func == (a: BuildFreeName, b: BuildFreeName) -> Bool { a.text == b.text }
  package func hash(into hasher: inout Hasher) { hasher.combine(text) }

  private static let hexadecimal = "0x0*([0-9A-Fa-f]{1,16})(?![0-9A-Fa-f])"
  private static let decimal = "([0-9]{1,19})(?![0-9])"

  private static let taken = try? NSRegularExpression(
    pattern: [
      // ` (app+0x1234)`, with the preceding space.
      " ?\\([^()]+\\+\(hexadecimal)\\)",
      // `+0x1234` after a module, and `0x55d0c0ffee`.
      "\\+\(hexadecimal)", "(?<![A-Za-z0-9_])\(hexadecimal)",
      // `closure #12`, which becomes `closure #`.
      "closure #\(decimal)",
      // ` in _1A2B…`, the hash of a private declaration's file.
      " in _[0-9A-Fa-f]{8,}",
      // `::h0123456789abcdef` in Rust names, and the suffix that LLVM adds to the names of copies.
      "::h[0-9A-Fa-f]{16}(?![0-9A-Fa-f])", "\\.llvm\\.[0-9]+",
      // `App.swift:12` and `App.swift:12:7`, because lines move.
      "(?<=\\.[A-Za-z]{1,5}):\(decimal)(?::\(decimal))?",
      // `queue #12`, an object without a name.
      "(?<=^(?:queue|work|task) #)\(decimal)$",
    ].joined(separator: "|"))
}
