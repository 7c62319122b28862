import TestSupport
import Testing
import TraceCompression
import TraceFormat

/// The code behind names, as `name.code` events give it.
@Suite struct CodeNamesTests {
  private func reader(_ events: String) throws -> TraceReader {
    try openTrace(
      assembleTrace(
        """
        rltrace-text 1
        header minor=2 unit=1ns codec=none capture=callouts clock=monotonic high=no
        threads
          0 os=17 main=yes "main"
          1 os=0 main=no "(recorder)"
        strings
          1 "/srv/app"
          2 "6ac0ffee"
          3 "tick()"
          4 "main (app+0x20)"
        events thread=1
        \(events)
        end
        """))
  }

  @Test func namesAndImages() throws {
    let code = try CodeNames(
      reader(
        """
          5 imageMap path=1 base=0x1000 size=0x1000 build_id=2
          5 name.code name=3 code=0x1010 code=0x1021
          5 name.code name=4 code=0 code=0x1021 code=0x1031
          6 name.code name=3 code=0x1018
        """))
    #expect(code.images.map(\.path) == ["/srv/app"] && code.images[0].range == 0x1000..<0x2000)
    #expect(code.images[0].buildID == [0x6A, 0xC0, 0xFF, 0xEE])
    try #require(code.codes.map(\.name) == [3, 4])
    // The code was named twice: the later event counts.
    #expect(code.codes[0].function?.lookup == 0x1018 && code.codes[0].makers.isEmpty)
    #expect(code.codes[1].function == nil && code.codes[1].makers.map(\.lookup) == [0x1020, 0x1030])
    #expect(code.omitted == 0)
  }

  /// Events that name nothing.
  @Test func eventsWithoutAMeaning() throws {
    let code = try CodeNames(
      reader(
        """
          5 imageMap path=1 base=0x1000 size=0
          5 name.code name=0 code=0x10
          5 name.code name=3
          5 name.code
          5 name.code name=0xffffffffffff code=0x10
        """))
    #expect(code.images.isEmpty && code.codes.isEmpty)
  }

  @Test func limits() throws {
    let names = (1...ReadingLimits.namedCodes + 3).map { "  5 name.code name=\($0) code=0x10" }
    let makers = (0..<20).map { " code=\(0x100 + $0)" }.joined()
    let code = try CodeNames(
      reader((["  5 name.code name=1 code=0\(makers)"] + names.dropFirst()).joined(separator: "\n")))
    #expect(code.codes.count == ReadingLimits.namedCodes && code.omitted == 3)
    #expect(code.codes[0].makers.count == ReadingLimits.makersPerName)
  }

  /// Redaction numbers the addresses. The names of code keep their addresses.
  @Test func redactedTogether() throws {
    let text = """
        5 name.code name=3 code=0x1010 code=0x1021
        5 frameName address=0x1010 depth=0 function=3 file=1 line=7
        5 frameName address=0x1020 depth=0 function=4 file=1 line=9
      """
    let original = try reader(text)
    let copy = try redactTrace(original)
    let code = try CodeNames(copy), names = try FrameNames(copy)
    let kept = try #require(code.codes.first)
    #expect(kept.function.map { names[$0].count } == 1 && kept.makers.map { names[$0].count } == [1])
    #expect(!copy.strings.values.contains { $0.contains("tick") || $0.contains("srv") })
  }
}
