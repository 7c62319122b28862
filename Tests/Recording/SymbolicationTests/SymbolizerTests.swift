import Foundation
@testable import Symbolication
import TestSupport
import Testing
import TraceFormat

/// A function of this test's binary that the tests look up.
@inline(never) @_cdecl("symbolization_landmark") package func landmark(_ value: Int32) -> Int32 { value &* 3 }

@Suite struct SymbolizerTests {
  private typealias Function = @convention(c) (Int32) -> Int32

  /// Returns this process's mapping of the binary at an address.
  private func image(of address: UInt64) throws -> MappedImage {
    // Not String(contentsOfFile:): such files have no size, so the string would end after the first 4 KiB.
    let file = try #require(FileHandle(forReadingAtPath: "/proc/self/maps"))
    let maps = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    var range: Range<UInt64>?, path = ""
    var lines: [(range: Range<UInt64>, offset: UInt64, path: String)] = []
    for line in maps.split(separator: "\n") {
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      guard fields.count >= 6 else { continue }
      let bounds = fields[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
      lines.append((bounds[0]..<bounds[1], UInt64(fields[2], radix: 16) ?? 0, String(fields[5])))
    }
    path = try #require(lines.first { $0.range.contains(address) }).path
    for line in lines where line.path == path {
      range = (range?.lowerBound ?? line.range.lowerBound)..<line.range.upperBound
    }
    let whole = try #require(range)
    return MappedImage(path: path, bias: whole.lowerBound, range: whole, buildID: [])
  }

  private var address: UInt64 {
    let function: Function = landmark
    return UInt64(UInt(bitPattern: unsafeBitCast(function, to: UnsafeRawPointer.self)))
  }

  @Test func ownFunction() throws {
    let symbolizer = Symbolizer()
    symbolizer.add(try image(of: address))
    let location = try #require(symbolizer.location(of: address))
    #expect(location.function == "symbolization_landmark")
    // A call that is the last instruction of a function returns to the first one of the next function.
    #expect(symbolizer.location(of: address, isReturnAddress: true)?.function != "symbolization_landmark")
    #expect(symbolizer.location(of: 16) == nil)
  }

  @Test func aFileOfAnotherBuildIsNotUsed() throws {
    var other = try image(of: address)
    other.buildID = [1, 2, 3]
    let symbolizer = Symbolizer()
    symbolizer.add(other)
    let location = try #require(symbolizer.location(of: address))
    #expect(location.function == nil)
    #expect(location.text == "\(other.name)+0x\(String(address - other.bias, radix: 16))")
  }

  /// Recorders name code within the same limits as readers.
  @Test func aSymbolThatExpandsToGigabytes() throws {
    let folder = try TemporaryFolder()
    let built = try Program(
      shell:
        "clang -x c - -o bomb <<<\"void f(void) asm(\\\"$0\\\"); void f(void) {} int main(void) { f(); }\""
    )
    .run([BoundedDemanglerTests.bomb], folder: folder.path)
    try #require(built.status == 0, "\(built.errors)")
    let path = folder.file("bomb")
    let (symbols, strings) = try ELFFile(path: path).symbols()
    let bomb = try #require(symbols.first { strings.text(at: $0.name) == BoundedDemanglerTests.bomb })
    let symbolizer = Symbolizer()
    symbolizer.add(MappedImage(path: path, bias: 0, range: 0..<UInt64.max, buildID: []))
    #expect(symbolizer.location(of: bomb.value)?.function == BoundedDemanglerTests.bomb)
  }

  @Test func factsOfPrograms() throws {
    let own = try ExecutableFacts(path: Program.rltrace.path)
    #expect(own.isDynamic && !own.isPrivileged && !own.hidesSwiftRuntime)
    #expect(own.needed.contains { $0.hasPrefix("libFoundation") })
    #expect(!own.defines("CFRunLoopRunSpecific"))
    #expect(own.defines("main"))
    #expect(throws: ELFError.notSupported) { try ExecutableFacts(path: "/etc/passwd") }
    #expect(throws: ELFError.cannotOpen(code: ENOENT)) { try ExecutableFacts(path: "/no/such/program") }
  }

  /// Damaged files cause an error or no result, wherever the damage is.
  @Test func damagedFiles() throws {
    let folder = try TemporaryFolder()
    let whole = try Data(contentsOf: URL(fileURLWithPath: "/bin/true"))
    var random = SeededGenerator(named: "damagedFiles")
    let path = folder.file("damaged")
    for round in 0..<600 {
      var bytes = whole
      if round % 2 == 0 {
        bytes = bytes.prefix(Int(random.next() % UInt64(bytes.count)))
      } else {
        for _ in 0..<20 {
          // Half of the changes are in the headers, the others anywhere.
          let reach = random.next() % 2 == 0 ? 1024 : UInt64(bytes.count)
          bytes[Int(random.next() % reach)] = UInt8(truncatingIfNeeded: random.next())
        }
      }
      try bytes.write(to: URL(fileURLWithPath: path))
      if let facts = try? ExecutableFacts(path: path) { _ = facts.defines("main") }
      let symbolizer = Symbolizer()
      symbolizer.add(MappedImage(path: path, bias: 0, range: 0..<UInt64.max, buildID: []))
      for _ in 0..<20 { _ = symbolizer.location(of: random.next() % 100_000) }
    }
  }
}
