import ReportWriting
import TestSupport
import Testing
import TextReport
import TraceAnalysis
import TraceFormat

/// Cases of findings, each as a small trace.
@Suite struct FindingCaseTests {
  private func findings(_ trace: HandTrace, _ options: AnalysisOptions = AnalysisOptions()) throws
    -> [Finding]
  {
    let analysis = try trace.analysis(options)
    #expect(findingFaults(analysis) == [])
    return analysis.findings
  }

  private func fire(_ time: Int, due: Int, mode: Int = 1) -> String {
    "\(time) timer.due m\(mode) #2 due=\(due)\n\(time) timer.begin m\(mode) #2\n\(time + 10) timer.end m\(mode) #2\n"
  }

  /// Returns a callout of the source0 `parse` or `draw` (objects 3 and 4).
  private func work(_ object: Int, _ from: Int, _ to: Int) -> String {
    "\(from) source0.begin m1 #\(object)\n\(to) source0.end m1 #\(object)\n"
  }

  private let sources = """
    0 source.create m1 #3 name=4 version=0 order=0 site=5
    0 source.create m1 #4 name=6 version=0 order=0 site=5

    """

  // MARK: Timers

  /// The first number is the sum, as in the table, the page and the gate. Each blocker with at least a tenth has its
  /// own number.
  @Test func eachBlockerHasItsPart() throws {
    let main =
      HandTrace.tick(due: 10_000, interval: 10_000) + sources
      + "0 Entry.low m1 #1\n10 BeforeTimers.low m1 #1\n"
      + work(3, 5000, 405_000) + fire(405_500, due: 10_000) + "406000 BeforeTimers.low m1 #1\n"
      + work(4, 409_000, 485_000) + fire(485_500, due: 410_000) + "486000 Exit.low m1 #1\n"
    let found = try #require(try findings(HandTrace(main: main)).first { $0.rule == .starvedByBusy })
    #expect(
      found.text.contains("missed 46 of 48 fires while source0 \"parse\" (39) and source0 \"draw\" (7) ran."))
    #expect(found.headline?.value == "46 of 48")
    #expect(found.evidence.compactMap(\.callout) == ["source0 parse", "source0 draw"])
  }

  /// A blocker with less than a tenth counts among the others.
  @Test func smallBlockersAreOthers() throws {
    let main =
      HandTrace.tick(due: 10_000, interval: 10_000) + sources
      + "0 Entry.low m1 #1\n10 BeforeTimers.low m1 #1\n"
      + work(3, 5000, 405_000) + fire(405_500, due: 10_000) + "406000 BeforeTimers.low m1 #1\n"
      + work(4, 409_000, 432_000) + fire(432_500, due: 410_000) + "433000 Exit.low m1 #1\n"
    let found = try #require(try findings(HandTrace(main: main)).first { $0.rule == .starvedByBusy })
    #expect(found.text.contains(" while source0 \"parse\" (39) and others (2) ran."), "\(found.text)")
  }

  /// Each mode has its own count, and the advice does not recommend what the program already does.
  @Test func eachModeHasItsOwnCount() throws {
    let main =
      HandTrace.tick(due: 10_000, interval: 10_000) + "0 Entry.low m2 #1\n100 BeforeTimers.low m2 #1\n"
      + "45000 Exit.low m2 #1\n45000 Entry.low m4 #1\n45010 BeforeTimers.low m4 #1\n65000 Exit.low m4 #1\n"
      + "65000 Entry.low m1 #1\n65010 BeforeTimers.low m1 #1\n" + fire(65_020, due: 10_000)
      + "66000 Exit.low m1 #1\n"
    let found = try #require(try findings(HandTrace(main: main)).first { $0.rule == .starvedByMode })
    #expect(
      found.text.contains(
        "missed 5 of 6 fires while the loop ran \"mode 2\" (3) and \"mode 4\" (2), which it is not in."))
    #expect(found.remedy.contains("\"mode 2\"") && !found.remedy.contains("common"))
  }

  /// Returns the finding about a timer in `modes` that misses fires during another mode. `HandTrace` names mode 1;
  /// mode 3 is the common modes.
  private func common(
    _ points: Int, modes: [Int] = [3], while other: String = "UITrackingRunLoopMode", isCommon: Bool = false
  ) throws -> Finding? {
    let text = HandTrace(
      main: "0 loop.addCommonMode m1 #1 mode=1\n"
        + (isCommon ? "0 loop.addCommonMode m2 #1 mode=2\n" : "")
        + HandTrace.tick(due: 10_000, modes: modes, interval: 10_000)
        + "0 Entry.low m2 #1\n100 BeforeTimers.low m2 #1\n\(points * 10_000 + 15_000) Exit.low m2 #1\n"
        + "\(points * 10_000 + 15_000) Entry.low m1 #1\n\(points * 10_000 + 15_010) BeforeTimers.low m1 #1\n"
        + fire(points * 10_000 + 15_020, due: 10_000) + "\(points * 10_000 + 17_000) Exit.low m1 #1\n"
    ).text().replacing("\"mode 2\"", with: "\"\(other)\"").replacing(
      "\"mode 1\"", with: "\"kCFRunLoopDefaultMode\"")
    let analysis = try TraceAnalyzer(openTrace(assembleTrace(text))).analyze()
    #expect(findingFaults(analysis) == [])
    return analysis.findings.first { $0.rule == .starvedByMode }
  }

  @Test func theCommonModesAreNotAdvisedTwice() throws {
    let found = try #require(try common(20))
    #expect(found.severity == .error)
    #expect(
      found.remedy.hasPrefix("It is in the common modes, but \"UITrackingRunLoopMode\" is not one of them"))
    let alone = try #require(try common(20, modes: [1]))
    #expect(
      alone.remedy.hasSuffix(
        "add it to \"UITrackingRunLoopMode\". That mode is not a common mode of the loop."))
    let common = try #require(try common(20, modes: [1], isCommon: true))
    #expect(common.remedy.hasPrefix("Add it to the common modes"))
  }

  /// A dialog, or anything else that runs its own mode.
  @Test(arguments: ["UITrackingRunLoopMode", "NSModalPanelRunLoopMode", "wizard"])
  func theNameOfTheModeDoesNotMatter(name: String) throws {
    for modes in [[1], [3]] {
      #expect(try common(20, modes: modes, while: name)?.severity == .error)
      #expect(try common(8, modes: modes, while: name)?.severity == .warning)
    }
    // A timer in a special mode.
    #expect(try common(20, modes: [4], while: name)?.severity != .error)
  }

  /// One missed fire among hundreds is only an info.
  @Test func aSingleSkipIsNotAnError() throws {
    var main =
      "0 loop.addCommonMode m1 #1 mode=1\n" + HandTrace.tick(due: 10_000, interval: 10_000)
      + "0 Entry.low m2 #1\n100 BeforeTimers.low m2 #1\n25000 Exit.low m2 #1\n"
      + "25000 Entry.low m1 #1\n25010 BeforeTimers.low m1 #1\n" + fire(25_020, due: 10_000)
    for point in 3..<300 { main += fire(point * 10_000 + 5, due: point * 10_000) }
    let text = HandTrace(main: main + "3000000 Exit.low m1 #1\n").text()
      .replacing("\"mode 2\"", with: "\"UITrackingRunLoopMode\"").replacing(
        "\"mode 1\"", with: "\"kCFRunLoopDefaultMode\"")
    let analysis = try TraceAnalyzer(openTrace(assembleTrace(text))).analyze()
    let found = try #require(analysis.findings.first { $0.rule == .starvedByMode })
    #expect(found.text.contains("missed 1 of 299 fires") && found.severity == .info)
    #expect(analysis.verdict.rule != .starvedByMode)
  }

  /// A run of another loop in a mode with the same name does not count.
  @Test func modesAreThoseOfTheTimersOwnLoop() throws {
    let main = HandTrace.tick(due: 10_000, modes: [2], interval: 10_000) + run(at: 20) + run(at: 90_000)
    let worker = "0 Entry.low m2 #7\n10 BeforeTimers.low m2 #7\n95000 Exit.low m2 #7\n"
    let found = try findings(HandTrace(main: main, worker: worker))
    let unseen = try #require(found.first { $0.rule == .unseenMode })
    #expect(unseen.text.contains("Its loop ran \"mode 1\", but never \"mode 2\""))
  }

  /// No finding blames the system for unexplained lateness.
  @Test func unexplainedLatenessDoesNotBlameTheSystem() throws {
    let main =
      HandTrace.tick(due: 100_000, interval: 1_000_000) + HandTrace.asleep
      + "180000 AfterWaiting.low m1 #1\n" + fire(180_100, due: 100_000) + "181000 Exit.low m1 #1\n"
    let found = try #require(try findings(HandTrace(main: main)).first { $0.rule == .lateWakeUps })
    #expect(!found.text.contains("system") && !found.remedy.contains("not at the program"))
  }

  /// Timers with one creation site are one row that lists several names.
  @Test func aRowOfSeveralNamesListsThem() throws {
    var main = sources + "0 Entry.low m1 #1\n10 BeforeTimers.low m1 #1\n"
    for (number, name) in [2, 4, 2, 6, 7, 8, 9].enumerated() {
      main +=
        "20 timer.create #\(20 + number) name=\(name) interval_ns=0 tolerance_ns=0 due=\(100_000 + number) site=3\n"
        + "20 timer.add #\(20 + number) mode=1 loop=1\n"
    }
    let analysis = try HandTrace(main: main + "900000 Exit.low m1 #1\n").analysis()
    #expect(findingFaults(analysis) == [])
    let names = try #require(analysis.timers.first?.names)
    #expect(analysis.timers.count == 1 && names.count == 5 && names.starts(with: ["tick", "parse", "draw"]))
    #expect(analysis.timers.map(\.name) == ["\(names.joined(separator: ", ")) and others"])
    #expect(analysis.timers.map(\.objects) == [7])
    let text = AnalysisText(analysis, gapThresholdNs: 0, style: TextStyle(isColoured: false)).lines(file: "x")
    #expect(text.contains { $0.hasPrefix("  7 timers ") })
    #expect(text.contains("  7 timers: \(names.joined(separator: ", ")), others"))
  }

  // MARK: Observers

  /// When two activities took the same time, the finding always names the first.
  @Test func tiesAreDecided() throws {
    let main = """
      0 Entry.low m1 #1
      0 Entry.high m1 #1
      10 BeforeTimers.low m1 #1
      150010 BeforeTimers.high m1 #1
      150010 BeforeSources.low m1 #1
      300010 BeforeSources.high m1 #1
      300020 Exit.low m1 #1
      300020 Exit.high m1 #1
      """
    for _ in 0..<20 {
      let found = try findings(HandTrace(main: main, hasHigh: true)).first { $0.rule == .costlyObservers }
      #expect(found?.text.contains("Those of BeforeTimers took 150 ms") == true)
      #expect(found?.remedy.contains("draw") == false)
    }
  }

  // MARK: The main queue

  /// A block runs the loop in mode 2 from 0.2 ms to 0.8 s. A block of the main queue waits from 0.1 s on. `isServed`:
  /// it begins in that mode.
  private func modal(isServed: Bool) throws -> Finding {
    func drain(_ begin: Int, mode: Int) -> String {
      """
      \(begin) mainQueueDrain.begin m\(mode) #1
      \(begin + 10) mainQueueBlock.begin m\(mode) #7
      \(begin + 20) mainQueueBlock.end m\(mode) #7
      \(begin + 30) mainQueueDrain.end m\(mode) #1
      """
    }
    let main =
      HandTrace.asleep + """
        100 AfterWaiting.low m1 #1
        150 block.begin m1 #9
        200 Entry.low m2 #1
        210 BeforeTimers.low m2 #1
        220 BeforeSources.low m2 #1
        230 BeforeWaiting.low m2 #1
        800000 AfterWaiting.low m2 #1
        \(isServed ? drain(800_010, mode: 2) : "")
        800050 Exit.low m2 #1
        800060 block.end m1 #9
        800070 BeforeTimers.low m1 #1
        800080 BeforeSources.low m1 #1
        800090 BeforeWaiting.low m1 #1
        800100 AfterWaiting.low m1 #1
        \(isServed ? "" : drain(800_110, mode: 1))
        800200 Exit.low m1 #1
        """
    let found = try findings(HandTrace(main: main, worker: "100000 block.create #7 name=6 loop=1"))
    return try #require(found.first { $0.rule == .mainQueueWaits })
  }

  /// The main queue waits for a nested loop in a mode that does not serve it.
  @Test func blocksWaitForANestedLoop() throws {
    let found = try modal(isServed: false)
    #expect(
      found.text.contains("For 700 ms of the longest wait, the thread ran a nested loop in mode \"mode 2\"."),
      "\(found.text)")
    #expect(found.remedy.hasPrefix("A nested loop serves the main queue only in a common mode"))
    let served = try modal(isServed: true)
    #expect(!served.text.contains("nested") && !served.remedy.contains("nested"), "\(served.text)")
  }

  // MARK: Launch

  /// Returns a run that begins at `time` and takes a millisecond.
  private func run(at time: Int) -> String {
    """
    \(time) Entry.low m1 #1
    \(time + 10) BeforeTimers.low m1 #1
    \(time + 20) BeforeSources.low m1 #1
    \(time + 30) BeforeWaiting.low m1 #1
    \(time + 900) AfterWaiting.low m1 #1
    \(time + 1000) Exit.low m1 #1

    """
  }

  @Test func fifteenSecondsFromTheMarkToTheFirstRun() throws {
    let trace = HandTrace(main: "0 lifeCycle phase=1\n" + run(at: 15_000_000))
    let found = try #require(try findings(trace).first { $0.rule == .slowLaunch })
    #expect(found.severity == .warning && found.text.contains("15.0 s") && found.text.contains("20.0 s"))
    let late = HandTrace(main: "0 lifeCycle phase=1\n" + run(at: 21_000_000))
    #expect(try findings(late).first?.rule == .slowLaunch)
    #expect(try findings(late).first?.severity == .error)
    let soon = HandTrace(main: "0 lifeCycle phase=1\n" + run(at: 2_000_000))
    #expect(!(try findings(soon).contains { $0.rule == .slowLaunch }))
  }

  @Test func theProfileLimitsTheLaunch() throws {
    let trace = HandTrace(main: "0 lifeCycle phase=1\n" + run(at: 11_000_000))
    var options = AnalysisOptions()
    options.profile = .monitor
    let found = try #require(try findings(trace, options).first { $0.rule == .slowLaunch })
    #expect(found.severity == .error && found.text.contains("\"monitor\""))
  }

  // MARK: After the last run

  @Test func thirtySecondsAfterTheLastExit() throws {
    let trace = HandTrace(main: run(at: 0), worker: "31000000 mark name=2")
    let found = try #require(try findings(trace).first { $0.rule == .stuckBehindExit })
    #expect(found.severity == .warning && found.text.contains("31.0 s"))
  }

  /// There is no finding if nothing proves that the program continued, if it was stopped, or if the loop that ended is
  /// another thread's.
  @Test func theEndOfARecordingIsNotAStuckThread() throws {
    let silent = HandTrace(main: run(at: 0), sync: [(0, 1000, 1000), (30_000_000, 31_000, 31_000)])
    #expect(!(try findings(silent).contains { $0.rule == .stuckBehindExit }))
    let worker = HandTrace(main: "31000000 mark name=2", worker: run(at: 0))
    #expect(!(try findings(worker).contains { $0.rule == .stuckBehindExit }))
    let stopped = HandTrace(
      main: run(at: 0), worker: "30900000 mark name=2",
      recorder: "1000000 process.stop signal=19\n30500000 process.continue signal=18")
    #expect(!(try findings(stopped).contains { $0.rule == .stuckBehindExit }))
  }

  // MARK: Empty modes

  @Test func aSpinOfAnEmptyModeIsFound() throws {
    let calls = (0..<25_000).map {
      "\($0 * 50) run.begin m2 #1 timeout_ns=0 return_after_source=0\n\($0 * 50 + 10) run.end m2 #1 result=1"
    }
    let analysis = try HandTrace(main: calls.joined(separator: "\n")).analysis()
    #expect(findingFaults(analysis) == [])
    #expect(analysis.emptyRuns.map(\.count) == [25_000] && analysis.emptyRuns.map(\.mode) == ["mode 2"])
    #expect(analysis.verdict.outcome == .fault && analysis.verdict.rule == .emptyRuns)
    #expect(
      analysis.verdict.text.contains("25000 runs of \"mode 2\"")
        && analysis.verdict.text.contains(" per second")
    )
  }

  @Test func aFewEmptyRunsAreNotASpin() throws {
    let calls = (0..<5).map {
      "\($0 * 50) run.begin m2 #1 timeout_ns=0 return_after_source=0\n\($0 * 50 + 10) run.end m2 #1 result=1"
    }
    let analysis = try HandTrace(main: calls.joined(separator: "\n")).analysis()
    #expect(analysis.verdict.outcome == .undecided)
    #expect(analysis.verdict.text.contains("without sources or timers"))
  }

  @Test func runsThatRanAreNotEmpty() throws {
    let call =
      "0 run.begin m1 #1 timeout_ns=0 return_after_source=0\n" + run(at: 1) + "1100 run.end m1 #1 result=3"
    #expect(try HandTrace(main: call).analysis().emptyRuns.isEmpty)
  }
}
