import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

/// The verdict: the single sentence at the top of a report.
@Suite struct VerdictTests {
  private func analysis(_ sample: String, fromSeconds: UInt64? = nil, toSeconds: UInt64? = nil) throws
    -> Analysis
  {
    let reader = try openTrace(ProjectFiles.bytes("SampleTraces/\(sample).rltrace"))
    let perSecond = 1_000_000_000 / reader.header.timeUnit.nanoseconds
    var options = AnalysisOptions()
    options.from = fromSeconds.map { $0 * perSecond }
    options.to = toSeconds.map { $0 * perSecond }
    return try TraceAnalyzer(reader, options: options).analyze()
  }

  @Test(arguments: [
    ("virtual/detect-poll-loop", RuleID.hang, Finding.Severity.error),
    ("virtual/location-uncached", .slowWhileTracking, .warning),
    ("virtual/location-locked", .hang, .warning),
    ("virtual/background-task-cycle", .taskExpired, .warning),
    ("virtual/detect-chain", .shortHangs, .warning),
    ("real/leave-and-return", .starvedByNoRun, .error),
    ("virtual/modes", .starvedByMode, .error),
    ("virtual/stalled-callout", .starvedByBusy, .error),
    ("virtual/timer-starvation", .starvedByMode, .error),
  ])
  func topFindingIsTheVerdict(sample: String, rule: RuleID, severity: Finding.Severity) throws {
    let analysis = try analysis(sample)
    let top = try #require(analysis.findings.first)
    #expect(analysis.verdict.outcome == .fault)
    #expect(analysis.verdict.rule == rule && analysis.verdict.severity == severity)
    #expect(analysis.verdict.text == top.text && analysis.verdict.remedy == top.remedy)
    #expect(analysis.verdict.nothingToJudge == nil)
  }

  /// The verdict is the error about the default mode's timer, not the info about the tracking mode's.
  @Test func theSampleModesBlamesTheTimerOfTheDefaultMode() throws {
    #expect(try analysis("virtual/modes").verdict.text.contains("\"default only\""))
  }

  @Test func infosAreInTheAllClear() throws {
    let verdict = try analysis("virtual/detect-idle").verdict
    #expect(verdict.outcome == .clear && verdict.severity == .info)
    #expect(verdict.text.hasPrefix("Nothing wrong was found"))
    #expect(verdict.text.contains("suspended for 4.00 s"))
  }

  @Test func nothingFoundIsAnAllClear() throws {
    let verdict = try analysis("virtual/starvation-common").verdict
    #expect(verdict.outcome == .clear && verdict.finding == nil)
    #expect(verdict.text == "Nothing wrong was found: no run loop hung, no timer missed a fire.")
  }

  /// Timers that were not recorded may have missed fires.
  @Test func unseenTimersPreventAnAllClear() throws {
    var trace = HandTrace(main: HandTrace.tick(due: 5000) + HandTrace.asleep)
    let claim = "no timer missed a fire"
    let whole = try trace.analysis()
    #expect(
      whole.verdict.text.contains(claim) && !whole.notes.contains { $0.text.contains("recorder can follow") })
    trace.facts = [InfoEntry.unwrappedCallouts]
    let partial = try trace.analysis()
    #expect(partial.verdict.outcome == .clear && !partial.verdict.text.contains(claim))
    #expect(partial.notes.contains { $0.text.contains("recorder can follow") })
  }

  @Test func anEmptyWindowIsUndecided() throws {
    let verdict = try analysis("virtual/starvation-common", fromSeconds: 100).verdict
    #expect(verdict.outcome == .undecided)
    #expect(verdict.nothingToJudge?.text.hasPrefix("the span begins at 100.000000 s") == true)
    #expect(verdict.text.hasPrefix("Undecided: "))
  }

  @Test func aLoopThatWaitsAllTheTimeIsJudged() throws {
    var idle = HandTrace(main: HandTrace.asleepWithHighStamps + "31 BeforeWaiting.high m1 #1\n")
    idle.hasHigh = true
    idle.recorder = "9000000 heartbeat late_ns=0 cpu_ns=0"
    var options = AnalysisOptions()
    options.from = 2_000_000
    options.to = 3_000_000
    #expect(try idle.analysis(options).verdict.outcome == .clear)
  }

  @Test func aTraceWithoutALoopIsUndecided() throws {
    let nothing = try HandTrace(main: "0 mark name=2\n1000000 mark name=3").analysis()
    #expect(nothing.verdict.outcome == .undecided)
    #expect(nothing.verdict.text == "Undecided: no run loop ran in this recording.")
    #expect(findingFaults(nothing) == [])
  }

  @Test func aTraceWithoutEventsIsUndecided() throws {
    let nothing = try HandTrace(main: "").analysis()
    #expect(nothing.verdict.outcome == .undecided)
    #expect(nothing.verdict.text == "Undecided: the recording holds no events.")
  }

  /// Findings count even without a run loop.
  @Test func aLossWithoutALoopIsAFault() throws {
    let lossy = try HandTrace(main: "1000 lostEvents count=7").analysis()
    #expect(lossy.verdict.outcome == .fault && lossy.verdict.rule == .lostEvents)
    #expect(lossy.verdict.nothingToJudge != nil)
  }

  /// The remedy depends on why the events were lost.
  @Test(arguments: [
    ("", "Record less"), (" full_disk=7", "disk that has room, or"), (" full_disk=3", "room, and"),
  ])
  func aLossAndItsRemedy(fullDisk: String, remedy: String) throws {
    let lossy = try HandTrace(main: "1000 lostEvents count=7\(fullDisk)").analysis()
    #expect(lossy.verdict.remedy.contains(remedy), "\(lossy.verdict.text)")
    #expect(lossy.verdict.text.contains("a full disk caused") == !fullDisk.isEmpty, "\(lossy.verdict.text)")
  }

  /// A recording of all queues cannot be one of the main thread.
  @Test(arguments: [false, true])
  func aLossInARecordingOfAllQueues(areRecorded: Bool) throws {
    var lossy = HandTrace(main: "1000 lostEvents count=7")
    lossy.facts = areRecorded ? ["queues=recorded"] : []
    let remedy = try lossy.analysis().verdict.remedy
    #expect(remedy.contains("--thread main") == !areRecorded, "\(remedy)")
    #expect(remedy.contains("without --queues all") == areRecorded, "\(remedy)")
  }
}
