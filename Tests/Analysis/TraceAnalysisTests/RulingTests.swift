import TestSupport
import Testing
import TraceAnalysis
import TraceReplay
import TraceFormat

/// The rulings of docs/reference/numbers.md where CFRunLoop's behaviour allows two readings. Times are microseconds.
@Suite struct RulingTests {
  private static let ms: UInt64 = 1_000_000

  private func tick(_ analysis: Analysis) throws -> (row: TimerResult, ledger: TimerLedgerResult) {
    #expect(analysis.timers.count == 1)
    let row = try #require(analysis.timers.first)
    return (row, try #require(row.ledger))
  }

  private static let pass = """
    BeforeTimers.low m1 #1
    TIME BeforeSources.low m1 #1
    TIME BeforeWaiting.low m1 #1

    """

  /// Returns the events of a pass up to its wait.
  private func pass(_ time: Int) -> String { "\(time) " + Self.pass.replacing("TIME", with: "\(time)") }

  private func fire(_ due: Int, _ begin: Int, _ end: Int) -> String {
    """
    \(begin) timer.due m1 #2 due=\(due)
    \(begin) timer.begin m1 #2
    \(end) timer.end m1 #2

    """
  }

  // MARK: A loop whose thread ends

  /// Due at 100 ms and every 100 ms; the run ends at 150 ms, the thread at 350 ms, the trace at 1 s.
  @Test func timersOfALoopWhoseThreadEndsAreWithdrawn() throws {
    let run =
      HandTrace.tick(due: 100_000) + HandTrace.asleep + "100000 AfterWaiting.low m1 #1\n"
      + fire(100_000, 100_000, 100_010) + "150000 Exit.low m1 #1\n"
    let other = "1000000 mark name=9\n"
    let ended = try HandTrace(main: run + "350000 loop.end #1\n", worker: other).analysis()
    expectSumsToClose(ended)
    var ledger = try tick(ended).ledger
    #expect(ledger.due == 3 && ledger.withdrawn == 1 && ledger.pending == 0 && ledger.skipped == 1)
    #expect(!ended.findings.contains { $0.rule == .overdueAtEnd })
    // Without evidence that the thread ended, the timer is overdue.
    let living = try HandTrace(main: run, worker: other).analysis()
    ledger = try tick(living).ledger
    #expect(ledger.pending == 1 && ledger.withdrawn == 0)
    #expect(living.findings.contains { $0.rule == .overdueAtEnd })
  }

  // MARK: A timer that is moved in its callout

  /// The timer fires at 100 ms, in a callout of 250 ms. It is moved at 340 ms to `due` and fires again at 500 ms.
  private func moved(by: (inout HandTrace, String) -> Void, to due: Int, next: Int) throws
    -> TimerLedgerResult
  {
    var trace = HandTrace(main: "")
    let begin =
      HandTrace.tick(due: 100_000) + HandTrace.asleep + "100000 AfterWaiting.low m1 #1\n"
      + "100000 timer.due m1 #2 due=100000\n100000 timer.begin m1 #2\n"
    trace.main = begin
    by(&trace, "340000 timer.reschedule #2 due=\(due)\n")
    trace.main +=
      "350000 timer.end m1 #2\n" + pass(350_000) + "\(next) AfterWaiting.low m1 #1\n"
      + fire(next, next, next + 10) + pass(next + 20)
    let analysis = try trace.analysis()
    expectSumsToClose(analysis)
    return try tick(analysis).ledger
  }

  @Test func aTimerThatMovesItselfSkipsNothing() throws {
    let ledger = try moved(by: { $0.main += $1 }, to: 500_000, next: 500_000)
    #expect(ledger.due == 2 && ledger.skipped == 0)
  }

  /// A timer fires 250 ms late, and its callout moves it: none of the points that passed meanwhile were due.
  @Test func aLateTimerThatMovesItselfSkipsNothing() throws {
    var trace = HandTrace(main: "")
    trace.main =
      HandTrace.tick(due: 100_000) + HandTrace.asleep + "90000 AfterWaiting.low m1 #1\n"
      + "90000 source0.begin m1 #4\n350000 source0.end m1 #4\n" + pass(350_000)
      + "350000 AfterWaiting.low m1 #1\n350000 timer.due m1 #2 due=100000\n350000 timer.begin m1 #2\n"
      + "350000 timer.reschedule #2 due=500000\n350010 timer.end m1 #2\n" + pass(350_020)
      + "500000 AfterWaiting.low m1 #1\n" + fire(500_000, 500_000, 500_010) + pass(500_020)
    let analysis = try trace.analysis()
    expectSumsToClose(analysis)
    let ledger = try tick(analysis).ledger
    #expect(ledger.due == 2 && ledger.skipped == 0)
    #expect(ledger.blockers.allSatisfy { $0.points == 0 })
  }

  /// The recorder reports the next point of a dispatch timer in this way. A rounding error of one unit does not make
  /// it another point.
  @Test(arguments: [399_999, 400_000, 400_001])
  func aLateTimerThatMovesItselfToItsNextPointSkipped(next: Int) throws {
    let main =
      HandTrace.tick(due: 100_000) + HandTrace.asleep + "90000 AfterWaiting.low m1 #1\n"
      + "90000 source0.begin m1 #4\n350000 source0.end m1 #4\n" + pass(350_000)
      + "350000 AfterWaiting.low m1 #1\n350000 timer.due m1 #2 due=100000\n350000 timer.begin m1 #2\n"
      + "350000 timer.reschedule #2 due=\(next)\n350010 timer.end m1 #2\n" + pass(350_020)
      + "450000 AfterWaiting.low m1 #1\n" + fire(next, 450_000, 450_010) + pass(450_020)
    let analysis = try HandTrace(main: main).analysis()
    expectSumsToClose(analysis)
    let (row, ledger) = try tick(analysis)
    #expect(row.fired == 2 && ledger.skipped == 2)
  }

  @Test func aTimerMovedByAnotherThreadLeavesItsOldGrid() throws {
    let ledger = try moved(by: { $0.worker += $1 }, to: 500_000, next: 500_000)
    #expect(ledger.due == 4 && ledger.skipped == 2)
  }

  @Test func aDateBeforeThePointThatFiredIsIgnored() throws {
    let ledger = try moved(by: { $0.main += $1 }, to: 50_000, next: 400_000)
    #expect(ledger.due == 4 && ledger.skipped == 2 && ledger.withdrawn == 0)
  }

  /// Each callout takes 55 ms and moves the timer by 10 ms. Points behind the new date pass, but the callout that
  /// answers this date moves the timer again.
  @Test func aTimerThatEachCalloutMovesSkipsNothing() throws {
    var main = HandTrace.tick(due: 100_000, interval: 10_000) + HandTrace.asleep
    var due = 100_000
    for start in stride(from: 100_000, through: 400_000, by: 100_000) {
      main +=
        """
        \(start) AfterWaiting.low m1 #1
        \(start) timer.due m1 #2 due=\(due)
        \(start) timer.begin m1 #2
        \(start + 1000) timer.reschedule #2 due=\(start + 11_000)
        \(start + 55_000) timer.end m1 #2

        """ + pass(start + 55_000)
      due = start + 11_000
    }
    let analysis = try HandTrace(main: main).analysis()
    expectSumsToClose(analysis)
    let (row, ledger) = try tick(analysis)
    #expect(row.fired == 4 && ledger.pending == 1)
    // Those behind the date that is pending.
    #expect(ledger.skipped == 4 && ledger.skippedBy[.ownCallout] == 4)
  }

  // MARK: Callouts that the loop does not start

  /// The program fires the timer by itself, and adds it to a loop afterwards, or never.
  @Test(arguments: [true, false]) func aTimerMayFireBeforeItIsAdded(isAdded: Bool) throws {
    var main = "0 timer.create #2 name=2 interval_ns=100000000 tolerance_ns=0 due=100000 site=3\n"
    main += "0 timer.begin #2\n0 timer.end #2\n"
    if isAdded { main += "0 timer.add #2 mode=1 loop=1\n" }
    main += HandTrace.asleep + "150000 AfterWaiting.low m1 #1\n"
    if isAdded { main += fire(100_000, 150_000, 150_010) }
    main += pass(150_020)
    let analysis = try HandTrace(main: main).analysis()
    expectSumsToClose(analysis)
    let (row, ledger) = try tick(analysis)
    #expect(row.objects == 1 && row.manual == 1 && row.fired == (isAdded ? 1 : 0))
    #expect(row.modes == (isAdded ? ["mode 1"] : []))
    #expect(ledger.byMode.map(\.mode) == (isAdded ? ["mode 1"] : []))
  }

  // MARK: Lost events

  /// Fires at 100, 200 and 300 ms may be lost, so it is not known whether these points were skipped. The one at 400 ms is
  /// punctual.
  @Test func pointsInALossAreLeftOut() throws {
    let main =
      HandTrace.tick(due: 100_000) + HandTrace.asleep + "350000 lostEvents count=5\n"
      + "400000 AfterWaiting.low m1 #1\n" + fire(400_000, 400_000, 400_010) + pass(400_020)
    let analysis = try HandTrace(main: main).analysis()
    expectSumsToClose(analysis)
    let (row, ledger) = try tick(analysis)
    #expect(row.fired == 1 && ledger.due == 1 && ledger.skipped == 0)
  }

  // MARK: Modes

  @Test func aTimerInNoModeIsNotDue() throws {
    let main =
      HandTrace.tick(due: 100_000) + HandTrace.asleep + """
        50000 timer.remove #2 mode=1
        250000 AfterWaiting.low m1 #1
        250000 timer.add #2 mode=1 loop=1

        """ + fire(100_000, 250_000, 250_010) + pass(250_020) + "290000 AfterWaiting.low m1 #1\n"
    let analysis = try HandTrace(main: main).analysis()
    expectSumsToClose(analysis)
    let (row, ledger) = try tick(analysis)
    #expect(row.objects == 1 && row.fired == 1)
    #expect(ledger.due == 1 && ledger.latenessNs.max == 0)
  }

  @Test func leavingTheLastModeWithdrawsOverduePoints() throws {
    let main =
      HandTrace.tick(due: 100_000) + HandTrace.asleep + """
        90000 AfterWaiting.low m1 #1
        90000 block.begin m1 #7
        150000 timer.remove #2 mode=1
        600000 block.end m1 #7

        """ + pass(600_000)
    let ledger = try tick(HandTrace(main: main).analysis()).ledger
    #expect(ledger.due == 1 && ledger.withdrawn == 1 && ledger.skipped == 0)
  }

  /// A timer is one object of one class, whatever happens to its modes.
  @Test func changesOfModeDoNotMakeAnotherTimer() throws {
    var main = HandTrace.tick(due: 100_000) + HandTrace.asleep
    for change in 0..<10 {
      main += pass(1000 + change * 1000)
      main +=
        "\(1500 + change * 1000) timer.\(change % 2 == 0 ? "add #2 mode=2 loop=1" : "remove #2 mode=2")\n"
    }
    let (row, ledger) = try tick(HandTrace(main: main + pass(50_000)).analysis())
    #expect(row.objects == 1 && row.modes == ["mode 1"] && ledger.due == 0)
  }

  /// CFRunLoopAddCommonMode adds the items of the common modes to the new one.
  @Test func aModeThatBecomesCommonLaterDoesNotMakeAnotherRow() throws {
    let main =
      "0 loop.addCommonMode #1 mode=1\n" + HandTrace.tick(due: 100_000, modes: [3]) + HandTrace.asleep
      + pass(1000) + "2000 timer.add #2 mode=2 loop=1\n2000 loop.addCommonMode #1 mode=2\n" + pass(3000)
    let (row, _) = try tick(HandTrace(main: main).analysis())
    #expect(row.objects == 1 && row.isCommon && row.modes == ["mode 1", "mode 2"])
  }

  // MARK: The ends of timers

  @Test func aTimerThatEndsItselfKeepsItsCallout() throws {
    let main =
      HandTrace.tick(due: 100_000) + HandTrace.asleep + """
        100000 AfterWaiting.low m1 #1
        100000 timer.due m1 #2 due=100000
        100000 timer.begin m1 #2
        390000 timer.invalidate #2
        400000 timer.end m1 #2

        """ + pass(400_000)
    let analysis = try HandTrace(main: main).analysis()
    expectSumsToClose(analysis)
    let (row, ledger) = try tick(analysis)
    #expect(ledger.due == 1 && ledger.skipped == 0)
    #expect(row.longestCalloutNs == 300 * Self.ms)
    #expect(row.calloutNsByMode.map(\.ns) == [300 * Self.ms])
  }

  @Test(arguments: ["timer.invalidate #2", "timer.reschedule #2 due=900000"])
  func pointsBeforeTheFirstRunCount(end: String) throws {
    let main =
      HandTrace.tick(due: 10_000, interval: 10_000) + "205000 \(end)\n300000 Entry.low m1 #1\n"
      + "400000 Exit.low m1 #1\n"
    let analysis = try HandTrace(main: main).analysis()
    expectSumsToClose(analysis)
    let ledger = try tick(analysis).ledger
    #expect(ledger.due == 20 && ledger.withdrawn == 1 && ledger.skippedBy[.notRunning] == 19)
  }

  // MARK: Suspension, stamps, thresholds

  /// The thread ran for 100 of 1000 ms, ended its run, and was stopped later.
  @Test func aSuspensionAfterTheLastRunIsNotBusy() throws {
    let main = HandTrace.asleep + "900000 AfterWaiting.low m1 #1\n1000000 Exit.low m1 #1\n"
    let analysis = try HandTrace(
      main: main, worker: "1200000 source.signal #9\n",
      recorder: "1200000 process.stop signal=19\n9000000 process.continue\n"
    ).analysis()
    let row = try #require(analysis.utilisation.first)
    #expect(row.busyNs == 100_030_000 && row.waitingNs == 899_970_000)
    let busy = try #require(analysis.busy.first)
    #expect(busy.durationNs == 100 * Self.ms && busy.suspendedNs == 0 && busy.outsideNs == 0)
  }

  /// When another run follows, the time between them is part of the interval, less the suspended time.
  @Test func aSuspensionBetweenRunsIsSubtracted() throws {
    let main =
      HandTrace.asleep + "900000 AfterWaiting.low m1 #1\n1000000 Exit.low m1 #1\n"
      + "9100000 Entry.low m1 #1\n" + pass(9_200_000)
    let analysis = try HandTrace(
      main: main, recorder: "1200000 process.stop signal=19\n9000000 process.continue\n"
    ).analysis()
    let busy = try #require(analysis.busy.first)
    #expect(busy.startNs == 900 * Self.ms && busy.durationNs + busy.suspendedNs == 8300 * Self.ms)
    #expect(busy.outsideNs + busy.suspendedNs == 8100 * Self.ms)
    #expect(busy.suspendedNs >= 7800 * Self.ms)
    #expect(analysis.utilisation.first.map { $0.busyNs + $0.waitingNs + busy.suspendedNs } == 9200 * Self.ms)
  }

  @Test func equalStampsAreNotNegative() throws {
    func negative(_ signal: Int) throws -> UInt64? {
      let main =
        "0 source.create #3 name=4 version=0 order=0 site=5\n" + HandTrace.asleep
        + "1000 AfterWaiting.low m1 #1\n1000 source0.begin m1 #3\n1100 source0.end m1 #3\n" + pass(2000)
      let sources = try HandTrace(main: main, worker: "\(signal) source.signal #3").analysis().sources
      #expect(sources.first?.unsignalled == 0)
      return sources.first?.negative
    }
    #expect(try negative(1000) == 0)
    #expect(try negative(1001) == 1)
  }

  @Test func aHangBeginsAtItsThreshold() throws {
    let main = HandTrace.asleep + "1000 AfterWaiting.low m1 #1\n" + pass(251_000)
    let analysis = try HandTrace(main: main).analysis()
    #expect(analysis.busy.first?.busyClass == .microhang)
    #expect(analysis.inputDelay?.hangs == 1 && analysis.inputDelay?.hangNs == 250 * Self.ms)
  }

  /// The sixth of six values is the first that reaches nine tenths.
  @Test func percentilesAreNearestRank() throws {
    var main = HandTrace.asleep
    for (place, length) in [10, 20, 30, 40, 50, 60].enumerated() {
      let start = 1000 * (place + 1)
      main +=
        "\(start) AfterWaiting.low m1 #1\n\(start + length) block.begin m1 #7\n\(start + 100) block.end m1 #7\n"
      main += pass(start + 200)
    }
    let waits = try #require(try HandTrace(main: main).analysis().modes.first).wakeToCalloutNs
    #expect(waits.count == 6 && waits.p50 == 30_000 && waits.p90 == 60_000)
  }

  @Test func aGapAfterAnExitBelongsToTheOuterRun() throws {
    let main =
      HandTrace.asleep + """
        1000 AfterWaiting.low m1 #1
        1000 block.begin m1 #7
        2000 Entry.low m2 #1
        3000 Exit.low m2 #1
        403000 block.end m1 #7
        403000 Exit.low m1 #1
        903000 Entry.low m1 #1
        903000 Exit.low m1 #1
        """
    let gaps = try HandTrace(main: main).analysis().gaps
    #expect(gaps.map(\.mode) == ["mode 1", "(outside any run)"])
    #expect(gaps.map(\.isOutside) == [false, true])
  }

  // MARK: Slices

  private func slice(_ trace: HandTrace, from: UInt64?, to: UInt64? = nil) throws -> Analysis {
    var options = AnalysisOptions()
    options.from = from
    options.to = to
    let analysis = try trace.analysis(options)
    expectSumsToClose(analysis)
    return analysis
  }

  @Test func aSliceOfNothingButSuspensionHasARow() throws {
    let trace = HandTrace(
      main: HandTrace.asleep + "9100000 AfterWaiting.low m1 #1\n9100000 Exit.low m1 #1",
      recorder: "1000000 process.stop signal=19\n9000000 process.continue\n")
    let analysis = try slice(trace, from: 2_000_000, to: 3_000_000)
    let mode = try #require(analysis.modes.first)
    #expect(mode.timeNs == 0 && mode.suspendedNs == 1000 * Self.ms)
    #expect(analysis.loops.count == 1)
  }

  @Test func openCalloutsHaveARow() throws {
    let main =
      HandTrace.asleep + "1000 AfterWaiting.low m1 #1\n1000 block.begin m1 #7\n900000 block.end m1 #7\n"
    let row = try #require(try slice(HandTrace(main: main), from: 100_000, to: 500_000).callouts.first)
    #expect(row.count == 1 && row.open == 1 && row.timeNs == 400 * Self.ms && row.longestNs == 400 * Self.ms)
  }

  @Test func aRunUnderWayDidNotBeginInTheSpan() throws {
    let middle = try HandTrace(main: pass(1000) + "2000 AfterWaiting.low m1 #1\n3000 Exit.low m1 #1")
      .analysis()
    #expect(middle.loops.first?.runs == 0 && middle.modes.count == 1)
  }

  @Test func aPointBeforeTheSliceIsNotInIt() throws {
    let main =
      HandTrace.tick(due: 100_000) + HandTrace.asleep + "90000 AfterWaiting.low m1 #1\n"
      + "90000 block.begin m1 #7\n150000 block.end m1 #7\n" + fire(100_000, 160_000, 160_010) + pass(160_020)
      + "200000 AfterWaiting.low m1 #1\n" + fire(200_000, 200_000, 200_010) + pass(200_020)
    let (row, ledger) = try tick(slice(HandTrace(main: main), from: 120_000))
    #expect(row.fired == 1 && ledger.due == 1 && ledger.latenessNs.max == 0)
  }

  // MARK: Monitors

  @Test(
    arguments: Detector.all.map(\.name), ["detect-chain", "detect-nested", "detect-layout", "stall-in-timer"])
  func monitorsDoNotInfluenceEachOther(name: String, sample: String) throws {
    func reports(_ detectors: [Detector]) throws -> [String] {
      var options = AnalysisOptions()
      options.replay.detectors = detectors
      let analysis = try TraceAnalyzer(openTrace(SampleTraces.bytes(virtual: sample)), options: options)
        .analyze()
      return analysis.detectors.first { $0.name == name }.map { result in
        ["\(result.count)"]
          + result.reports.map { "\($0.startNs) \($0.durationNs) \($0.what) \($0.callout ?? "")" }
      } ?? []
    }
    let alone = try reports(Detector.all.filter { $0.name == name })
    #expect(!alone.isEmpty)
    #expect(try reports(Detector.all) == alone)
  }

  /// A mode that is not common runs for four seconds. The last activity that the monitor saw was the AfterWaiting
  /// before it.
  @Test func aMonitorOfTheCommonModesIsBlindToOthers() throws {
    let analysis = try TraceAnalyzer(openTrace(SampleTraces.bytes(virtual: "detect-nested"))).analyze()
    let monitor = try #require(analysis.detectors.first { $0.name == Detector.semaphore3s.name })
    #expect(monitor.count == 1)
    let report = try #require(monitor.reports.first)
    #expect(report.what == "AfterWaiting" && report.durationNs >= 4000 * Self.ms)
  }

  private func report(_ detector: Detector, _ trace: HandTrace) throws -> DetectorResult {
    var options = AnalysisOptions()
    options.replay.detectors = [detector]
    return try #require(trace.analysis(options).detectors.first)
  }

  /// One block takes half a second, too short for the monitor; later, many others take three seconds.
  @Test func aMonitorDoesNotBlameEarlierCallouts() throws {
    let many = stride(from: 2_000_000, to: 5_000_000, by: 300_000).map { time in
      "\(time) BeforeTimers.low m1 #1\n\(time) BeforeSources.low m1 #1\n\(time) block.begin m1 #8\n"
        + "\(time + 299_999) block.end m1 #8\n"
    }
    let main =
      HandTrace.asleep + "1000000 AfterWaiting.low m1 #1\n1000000 block.begin m1 #7\n"
      + "1500000 block.end m1 #7\n" + pass(1_500_000) + "2000000 AfterWaiting.low m1 #1\n"
      + many.joined() + pass(5_000_100)
    let found = try report(.matrix, HandTrace(main: main))
    #expect(found.count == 1 && found.reports.first?.callout == "block #8")
  }

  /// Ticks come at multiples of 0.4 s, not counting the time in which the process was stopped. In that time, the block
  /// runs from 0.8 s to 2.9 s, and the tick at 2.8 s is near its end.
  @Test func ticksCountRunningTime() throws {
    let main =
      HandTrace.asleep + "1000000 AfterWaiting.low m1 #1\n1000000 block.begin m1 #7\n"
      + "3100000 block.end m1 #7\n" + pass(3_100_000)
    let trace = HandTrace(
      main: main, recorder: "100000 process.stop signal=19\n300000 process.continue signal=18")
    #expect(try report(.sentryV2, trace).count == 1)
    #expect(try report(.sentryV2, HandTrace(main: main)).count == 0)
  }

  /// An interval may contain any number of ticks; the first and the last determine the report.
  @Test func ticksInAnIntervalOfAYear() throws {
    let year: UInt64 = 365 * 24 * 3600 * 1_000_000
    for length in [3_100_000, 10_000_000, year] {
      let end = 1_000_000 + length
      let trace = HandTrace(
        main: HandTrace.asleep + "1000000 AfterWaiting.low m1 #1\n1000000 block.begin m1 #7\n"
          + "\(end) block.end m1 #7\n" + pass(Int(end)) + pass(Int(end + year)))
      let found = try report(.sentryV2, trace)
      let only = try #require(found.reports.first)
      #expect(found.count == 1 && only.what == "fully blocking")
      // The report lasts from the first full window to the first tick at which little of the last 0.8 s was delayed.
      #expect(only.startNs >= 1_000_000_000 && only.startNs < 1_400_000_000)
      let reportEnd = only.startNs + only.durationNs
      #expect(reportEnd > end * 1000 && reportEnd <= (end + 1_200_000) * 1000, "\(reportEnd)")
    }
  }

  // MARK: Terms

  /// A thread of the recorder runs a loop although the recorder saw the process stop. This makes no sense, but no
  /// number may wrap.
  @Test func aStopSeenByAThreadThatRunsALoop() throws {
    let text = """
      rltrace-text 1
      header minor=1 unit=10ns codec=none capture=callouts clock=virtual high=yes
      threads
        0 os=0 main=no "recorder"
      events thread=0
        3000000111 process.stop
        3000000277 Entry.low
        4000000277 process.continue signal=9007199254740992
        4000000279 BeforeWaiting.high
      end
      """
    var options = AnalysisOptions()
    options.replay.detectors = Detector.all
    let analysis = try TraceAnalyzer(openTrace(assembleTrace(text)), options: options).analyze()
    expectSumsToClose(analysis)
    let span = analysis.trace.toNs
    #expect(analysis.modes.allSatisfy { $0.timeNs <= span })
    #expect(
      analysis.busy.allSatisfy { $0.durationNs <= span } && analysis.gaps.allSatisfy { $0.durationNs <= span }
    )
    #expect(analysis.utilisation.allSatisfy { $0.busyNs <= span })
  }
}
