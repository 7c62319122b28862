import TestSupport
import Testing
import TraceAnalysis

/// Facts of a recording about its recorder, and the defaults without them. Times of the traces are microseconds.
@Suite struct RecorderFactsTests {
  private func suspensions(_ trace: HandTrace, _ facts: [String]) throws -> [String] {
    var trace = trace
    trace.facts = facts
    let analysis = try trace.analysis()
    expectSumsToClose(analysis)
    return analysis.trace.suspensions.map { "\($0.startNs / 1000)+\($0.durationNs / 1000)" }
  }

  /// A beat that is 50 ms late may mean that the process was suspended after the previous beat. The heartbeat's
  /// interval determines which of two silences was the suspension.
  @Test func heartbeat() throws {
    let signs = ["60000", "106000", "112000", "130000", "150000", "201000"]
    let trace = HandTrace(
      main: HandTrace.asleep + signs.map { "\($0) source.signal m1 #7\n" }.joined(),
      recorder: "200000 heartbeat late_ns=50000000")
    #expect(try suspensions(trace, []) == ["60000+46000"])
    #expect(
      try suspensions(trace, ["recorder_thread=2", "heartbeat_ns=20000000"]) == ["150000+50000"])
    // Damaged values.
    #expect(
      try suspensions(trace, ["recorder_thread=2", "heartbeat_ns=\(UInt64.max)"]) == ["10000+50000"])
    #expect(try suspensions(trace, ["recorder_thread=2", "heartbeat_ns=x"]) == ["60000+46000"])
  }

  /// Without the fact, a thread without an OS thread ID is the recorder's. With it, the named thread is.
  @Test func recorderThread() throws {
    let trace = HandTrace(
      main: HandTrace.asleep + "900000 AfterWaiting.low m1 #1\n900010 Exit.low m1 #1\n",
      worker: "100000 process.stop signal=19\n600000 process.continue signal=18\n",
      recorder: "300000 source.signal #7\n")
    #expect(try suspensions(trace, []) == ["100000+500000"])
    #expect(try suspensions(trace, ["recorder_thread=1"]) == ["100000+200000"])
    // With the heartbeat's interval but without a valid recorder thread, all threads belong to the program.
    #expect(try suspensions(trace, ["heartbeat_ns=20000000"]) == ["100000+200000"])
    #expect(try suspensions(trace, ["recorder_thread=99999999999"]) == ["100000+200000"])
  }
}
