import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

/// A trace with a possible hang that is not certain gets no all-clear.
@Suite struct DoubtTests {
  private func window(_ trace: HandTrace, from: UInt64, to: UInt64? = nil) throws -> Analysis {
    var options = AnalysisOptions()
    options.from = from
    options.to = to
    return try trace.analysis(options)
  }

  @Test func aSpanInsideAHang() throws {
    let inside = try window(
      HandTrace(main: HandTrace.held(at: 100, for: 9_000_000)), from: 1_000_000, to: 8_000_000)
    #expect(inside.verdict.outcome == .undecided && inside.verdict.text.contains("for 7.00 s after that"))
    #expect(inside.busyAtStart.map(\.durationNs) == [7_000_000_000] && inside.hasDoubtfulHangs)
    #expect(findingFaults(inside) == [])
    // Only the end of the hang lies in the span.
    let end = try window(HandTrace(main: HandTrace.held(at: 100, for: 9_000_000)), from: 1_000_000)
    #expect(end.busyAtStart.map(\.durationNs) == [8_000_140_000 as UInt64])
    // A wait, or a short remainder of a hang, raises no doubt.
    let rest = try window(HandTrace(main: HandTrace.held(at: 100, for: 9_000_000)), from: 8_900_000)
    #expect(rest.verdict.outcome == .clear && !rest.hasDoubtfulHangs)
    let waiting = try window(
      HandTrace(main: HandTrace.asleep + "9000000 AfterWaiting.low m1 #1\n9000010 Exit.low m1 #1\n"),
      from: 1_000_000)
    #expect(waiting.verdict.outcome == .clear && waiting.busyAtStart.isEmpty)
  }

  @Test func suspensionDoesNotCount() throws {
    let trace = HandTrace(
      main: HandTrace.held(at: 100, for: 9_000_000),
      recorder: "2000000 process.stop signal=19\n7000000 process.continue signal=18")
    #expect(
      try window(trace, from: 1_000_000, to: 8_000_000).busyAtStart.map(\.durationNs) == [2_000_000_000])
  }

  /// The loop runs in slices. The time between them does not hide the hang inside them.
  @Test func hangsWithMoreTimeOutsideRuns() throws {
    let slices =
      HandTrace.held(at: 100, for: 1_000_000, waits: false) + HandTrace.held(at: 3_000_000, for: 900_000)
    let analysis = try HandTrace(main: slices).analysis()
    #expect(analysis.verdict.rule == .hang && analysis.verdict.text.contains("1.90 s"))
    #expect(analysis.verdict.text.contains("was outside runs for another 2.00 s"))
    #expect(findingFaults(analysis) == [])
  }

  @Test func anUncertainHang() throws {
    let signs = (1...3).map { "\(1_000_000 + $0 * 100_000) mark name=9\n" }.joined()
    let trace = HandTrace(
      main: HandTrace.held(at: 100, for: 3_000_000), worker: signs,
      recorder: "1300100 heartbeat late_ns=300000000 cpu_ns=100")
    let analysis = try trace.analysis()
    #expect(analysis.busy.map(\.isUncertain) == [true])
    #expect(
      analysis.verdict.outcome == .undecided && analysis.verdict.text.contains("may have hung for 3.00 s"))
    #expect(findingFaults(analysis) == [])
  }

  @Test func aRecordingThatBreaksOff() throws {
    let begun = HandTrace.held(at: 100, for: 20_000).split(separator: "\n").prefix(4)
    var trace = HandTrace(main: begun.joined(separator: "\n"))
    #expect(try trace.analysis().verdict.outcome == .clear)
    trace.facts = [InfoEntry.endUnknown]
    let busy = try trace.analysis()
    #expect(busy.verdict.outcome == .undecided && busy.verdict.text.contains("the recording breaks off"))
    #expect(busy.notes.contains { $0.text.contains("breaks off") } && findingFaults(busy) == [])
    // A thread that waits, or has left its loop, does not hang.
    trace.main = HandTrace.asleep
    #expect(try trace.analysis().verdict.outcome == .clear)
    trace.main = HandTrace.held(at: 100, for: 20_000)
    #expect(try trace.analysis().verdict.outcome == .clear)
  }

  // MARK: Windows

  @Test func theEndOfASpanIsNotTheEndOfTheRecording() throws {
    let trace = HandTrace(main: HandTrace.held(at: 100, for: 3_000_000))
    #expect(try window(trace, from: 0, to: 2_000_000).verdict.text.contains("not over when the span ended"))
  }

  @Test func aLaunchUnderWayWhenTheSpanBegan() throws {
    let trace = HandTrace(main: "0 lifeCycle phase=1\n" + HandTrace.held(at: 15_000_000, for: 100))
    #expect(try trace.analysis().findings.contains { $0.rule == .slowLaunch && $0.text.contains("15.0 s") })
    #expect(!(try window(trace, from: 4_000_000).findings.contains { $0.rule == .slowLaunch }))
  }

  @Test func whereTheLastRunEnded() throws {
    let analysis = try HandTrace(main: HandTrace.held(at: 100, for: 500_000), worker: "31000000 mark name=2")
      .analysis()
    let found = try #require(analysis.findings.first { $0.rule == .stuckBehindExit })
    #expect(found.evidence.first?.startNs == 500_160_000)
  }
}
