import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

/// How the recorded process ended, according to the trace.
@Suite struct EndTests {
  /// A timer's callout that never ends, optionally inside a drain's block.
  private static let inTimer =
    HandTrace.asleep + """
      1000 AfterWaiting.low m1 #1
      1010 timer.create #7 name=2
      1020 timer.begin m1 #7

      """

  private func analysis(
    _ main: String, end: String = "", worker: String = "", facts: [String] = [], to: UInt64? = nil
  ) throws -> Analysis {
    var trace = HandTrace(main: main, worker: worker, recorder: end)
    trace.facts = facts
    var options = AnalysisOptions()
    options.to = to
    return try trace.analysis(options)
  }

  private func end(_ signal: Int, byRecorder: Int = 0) -> String {
    "2000 process.end status=-1 signal=\(signal) by_recorder=\(byRecorder)"
  }

  @Test func aCrashInsideACallout() throws {
    let analysis = try analysis(EndTests.inTimer, end: end(4))
    let result = analysis.end
    #expect(result.kind == .signalled && result.signal == 4 && result.signalName == "SIGILL")
    #expect(result.timeNs == 2_000_000 && result.status == nil)
    let running = try #require(result.callouts.first)
    #expect(result.callouts.count == 1 && running.kind == "timer" && running.name == "tick")
    #expect(running.startNs == 1_020_000 && running.durationNs == 980_000 && running.depth == 0)
    #expect(analysis.verdict.outcome == .fault && analysis.verdict.rule == .abnormalEnd)
    #expect(
      analysis.verdict.text.hasPrefix(
        "The program was killed by SIGILL (illegal instruction) when timer \"tick\" on thread main had been running for "
      ),
      "\(analysis.verdict.text)")
    #expect(findingFaults(analysis) == [])
  }

  /// The innermost callout comes first. With callouts on several threads, it is not known which one ended the
  /// process.
  @Test func calloutsOfSeveralThreads() throws {
    let main =
      HandTrace.asleep + """
        1000 AfterWaiting.low m1 #1
        1010 mainQueueDrain.begin m1 #1
        1020 mainQueueBlock.begin m1 #7

        """
    let worker = """
      900 Entry.low m1 #2
      910 BeforeTimers.low m1 #2
      920 source0.begin m1 #5

      """
    let analysis = try analysis(main, end: end(11), worker: worker)
    #expect(analysis.end.callouts.map(\.kind) == ["mainQueueBlock", "mainQueueDrain", "source0"])
    #expect(analysis.end.callouts.map(\.depth) == [0, 1, 0])
    #expect(analysis.end.innermost.map(\.thread) == [0, 1])
    #expect(
      analysis.verdict.text.contains("when callouts were running on 2 threads: "), "\(analysis.verdict.text)")
    #expect(analysis.verdict.remedy.contains("one of these callouts or on another thread"))
    #expect(findingFaults(analysis) == [])
  }

  @Test func aNestedRunInsideACallout() throws {
    let nested =
      EndTests.inTimer + """
        1030 Entry.low m2 #1
        1040 BeforeTimers.low m2 #1
        1050 BeforeSources.low m2 #1
        1060 BeforeWaiting.low m2 #1

        """
    let result = try analysis(nested, end: end(9)).end
    #expect(result.callouts.map(\.name) == ["tick"])
  }

  @Test func observersOfAnActivity() throws {
    var trace = HandTrace(
      main: HandTrace.asleepWithHighStamps, recorder: end(6), hasHigh: true)
    trace.facts = []
    let result = try trace.analysis().end
    #expect(result.callouts.map(\.kind) == ["observers"] && result.callouts[0].name == "BeforeWaiting")
    #expect(result.callouts[0].startNs == 30_000)
  }

  /// Each signal yields a finding, unless the recorder sent it. Each sentence has its evidence.
  @Test func signals() throws {
    for signal in 1...64 {
      let analysis = try analysis(HandTrace.asleep, end: end(signal))
      let severity: Finding.Severity = [1, 2, 3, 15].contains(signal) ? .warning : .error
      #expect(analysis.findings.map(\.rule) == [.abnormalEnd] && analysis.findings[0].severity == severity)
      #expect(analysis.findings[0].text.contains("No recorded callout was running"))
      #expect(findingFaults(analysis) == [], "\(signal)")
    }
    let stopped = try analysis(EndTests.inTimer, end: end(2, byRecorder: 1))
    #expect(stopped.end.kind == .stopped && stopped.verdict.outcome == .clear)
  }

  @Test func exits() throws {
    let well = try analysis(HandTrace.asleep, end: "2000 process.end status=0 signal=0 by_recorder=0")
    #expect(well.end.kind == .exited && well.end.status == 0 && well.findings.isEmpty)
    let three = try analysis(HandTrace.asleep, end: "2000 process.end status=3 signal=0 by_recorder=0")
    #expect(three.end.status == 3 && three.findings.map(\.severity) == [.info])
    #expect(three.verdict.outcome == .clear && findingFaults(three) == [])
    let unknown = try analysis(HandTrace.asleep, end: "2000 process.end status=-1 signal=0 by_recorder=0")
    #expect(unknown.end.kind == .ended && unknown.findings.isEmpty)
  }

  @Test func noEnd() throws {
    func kind(_ facts: String...) throws -> EndResult.Kind {
      try analysis(EndTests.inTimer, facts: facts).end.kind
    }
    #expect(try kind() == .notRecorded)
    #expect(try kind("goes_on=recording ended first") == .running)
    #expect(try kind("goes_on=executed another program") == .executed)
    #expect(try kind("goes_on=whatever") == .notRecorded)
    #expect(try kind("snapshot=requested by a signal") == .running)
    #expect(try kind("end_unknown=the end") == .unknown)
    let unknown = try analysis(EndTests.inTimer, facts: ["end_unknown=the end"])
    #expect(unknown.end.timeNs == 1_020_000 && unknown.trace.hasUnknownEnd && unknown.findings.isEmpty)
    #expect(unknown.end.callouts.map(\.name) == ["tick"])
    // The recorder's observation has priority.
    let seen = try analysis(EndTests.inTimer, end: end(11), facts: ["end_unknown=the end"])
    #expect(seen.end.kind == .signalled && !seen.trace.hasUnknownEnd)
  }

  /// The end of a window is not the end of the program.
  @Test func aWindow() throws {
    let before = try analysis(EndTests.inTimer, end: end(4), to: 1500)
    #expect(before.end.kind == .notInSpan && before.end.callouts.isEmpty && before.end.timeNs == nil)
    #expect(!before.findings.contains { $0.rule == .abnormalEnd })
    let whole = try analysis(EndTests.inTimer, end: end(4), to: 2000)
    #expect(whole.end.kind == .signalled && whole.end.callouts.count == 1)
  }

  /// Arguments that no recorder writes.
  @Test func strangeArguments() throws {
    for text in [
      "status=9223372036854775807 signal=0", "status=-9223372036854775808 signal=18446744073709551615",
    ] {
      let analysis = try analysis(HandTrace.asleep, end: "2000 process.end \(text)")
      #expect([.exited, .signalled].contains(analysis.end.kind) && findingFaults(analysis) == [])
    }
  }
}
