import TestSupport
import Testing
import TraceAnalysis
import TraceReplay

/// Records of an observer in cases that are easy to get wrong.
@Suite struct RecordTests {
  private func records(_ main: String) throws -> (Analysis, FactCollector) {
    let records = FactCollector()
    var options = AnalysisOptions()
    options.sink = records
    let analysis = try HandTrace(main: main).analysis(options)
    expectSumsToClose(analysis)
    return (analysis, records)
  }

  /// The point that fires does not count among the points that were skipped before it.
  @Test func thePointThatFiresIsNotSkipped() throws {
    let main =
      HandTrace.tick(due: 100_000, interval: 20_000) + HandTrace.asleep + """
        100000 AfterWaiting.low m1 #1
        100000 timer.due m1 #2 due=100000
        100000 timer.begin m1 #2
        120000 timer.end m1 #2
        130000 Exit.low m1 #1
        170000 Entry.low m1 #1
        170010 timer.due m1 #2 due=160000
        170010 timer.begin m1 #2
        170020 timer.end m1 #2
        170030 Exit.low m1 #1
        """
    let (analysis, records) = try records(main)
    #expect(analysis.skipped(of: "tick") == [.ownCallout: 1, .notRunning: 1])
    let skipped = records.points.filter { $0.outcome == .skipped }
    #expect(skipped.map(\.cause) == [.ownCallout, .notRunning])
    #expect(skipped.map(\.due) == [120_000, 140_000])
    #expect(records.points.filter { $0.outcome == .fired }.map(\.due) == [100_000, 160_000])
  }

  /// A callout ends, but the Exits of its nested runs were not recorded.
  @Test func runsEndWithTheCalloutAroundThem() throws {
    let main = """
      0 Entry.low m1 #1
      10 BeforeTimers.low m1 #1
      100 source0.begin m1 #3
      200 Entry.low m2 #1
      300 BeforeTimers.low m2 #1
      400 Entry.low m4 #1
      500 BeforeTimers.low m4 #1
      600 source0.end m1 #3
      700 block.begin m1 #4
      710 block.end m1 #4
      800 BeforeTimers.low m1 #1
      900 Exit.low m1 #1
      """
    let (analysis, records) = try records(main)
    #expect(records.runs.map { [$0.start, $0.end] } == [[400, 600], [200, 600], [0, 900]])
    #expect(records.callouts.map { [$0.start, $0.end, $0.nested] } == [[100, 600, 400], [700, 710, 0]])
    #expect(analysis.callouts.map(\.timeNs).sorted() == [10_000, 100_000])
  }

  /// Each level is a source whose callout runs the loop. The levels beyond the limit count as time of the last one.
  @Test func nestedDeeperThanTheLimits() throws {
    let levels = 300, limit = AnalysisLimits.openCallouts
    var main = "0 Entry.low m1 #1\n"
    var time = 0
    for _ in 0..<levels {
      main +=
        "\(time + 1) source0.begin m1 #3\n\(time + 3) Entry.low m1 #1\n\(time + 4) BeforeTimers.low m1 #1\n"
      time += 4
    }
    for _ in 0..<levels {
      main += "\(time + 1) Exit.low m1 #1\n\(time + 4) source0.end m1 #3\n"
      time += 4
    }
    let (analysis, records) = try records(main + "\(time + 100) Exit.low m1 #1")
    #expect(records.callouts.count == limit)
    #expect(records.runs.count == AnalysisLimits.nesting)
    #expect(records.callouts.allSatisfy { $0.nested < $0.end - $0.start })
    // Each level has two microseconds before its run and three after it. The last one has all the time inside it.
    let last = 5 + 8 * (levels - limit) + 2
    #expect(analysis.callouts.map(\.timeNs) == [UInt64((limit - 1) * 5 + last) * 1000])
    #expect(analysis.notes.count { $0.text.contains("nested deeper than 256") } == 2)
  }
}
