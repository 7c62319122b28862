import TestSupport
import Testing
@testable import TraceFormat

/// Content of a later minor version is skipped and counted, and the text form keeps it.
@Suite struct UnknownContentTests {
  private static let text = """
    rltrace-text 1
    header minor=7 unit=10ns codec=none capture=callouts clock=monotonic high=yes
    unknown type=200 count=16777215 thread=4294967295 first=18446744073709551615 last=3 plain=5
      00ff10abcd
    modes
      1 "default"
    events thread=0
      1 kind-0
      2 kind-255 m1 #7 arg=1 arg=18446744073709551615
      3 BeforeTimers.low m1 #1 arg=5
      4 timer.due #2
    unknown type=8 count=0 thread=0 first=0 last=0 plain=0
    end
    """

  @Test func blocksAreSkippedAndCounted() throws {
    let reader = try openTrace(try assembleTrace(UnknownContentTests.text))
    #expect(reader.isClean && reader.problem == nil)
    #expect(reader.unknownBlocks == 2)
    #expect(reader.blocks.map(\.type.rawValue) == [200, 4, 1, 8])
    #expect(reader.blocks.map(\.type.name) == ["type-200", "modes", "events", "type-8"])
    #expect(reader.modes == [1: "default"])
  }

  @Test func kindsAndArgumentsAreKept() throws {
    let reader = try openTrace(try assembleTrace(UnknownContentTests.text))
    #expect(
      try reader.allEvents() == [
        [
          TestEvent(time: 1, kind: 0),
          TestEvent(time: 2, kind: 255, mode: 1, object: 7, arguments: [1, .max]),
          // More and fewer arguments than this version's table has.
          TestEvent(time: 3, kind: .beforeTimersLow, mode: 1, object: 1, arguments: [5]),
          TestEvent(time: 4, kind: .timerDue, object: 2),
        ]
      ])
  }

  @Test func survivesDumpAndAssemble() throws {
    let bytes = try assembleTrace(UnknownContentTests.text)
    let text = try dumpTrace(try openTrace(bytes))
    #expect(essence(text) == essence(UnknownContentTests.text))
    #expect(try assembleTrace(text) == bytes)
  }

  /// The same holds for blocks that a newer writer compressed.
  @Test func compressedBlocksSurvive() throws {
    let compressed = UnknownContentTests.text.replacing("codec=none", with: "codec=zstd").replacing(
      "plain=5", with: "plain=999")
    let bytes = try assembleTrace(compressed)
    let reader = try openTrace(bytes)
    #expect(reader.isClean && reader.unknownBlocks == 2)
    #expect(try assembleTrace(try dumpTrace(reader)) == bytes)
    // Such a block cannot change its codec: its content is unknown.
    let error = #expect(throws: TraceFormatError.self) { try assembleTrace(compressed, codec: CodecID.none) }
    #expect(error.map { "\($0)".contains("line 5") && "\($0)".contains("zstd") } == true)
  }

  /// The reader also finds unknown blocks without an index.
  @Test func foundWithoutIndex() throws {
    let bytes = try assembleTrace(UnknownContentTests.text.replacing("\nend", with: "\nunclean"))
    let reader = try openTrace(bytes)
    #expect(reader.unknownBlocks == 2 && reader.blocks.count == 4 && !reader.isClean)
  }
}
