import TestSupport
import Testing
import TraceAnalysis
import TraceReplay

/// Time in which the process did not run, from each kind of evidence. Times of the traces are microseconds.
@Suite struct SuspensionTests {
  private static let ms: UInt64 = 1_000_000
  private static let stop = "100000 process.stop signal=19\n600000 process.continue signal=18\n"

  /// Checks what the traces of this file have in common: the spans, in nanoseconds, and exact sums.
  private func check(
    _ analysis: Analysis, _ spans: [(start: UInt64, length: UInt64, evidence: SuspensionSign)],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    expectSumsToClose(analysis, sourceLocation: sourceLocation)
    let found = analysis.trace.suspensions.map {
      "\($0.evidence) \($0.startNs / 1000)+\($0.durationNs / 1000)"
    }
    #expect(
      found == spans.map { "\($0.evidence) \($0.start)+\($0.length)" }, sourceLocation: sourceLocation)
    #expect(
      analysis.trace.suspendedNs == spans.reduce(0) { $0 + $1.length * 1000 }, sourceLocation: sourceLocation)
  }

  private func series(_ analysis: Analysis) -> UInt64? {
    analysis.utilisation.first.map { $0.busyNs + $0.waitingNs }
  }

  // MARK: Stop and continue

  private static let wakes = """
    900000 AfterWaiting.low m1 #1
    900010 BeforeTimers.low m1 #1
    900020 Exit.low m1 #1
    """

  @Test func stoppedWhileWaiting() throws {
    let analysis = try HandTrace(main: HandTrace.asleep + Self.wakes, recorder: Self.stop).analysis()
    check(analysis, [(100_000, 500_000, .stopped)])
    let mode = try #require(analysis.modes.first)
    #expect(mode.suspendedNs == 500 * Self.ms)
    #expect(mode.waitingNs == 399_970_000)
    #expect(mode.timeNs == 400_020_000)
    #expect(mode.passNs.max == 30_000)
    #expect(analysis.loops.first?.suspendedNs == 500 * Self.ms)
    #expect(series(analysis) == mode.timeNs)
    #expect(analysis.gaps.isEmpty && analysis.busy.isEmpty)
    #expect(analysis.inputDelay?.delay.max == 30_000)
  }

  @Test func stoppedInACallout() throws {
    let main =
      HandTrace.asleep + """
        30000 AfterWaiting.low m1 #1
        40000 source.create m1 #3 name=4 version=0 order=0 site=5
        50000 source0.begin m1 #3
        950000 source0.end m1 #3
        960000 BeforeTimers.low m1 #1
        960010 Exit.low m1 #1
        """
    let analysis = try HandTrace(main: main, recorder: Self.stop).analysis()
    check(analysis, [(100_000, 500_000, .stopped)])
    let mode = try #require(analysis.modes.first)
    #expect(mode.timeNs == 460_010_000)
    #expect(mode.waitingNs == 29_970_000)
    #expect(mode.passNs.max == 430_020_000)
    let gap = try #require(analysis.gaps.first)
    #expect(analysis.gaps.count == 1)
    #expect(gap.startNs == 30 * Self.ms)
    #expect(gap.durationNs == 430 * Self.ms)
    #expect(gap.suspendedNs == 500 * Self.ms)
    #expect(gap.after == .afterWaiting)
    #expect(!gap.isUncertain)
    #expect(gap.callouts.map(\.durationNs) == [400 * Self.ms])
    let busy = try #require(analysis.busy.first)
    #expect(analysis.busy.count == 1)
    #expect(busy.startNs == 30 * Self.ms)
    #expect(busy.durationNs == 430_010_000)
    #expect(busy.suspendedNs == 500 * Self.ms)
    let callout = try #require(analysis.callouts.first)
    #expect(callout.timeNs == 400 * Self.ms)
    #expect(callout.longestNs == 400 * Self.ms)
    #expect(callout.longestStartNs == 50 * Self.ms)
    #expect(callout.worstPassNs == 400 * Self.ms)
    #expect(callout.worstPassStartNs == 10_000)
    #expect(series(analysis) == mode.timeNs)
    #expect(analysis.inputDelay?.delay.max == 430_010_000)
    #expect(analysis.inputDelay?.hangNs == 430_010_000)
  }

  @Test func stoppedInANestedRun() throws {
    let main =
      HandTrace.asleep + """
        30000 AfterWaiting.low m1 #1
        50000 block.begin m1 #3
        60000 Entry.low m2 #1
        70000 BeforeTimers.low m2 #1
        700000 Exit.low m2 #1
        710000 block.end m1 #3
        720000 BeforeTimers.low m1 #1
        720010 Exit.low m1 #1
        """
    let observer = FactCollector()
    var options = AnalysisOptions()
    options.sink = observer
    let analysis = try HandTrace(main: main, recorder: Self.stop).analysis(options)
    check(analysis, [(100_000, 500_000, .stopped)])
    #expect(analysis.modes.map(\.timeNs) == [80_010_000, 140 * Self.ms])
    #expect(analysis.modes.map(\.suspendedNs) == [0, 500 * Self.ms])
    #expect(analysis.callouts.first?.timeNs == 20 * Self.ms)
    #expect(analysis.callouts.first?.nestedNs == 140 * Self.ms)
    for pass in observer.passes {
      #expect(pass.phases.wrappedSum() + pass.nested + pass.suspended == pass.end - pass.start)
    }
    #expect(observer.passes.map(\.suspended) == [500_000, 500_000, 0])
    // The outer run is a poll run, so another interval begins after its Exit.
    #expect(analysis.busy.map(\.durationNs) == [170_000_000])
  }

  @Test func stoppedOutsideAnyRun() throws {
    let main = """
      0 Entry.low m1 #1
      10 BeforeTimers.low m1 #1
      20 Exit.low m1 #1
      900020 Entry.low m1 #1
      900030 BeforeTimers.low m1 #1
      900040 Exit.low m1 #1
      """
    let analysis = try HandTrace(main: main, recorder: Self.stop).analysis()
    check(analysis, [(100_000, 500_000, .stopped)])
    #expect(analysis.modes.map(\.timeNs) == [40_000])
    #expect(analysis.modes.map(\.suspendedNs) == [0])
    let gap = try #require(analysis.gaps.first)
    #expect(gap.mode == "(outside any run)")
    #expect(gap.startNs == 20_000)
    #expect(gap.durationNs == 400 * Self.ms)
    #expect(gap.suspendedNs == 500 * Self.ms)
    let busy = try #require(analysis.busy.first)
    // The first run is a poll run, so the interval begins at its Exit.
    #expect(busy.durationNs == 400_020_000)
    #expect(busy.outsideNs == 400 * Self.ms)
    #expect(series(analysis) == 400_040_000)
  }

  @Test func dueWhileStopped() throws {
    let main =
      HandTrace.tick(due: 250_000) + HandTrace.asleep + """
        640000 AfterWaiting.low m1 #1
        640100 timer.due m1 #2 due=250000
        640100 timer.begin m1 #2
        640200 timer.end m1 #2
        640300 BeforeTimers.low m1 #1
        640310 Exit.low m1 #1
        """
    let analysis = try HandTrace(main: main, recorder: Self.stop).analysis()
    check(analysis, [(100_000, 500_000, .stopped)])
    #expect(analysis.lateness(of: "tick") == [.suspended: 350_000, .scheduler: 40_100])
    #expect(analysis.skipped(of: "tick") == [.suspended: 3])
    let ledger = try #require(analysis.timers.first?.ledger)
    #expect(ledger.due == 4)
    #expect(
      Dictionary(uniqueKeysWithValues: ledger.overdueByModeNs.map { ($0.mode, $0.ns / 1000) })
        == ["mode 1": 40_100, "(suspended)": 350_000])
  }

  /// Each part of the lateness has its own cause: before, during and after the stop.
  @Test func dueBeforeTheStopWhileBusy() throws {
    let main =
      HandTrace.tick(due: 80_000, interval: 1_000_000) + HandTrace.asleep + """
        50000 AfterWaiting.low m1 #1
        60000 block.begin m1 #3
        700000 block.end m1 #3
        700100 timer.due m1 #2 due=80000
        700100 timer.begin m1 #2
        700200 timer.end m1 #2
        700310 Exit.low m1 #1
        """
    let analysis = try HandTrace(main: main, recorder: Self.stop).analysis()
    check(analysis, [(100_000, 500_000, .stopped)])
    #expect(analysis.lateness(of: "tick") == [.busy: 120_000, .suspended: 500_000, .scheduler: 100])
    #expect(analysis.timers.first?.ledger?.blockers.map(\.latenessNs) == [120 * Self.ms])
  }

  /// The program's own events prove that it ran before its parent noticed.
  @Test func theFirstSignOfLifeEndsAStop() throws {
    let main =
      HandTrace.asleep + """
        590000 AfterWaiting.low m1 #1
        590010 block.begin m1 #3
        599000 block.end m1 #3
        601000 BeforeTimers.low m1 #1
        601010 Exit.low m1 #1
        """
    let analysis = try HandTrace(main: main, recorder: Self.stop).analysis()
    check(analysis, [(100_000, 490_000, .stopped)])
    #expect(analysis.modes.first?.waitingNs == 99_970_000)
    #expect(analysis.callouts.first?.timeNs == 8_990_000)
  }

  /// An event that another processor stamped just after the stop counts as one before it.
  @Test func anEventJustAfterTheStopDoesNotEndIt() throws {
    let main =
      HandTrace.asleep + """
        50000 AfterWaiting.low m1 #1
        101000 BeforeTimers.low m1 #1
        900000 Exit.low m1 #1
        """
    let analysis = try HandTrace(main: main, recorder: Self.stop).analysis()
    check(analysis, [(101_000, 499_000, .stopped)])
    #expect(analysis.modes.first?.busyNs == 351_030_000)
  }

  @Test func neverContinued() throws {
    let main = HandTrace.tick(due: 250_000) + HandTrace.asleep
    let points: [(time: UInt64, monotonic: UInt64, boottime: UInt64)] = [
      (0, 1000, 1000), (700_000, 1700, 1700),
    ]
    let analysis = try HandTrace(main: main, recorder: "100000 process.stop signal=19", sync: points)
      .analysis()
    check(analysis, [(100_000, 600_000, .stopped)])
    #expect(analysis.modes.first?.waitingNs == 99_970_000)
    #expect(analysis.skipped(of: "tick") == [.suspended: 4])
    let ledger = try #require(analysis.timers.first?.ledger)
    #expect(ledger.pending == 1)
    #expect(ledger.pendingOverdueNs == 450 * Self.ms)
    #expect(analysis.gaps.isEmpty && analysis.busy.isEmpty)
  }

  @Test func neverContinuedInACallout() throws {
    let main = HandTrace.asleep + "40000 AfterWaiting.low m1 #1\n50000 block.begin m1 #3\n"
    let points: [(time: UInt64, monotonic: UInt64, boottime: UInt64)] = [
      (0, 1000, 1000), (700_000, 1700, 1700),
    ]
    var options = AnalysisOptions()
    options.replay.gapThresholdNs = 50 * Self.ms
    options.replay.busyThresholdNs = 50 * Self.ms
    let analysis = try HandTrace(main: main, recorder: "100000 process.stop signal=19", sync: points)
      .analysis(options)
    check(analysis, [(100_000, 600_000, .stopped)])
    #expect(analysis.modes.first?.busyNs == 60_030_000)
    #expect(analysis.gaps.map(\.durationNs) == [60 * Self.ms])
    #expect(analysis.gaps.map(\.suspendedNs) == [600 * Self.ms])
    #expect(analysis.busy.map(\.durationNs) == [60 * Self.ms])
    #expect(analysis.gaps.first?.isOpen == true)
  }

  @Test func twoStops() throws {
    let second = "700000 process.stop signal=19\n800000 process.continue signal=18"
    let analysis = try HandTrace(main: HandTrace.asleep + Self.wakes, recorder: Self.stop + second).analysis()
    check(analysis, [(100_000, 500_000, .stopped), (700_000, 100_000, .stopped)])
    #expect(analysis.modes.first?.waitingNs == 299_970_000)
  }

  /// The evidence counts on any thread, including the program's own, and in any block.
  @Test func evidenceOnAThreadOfTheProgram() throws {
    let main =
      HandTrace.tick(due: 250_000) + HandTrace.asleep + Self.stop + """
        640000 AfterWaiting.low m1 #1
        640100 timer.due m1 #2 due=250000
        640100 timer.begin m1 #2
        640200 timer.end m1 #2
        640310 Exit.low m1 #1
        """
    let analysis = try HandTrace(main: main).analysis()
    check(analysis, [(100_000, 500_000, .stopped)])
    #expect(analysis.modes.first?.waitingNs == 139_970_000)
    #expect(analysis.lateness(of: "tick") == [.suspended: 350_000, .scheduler: 40_100])
    #expect(analysis.skipped(of: "tick") == [.suspended: 3])
  }

  @Test func evidenceOnAnotherThreadOfTheProgram() throws {
    let analysis = try HandTrace(
      main: HandTrace.asleep + Self.wakes, worker: "50000 mark name=9\n" + Self.stop + "950000 mark name=9"
    ).analysis()
    check(analysis, [(100_000, 500_000, .stopped)])
    #expect(analysis.modes.first?.waitingNs == 399_970_000)
  }

  /// A suspension stops all threads.
  @Test func loopsOfAllThreadsAreSuspended() throws {
    let other = (HandTrace.asleep + Self.wakes).replacing("#1", with: "#9")
    let analysis = try HandTrace(main: HandTrace.asleep + Self.wakes, worker: other, recorder: Self.stop)
      .analysis()
    check(analysis, [(100_000, 500_000, .stopped)])
    #expect(analysis.modes.map(\.waitingNs) == [399_970_000, 399_970_000])
    #expect(analysis.modes.map(\.suspendedNs) == [500 * Self.ms, 500 * Self.ms])
  }

  // MARK: Beats

  private static let early = """
    700500 AfterWaiting.low m1 #1
    700510 BeforeTimers.low m1 #1
    701000 BeforeSources.low m1 #1
    702500 Exit.low m1 #1
    """

  /// The program's threads woke before the recorder's thread.
  @Test(arguments: ["", " cpu_ns=1000000"])
  func aLateBeatAfterTheFirstEvents(cpu: String) throws {
    let beat = "702000 heartbeat late_ns=490000000\(cpu)"
    let main = HandTrace.tick(due: 650_000) + HandTrace.asleep + Self.early
    let analysis = try HandTrace(main: main, recorder: beat).analysis()
    check(analysis, [(210_500, 490_000, .lateBeat)])
    #expect(analysis.trace.lateBeats == 0)
    let mode = try #require(analysis.modes.first)
    #expect(mode.suspendedNs == 490 * Self.ms)
    #expect(mode.waitingNs == 210_470_000)
    #expect(mode.busyNs == 2_030_000)
    #expect(analysis.timers.first?.ledger?.pendingOverdueNs == 52_500_000)
  }

  @Test func aBeatThatIsLateBecauseTheProgramComputed() throws {
    let main =
      HandTrace.asleep + """
        100000 AfterWaiting.low m1 #1
        100010 block.begin m1 #3
        700500 block.end m1 #3
        702500 Exit.low m1 #1
        """
    let beat = "702000 heartbeat late_ns=490000000 cpu_ns=600000000"
    let analysis = try HandTrace(main: main, recorder: beat).analysis()
    check(analysis, [])
    #expect(analysis.trace.lateBeats == 1)
    #expect(analysis.gaps.map(\.durationNs) == [602_500_000])
    #expect(analysis.callouts.map(\.timeNs) == [600_490_000])
  }

  @Test func aLateBeatWhileTheProgramWasActive() throws {
    let signs = (2...14).map { "\($0 * 50000) source.signal m1 #7\n" }.joined()
    let main =
      HandTrace.asleep + "100000 AfterWaiting.low m1 #1\n"
      + signs.split(separator: "\n").dropFirst()
      .joined(separator: "\n") + """

        750000 BeforeTimers.low m1 #1
        750010 Exit.low m1 #1
        """
    let analysis = try HandTrace(main: main, recorder: "702000 heartbeat late_ns=490000000").analysis()
    check(analysis, [])
    #expect(analysis.trace.lateBeats == 1)
    #expect(analysis.gaps.map(\.durationNs) == [650 * Self.ms])
    #expect(analysis.gaps.map(\.isUncertain) == [true])
    #expect(analysis.busy.map(\.isUncertain) == [true])
    #expect(analysis.gaps.map(\.suspendedNs) == [0])
  }

  /// A beat that is hardly late is not evidence of a suspension.
  @Test func aBeatInTime() throws {
    let analysis = try HandTrace(
      main: HandTrace.asleep + Self.early, recorder: "702000 heartbeat late_ns=40000000"
    ).analysis()
    check(analysis, [])
    #expect(analysis.trace.lateBeats == 0)
  }

  @Test(arguments: [690_000, 699_000, 700_500])
  func stopAndBeatReportOneSuspension(wake: Int) throws {
    let recorder = """
      209500 process.stop signal=19
      700000 process.continue signal=18
      702000 heartbeat late_ns=490000000 cpu_ns=100
      """
    let main =
      HandTrace.asleep + """
        \(wake) AfterWaiting.low m1 #1
        \(wake + 100) block.begin m1 #3
        709000 block.end m1 #3
        709100 Exit.low m1 #1
        """
    let analysis = try HandTrace(main: main, recorder: recorder).analysis()
    expectSumsToClose(analysis)
    #expect(analysis.trace.suspensions.count == 1)
    // The beat gives a minimum length; the stop gives the start.
    let end = UInt64(min(wake, 700_000))
    #expect(analysis.trace.suspendedNs / 1000 == end - 209_500)
    #expect(analysis.trace.lateBeats == 0)
    #expect(analysis.callouts.map(\.timeNs) == [UInt64(709_000 - wake - 100) * 1000])
  }

  // MARK: Sleep

  @Test func sleepThatTheTracesClockCounted() throws {
    let points: [(time: UInt64, monotonic: UInt64, boottime: UInt64)] = [
      (0, 1000, 1000), (1_000_000, 1400, 2000),
    ]
    let main = HandTrace.tick(due: 400_000, interval: 0) + HandTrace.asleep + Self.wakes
    let analysis = try HandTrace(main: main, sync: points).analysis()
    check(analysis, [(300_000, 600_000, .systemSleep)])
    #expect(analysis.modes.first?.waitingNs == 299_970_000)
    #expect(analysis.trace.sleptOffClockNs == 0)
  }

  @Test func sleepThatTheTracesClockLeftOut() throws {
    let points: [(time: UInt64, monotonic: UInt64, boottime: UInt64)] = [
      (0, 1000, 1000), (1_000_000, 2000, 2600),
    ]
    let analysis = try HandTrace(main: HandTrace.asleep + Self.wakes, sync: points).analysis()
    check(analysis, [])
    #expect(analysis.trace.sleptOffClockNs == 600 * Self.ms)
    #expect(analysis.modes.first?.waitingNs == 899_970_000)
  }

  // MARK: Windows and losses

  /// The part of a suspension that lies in the window.
  @Test(arguments: [50_000, 100_000, 300_000, 550_000, 600_000, 700_000], [false, true])
  func aWindowThatBeginsInASuspension(from: UInt64, isBeat: Bool) throws {
    let beat = "600500 heartbeat late_ns=500000000"
    let main = HandTrace.asleep + Self.wakes.replacing("9000", with: "6000")
    let trace = HandTrace(main: main, recorder: isBeat ? beat : Self.stop)
    var options = AnalysisOptions()
    options.from = from
    let analysis = try trace.analysis(options)
    expectSumsToClose(analysis)
    let suspended = 600_000 - min(600_000, max(from, 100_000))
    #expect(analysis.trace.suspendedNs == suspended * 1000)
    let end: UInt64 = isBeat ? 600_500 : 600_020
    let waiting = 600_000 - min(600_000, from) - suspended
    #expect(analysis.modes.reduce(0) { $0 + $1.waitingNs } == waiting * 1000)
    #expect(analysis.utilisation.map(\.waitingNs) == [waiting * 1000])
    #expect(analysis.modes.reduce(0) { $0 + $1.busyNs } == (from < end && from <= 600_000 ? 20_000 : 0))
  }

  @Test(arguments: [50_000, 100_000, 300_000, 550_000, 599_000, 601_000], [false, true])
  func aWindowThatEndsInASuspension(to: UInt64, isBeat: Bool) throws {
    let beat = "600500 heartbeat late_ns=500000000"
    let main = HandTrace.asleep + Self.wakes.replacing("9000", with: "6000")
    let trace = HandTrace(main: main, recorder: isBeat ? beat : Self.stop)
    var options = AnalysisOptions()
    options.to = to
    let analysis = try trace.analysis(options)
    expectSumsToClose(analysis)
    let suspended = max(100_000, min(to, 600_000)) - 100_000
    let found = analysis.trace.suspendedNs / 1000
    // A beat may be delayed itself: its span may be half a millisecond shorter or later.
    #expect(max(found, suspended) - min(found, suspended) <= (isBeat ? 500 : 0))
    #expect(analysis.modes.first?.waitingNs == (min(to, 600_000) - 30 - found) * 1000)
    #expect(analysis.trace.lateBeats == 0)
  }

  /// The loss is assumed to begin after the suspension.
  @Test func eventsLostAfterASuspension() throws {
    let main =
      HandTrace.tick(due: 50_000, interval: 0) + HandTrace.asleep + """
        700000 lostEvents m1 count=3
        700000 AfterWaiting.low m1 #1
        700100 timer.due m1 #2 due=50000
        700100 timer.begin m1 #2
        700200 timer.end m1 #2
        700300 Exit.low m1 #1
        """
    let analysis = try HandTrace(main: main, recorder: Self.stop).analysis()
    check(analysis, [(100_000, 500_000, .stopped)])
    #expect(analysis.lateness(of: "tick") == [.scheduler: 50_100, .suspended: 500_000, .unknown: 100_000])
  }

  @Test func eventsLostAcrossTheBorderOfAWindow() throws {
    let main =
      HandTrace.tick(due: 400_000, interval: 0) + HandTrace.asleep + """
        700000 lostEvents m1 count=3
        700000 AfterWaiting.low m1 #1
        700100 timer.due m1 #2 due=400000
        700100 timer.begin m1 #2
        700200 timer.end m1 #2
        700300 Exit.low m1 #1
        """
    var options = AnalysisOptions()
    options.from = 300_000
    let analysis = try HandTrace(main: main).analysis(options)
    expectSumsToClose(analysis)
    #expect(analysis.lateness(of: "tick") == [.unknown: 300_000, .scheduler: 100])
  }
}
