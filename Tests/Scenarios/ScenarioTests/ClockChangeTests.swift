import CheckedYAML
import Scenario
import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

/// Countdowns that are corrected on return from the background, while the wall clock is set.
@Suite struct ClockChangeTests {
  /// Returns the analysis of a stay of 4 s, 3 s of it suspended, in which the clock is set.
  private static func analysis(
    _ countdown: String, set clock: String = "", marks: String = "- phase: foreground"
  )
    throws -> Analysis
  {
    let text = """
      scenario: x
      countdowns: [{name: c, \(countdown)}]
      thread:
        - run: {for: 4500ms}
        - phase: background
        - run: {for: 1s}
        - \(clock.isEmpty ? "mark: m" : "set clock: \(clock)")
        - suspend: 3s
        \(marks)
        - run: {for: 20s}
      """
    let trace = try VirtualRecordingTests.trace(try ScenarioReader.read(text))
    return try TraceAnalyzer(openTrace(trace)).analyze()
  }

  /// Returns when the countdown ended, in seconds: a whole number of milliseconds.
  private static func end(_ analysis: Analysis) -> Double? {
    analysis.marks.marks.first { $0.name == "c is over" }.map { Double($0.timeNs / 1_000_000) / 1e3 }
  }

  /// Five fires come before the suspension. One of its three points fires afterwards, so two fires are lost.
  @Test(arguments: [("", "", 12.0), ("", "-1h", 12.0), ("corrects: each time", "", 12.0)])
  func aRightCorrectionEndsOnTime(correction: String, clock: String, end: Double) throws {
    let keys = "from: 12s" + (correction.isEmpty ? "" : ", " + correction)
    let analysis = try Self.analysis(keys, set: clock)
    #expect(Self.end(analysis) == end)
    let timer = try #require(analysis.timers.first?.ledger)
    #expect(timer.due == 12 && timer.skippedBy[.suspended] == 2)
    #expect(analysis.lifeCycle.timers.first?.compensationNs == 2_000_000_000)
  }

  /// Each repeated mark subtracts the two lost fires again.
  @Test(arguments: [("once", 12.0), ("each time", 10.0)])
  func aRepeatedMark(corrects: String, end: Double) throws {
    let marks = "- phase: foreground\n  - phase: foreground"
    let analysis = try Self.analysis("from: 12s, corrects: \(corrects)", marks: marks)
    #expect(Self.end(analysis) == end)
    #expect(analysis.timers.first?.ledger?.due == UInt64(end))
    #expect(analysis.lifeCycle.stays.first?.doubledMarks == 1)
  }

  /// Set forward, the countdown ends at the return; set back, it lasts longer.
  @Test(arguments: [("1h", 8.5), ("5s", 8.5), ("-5s", 15.0), ("-1h", nil)] as [(String, Double?)])
  func aStayByTheWallClock(clock: String, end: Double?) throws {
    #expect(Self.end(try Self.analysis("from: 12s, clock: wall", set: clock)) == end)
    #expect(Self.end(try Self.analysis("from: 12s, clock: wall")) == 12)
  }

  @Test(arguments: [("1h", Int64(3_600_000_000_000)), ("-1h", -3_600_000_000_000)])
  func theStayShowsTheStep(clock: String, setNs: Int64) throws {
    let analysis = try Self.analysis("from: 12s", set: clock)
    let stay = try #require(analysis.lifeCycle.stays.first)
    #expect(stay.durationNs / 1_000_000 == 4000 && stay.bootNs == stay.durationNs)
    #expect(stay.wallNs == Int64(stay.durationNs) + setNs && stay.clockSetNs == setNs)
    #expect(try Self.analysis("from: 12s", set: "100ms").lifeCycle.stays.first?.clockSetNs == nil)
  }

  @Test func theSampleTellsTheCorrectionsApart() throws {
    let analysis = try VirtualRecordingTests.analysis("clock-change")
    let due = Dictionary(
      uniqueKeysWithValues: analysis.timers.map { ($0.name, $0.ledger?.due) })
    #expect(due["tea (monotonic clock)"] == 60 && due["tea (corrected twice)"] == 41)
    #expect(due["tea (wall clock)"] != 60)
    let ends = Dictionary(
      uniqueKeysWithValues: analysis.marks.marks.map { ($0.name, $0.timeNs / 1_000_000) })
    #expect(
      ends == [
        "tea (monotonic clock) is over": 60_000, "tea (corrected twice) is over": 41_000,
        "tea (wall clock) is over": 30_500,
      ])
    let stay = try #require(analysis.lifeCycle.stays.first)
    #expect(stay.durationNs / 1_000_000 == 22_000 && stay.clockSetNs == 3_600_000_000_000)
    #expect(stay.suspendedNs / 1_000_000 == 20_000 && stay.doubledMarks == 1)
  }
}
