import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

/// The name of an object at an event, where IDs are reused.
@Suite struct ObjectNamesTests {
  /// Blocks of the main queue that other threads queued. The file's blocks are not in the order of their events.
  private static let text = """
    rltrace-text 1
    header minor=1 unit=1ns codec=none capture=callouts clock=monotonic high=no
    strings
      1 "first"
      2 "second"
      3 "third"
      4 "main"
    threads
      0 os=1 main=yes "main"
      1 os=2 main=no "worker"
    modes
      1 "m"
    events thread=1
      100 block.create #5 name=1 loop=9
      300 block.create #5 name=2 loop=9
      500 block.create #5 name=3 loop=9
    events thread=0
      50 loop.create #9 name=4
      60 Entry.low m1 #9
      90 mainQueueBlock.begin m1 #5
      95 mainQueueBlock.end m1 #5
      200 mainQueueBlock.begin m1 #5
      210 mainQueueBlock.end m1 #5
      300 mainQueueBlock.begin m1 #5
      310 mainQueueBlock.end m1 #5
      400 mainQueueBlock.begin m1 #5
      420 mainQueueBlock.end m1 #5
      600 mainQueueBlock.begin m1 #5
      640 mainQueueBlock.end m1 #5
      700 Exit.low m1 #9
    end
    """

  private func reader() throws -> TraceReader {
    try openTrace(try assembleTrace(ObjectNamesTests.text.replacing("    ", with: "")))
  }

  @Test func theDefinitionInForceNames() throws {
    let begins = try dumpTrace(reader()).split(separator: "\n").filter { $0.contains("mainQueueBlock.begin") }
    let names = begins.map { line in line.split(separator: "\"").dropFirst().first.map(String.init) ?? "" }
    // At 300 the definition comes first, as in the analysis.
    #expect(names == ["", "first", "second", "second", "third"])
  }

  /// The second loop gets the slot of the first, in the next generation.
  @Test func loopsKeepTheirNames() throws {
    let text = """
      rltrace-text 1
      header minor=1 unit=1ns codec=none capture=callouts clock=monotonic high=no
      strings
        1 "first"
        2 "second"
      threads
        0 os=1 main=yes "main"
      modes
        1 "m"
      events thread=0
        50 loop.create #9 name=1
        60 Entry.low m1 #9
        70 Exit.low m1 #9
        80 loop.end #9
        150 loop.create #1048585 name=2
        160 Entry.low m1 #1048585
        170 Exit.low m1 #1048585
      end
      """
    let analysis = try TraceAnalyzer(openTrace(assembleTrace(text))).analyze()
    #expect(Set(analysis.modes.map(\.loop)) == ["first", "second"])
  }

  @Test func dumpAndAnalysisAgree() throws {
    let analysis = try TraceAnalyzer(reader()).analyze()
    let blocks = analysis.callouts.filter { $0.kind == "mainQueueBlock" && $0.timeNs > 5 }
    let expected: [String: UInt64] = ["first": 10, "second": 30, "third": 40]
    #expect(Dictionary(blocks.map { ($0.name, $0.timeNs) }) { $0 + $1 } == expected)
  }

  /// Code at several addresses may have the same name under different string IDs. It is one row.
  @Test func oneTextIsOneName() throws {
    let text = ObjectNamesTests.text.replacing("2 \"second\"", with: "2 \"first\"")
      .replacing("    ", with: "")
    let analysis = try TraceAnalyzer(openTrace(try assembleTrace(text))).analyze()
    let rows = analysis.callouts.filter { $0.kind == "mainQueueBlock" && $0.name == "first" }
    #expect(rows.count == 1 && rows.first?.timeNs == 40)
  }
}
