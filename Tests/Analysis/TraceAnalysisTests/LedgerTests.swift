import TestSupport
import Testing
import TraceAnalysis
import TraceReplay

/// The rarer causes of lateness, each in a small trace whose numbers are counted by hand. Times are microseconds.
@Suite struct LedgerTests {
  private static let ms: UInt64 = 1_000_000

  private func analyze(_ main: String, worker: String = "", recorder: String = "") throws -> Analysis {
    let analysis = try HandTrace(main: main, worker: worker, recorder: recorder).analysis()
    expectSumsToClose(analysis)
    return analysis
  }

  private func fire(_ time: Int, due: Int, mode: Int = 1) -> String {
    "\(time) timer.due m\(mode) #2 due=\(due)\n\(time) timer.begin m\(mode) #2\n\(time + 10) timer.end m\(mode) #2\n"
  }

  /// Returns the events of a loop that sleeps in mode 1 until `wake` and then fires the timer.
  private func wakeAndFire(_ wake: Int, due: Int, before: String = "") -> String {
    HandTrace.asleep + before + "\(wake) AfterWaiting.low m1 #1\n" + fire(wake + 100, due: due)
      + "\(wake + 1000) Exit.low m1 #1\n"
  }

  // MARK: Tolerance

  @Test func idleTimeWithinTheToleranceIsTolerated() throws {
    let timer = HandTrace.tick(due: 100_000, interval: 1_000_000, tolerance: 50_000)
    let analysis = try analyze(timer + wakeAndFire(180_000, due: 100_000))
    #expect(analysis.lateness(of: "tick") == [.tolerance: 50_000, .scheduler: 30_100])
    #expect(analysis.timers.first?.toleranceNs == 50 * Self.ms)
  }

  @Test func noDelayBeyondAnUnusedTolerance() throws {
    let timer = HandTrace.tick(due: 100_000, interval: 0, tolerance: 100_000)
    let analysis = try analyze(timer + wakeAndFire(180_000, due: 100_000))
    #expect(analysis.lateness(of: "tick") == [.tolerance: 80_100])
  }

  /// Busy, wrong mode and suspension take precedence over tolerance, which keeps running meanwhile.
  @Test func blockersAreNotTolerated() throws {
    let main =
      HandTrace.tick(due: 100_000, interval: 1_000_000, tolerance: 60_000) + HandTrace.asleep + """
        110000 AfterWaiting.low m1 #1
        110000 block.begin m1 #3
        130000 block.end m1 #3
        130000 BeforeTimers.low m1 #1
        130000 BeforeWaiting.low m1 #1
        180000 AfterWaiting.low m1 #1

        """ + fire(180_100, due: 100_000) + "181000 Exit.low m1 #1\n"
    let stop = "140000 process.stop signal=19\n150000 process.continue signal=18"
    let analysis = try analyze(main, recorder: stop)
    #expect(
      analysis.lateness(of: "tick")
        == [.busy: 20_000, .suspended: 10_000, .tolerance: 30_000, .scheduler: 20_100])
  }

  // MARK: The clock of the loop

  /// The loop reads its clock after the stamp of the callout's end, and points of 1 ms have passed meanwhile. The point
  /// that fires comes due at that moment, so it has not been counted as skipped.
  @Test(arguments: [1, 2, 5]) func theClockOfTheLoopPassesPoints(skipped: Int) throws {
    let next = 101_000 + skipped * 1000
    let main =
      HandTrace.tick(due: 100_000, interval: 1000) + HandTrace.asleep + "100000 AfterWaiting.low m1 #1\n"
      + fire(100_000, due: 100_000) + fire(next, due: next) + "\(next + 20) Exit.low m1 #1\n"
    let analysis = try analyze(main)
    #expect(analysis.timers.first?.fired == 2)
    #expect(analysis.skipped(of: "tick") == [.scheduler: UInt64(skipped)])
  }

  // MARK: Losses

  @Test func theTimeFromALossToTheNextActivityIsUnknown() throws {
    let main =
      HandTrace.tick(due: 60_000, interval: 20_000) + HandTrace.asleep + """
        70000 AfterWaiting.low m1 #1
        150000 lostEvents m1 count=5
        200000 BeforeTimers.low m1 #1

        """ + fire(200_010, due: 60_000) + "300000 Exit.low m1 #1\n"
    let analysis = try analyze(main)
    // 80 to 180 lie between the last event before the loss and the activity at 200; 200 lies before the end of the
    // fire. The fire answers 60, so these points were skipped. 220 is pending at the end.
    #expect(analysis.lateness(of: "tick") == [.unknown: 130_000, .scheduler: 10_010])
    #expect(analysis.skipped(of: "tick") == [.unknown: 6, .scheduler: 4])
    #expect(analysis.timers.first?.ledger?.pending == 1)
    #expect(analysis.gaps.isEmpty)
    #expect(analysis.trace.lostEvents == 5)
  }

  // MARK: Membership

  private static let inMode1 = HandTrace.asleep

  @Test func addedByAnotherThreadWhileOverdue() throws {
    let worker = "1 mark name=9\n150000 timer.add #2 mode=1 loop=1\n"
    let timer = HandTrace.tick(due: 100_000, modes: [2], interval: 1_000_000)
    let analysis = try analyze(timer + wakeAndFire(180_000, due: 100_000), worker: worker)
    #expect(analysis.lateness(of: "tick") == [.wrongMode: 50_000, .scheduler: 30_100])
    // The row keeps the modes that the timer had when it was created.
    #expect(analysis.timers.map(\.modes) == [["mode 2"]])
  }

  @Test func addedByAnotherThreadInTheMiddleOfACallout() throws {
    let worker = "1 mark name=9\n150000 timer.add #2 mode=1 loop=1\n"
    let main =
      HandTrace.tick(due: 100_000, modes: [2], interval: 1_000_000) + HandTrace.asleep + """
        90000 AfterWaiting.low m1 #1
        90000 source.create m1 #3 name=4 version=0 order=0 site=5
        95000 source0.begin m1 #3
        170000 source0.end m1 #3

        """ + fire(180_000, due: 100_000) + "190000 Exit.low m1 #1\n"
    let analysis = try analyze(main, worker: worker)
    #expect(analysis.lateness(of: "tick") == [.wrongMode: 50_000, .busy: 20_000, .scheduler: 10_000])
  }

  /// A later change of the timer's date does not undo the addition.
  @Test func addedAndThenMovedByAnotherThread() throws {
    let worker = "1 mark name=9\n50000 timer.add #2 mode=1 loop=1\n60000 timer.reschedule #2 due=120000\n"
    let timer = HandTrace.tick(due: 100_000, modes: [2], interval: 1_000_000)
    let analysis = try analyze(timer + wakeAndFire(180_000, due: 120_000), worker: worker)
    #expect(analysis.lateness(of: "tick") == [.scheduler: 60_100])
    #expect(analysis.timers.map(\.modes) == [["mode 2"]])
  }

  /// A point is withdrawn when another thread moves or invalidates the timer after the point came due.
  @Test(arguments: ["timer.reschedule #2 due=5000000", "timer.invalidate #2"])
  func withdrawnByAnotherThread(event: String) throws {
    let worker = "1 mark name=9\n150000 \(event)\n"
    let main =
      HandTrace.tick(due: 100_000, modes: [2], interval: 20_000) + HandTrace.asleep + """
        400000 AfterWaiting.low m1 #1
        400010 Exit.low m1 #1
        """
    let analysis = try analyze(main, worker: worker)
    let timer = try #require(analysis.timers.first)
    #expect(timer.ledger?.withdrawn == 1)
    #expect(timer.ledger?.pending == 0)
    #expect(analysis.skipped(of: "tick") == [.wrongMode: 2])
  }

  /// A timer in no mode is not due, even if another thread moves it to an earlier date while the loop sleeps.
  @Test func removedAndThenMovedByAnotherThread() throws {
    let worker = "1 mark name=9\n50000 timer.remove #2 mode=1\n60000 timer.reschedule #2 due=40000\n"
    let main =
      HandTrace.tick(due: 100_000) + HandTrace.asleep
      + "400000 AfterWaiting.low m1 #1\n400010 Exit.low m1 #1\n"
    let ledger = try #require(try analyze(main, worker: worker).timers.first?.ledger)
    #expect(ledger.due == 0 && ledger.withdrawn == 0 && ledger.skipped == 0)
  }

  /// Another thread changes the state at exactly the time of a due point: the earlier state counts for the point.
  @Test(arguments: [("0 Entry.low m1 #1\n", Cause.wrongMode), ("", .notRunning)])
  func changedAtTheMomentOfAPoint(begin: String, cause: Cause) throws {
    let main =
      HandTrace.tick(due: 100_000, modes: [2], interval: 20_000) + begin + """
        190000 Entry.low m1 #1
        190010 Exit.low m1 #1
        """
    let analysis = try analyze(main, worker: "1 mark name=9\n140000 timer.add #2 mode=4 loop=1\n")
    #expect(analysis.skipped(of: "tick") == [cause: 4])
    #expect(analysis.timers.map { $0.ledger?.skipped } == [4])
  }

  private static let commonTick =
    HandTrace.tick(due: 100_000, modes: [3], interval: 1_000_000) + "0 loop.addCommonMode #1 mode=1\n"

  @Test func aModeBecomesCommonWhileOverdue() throws {
    let main =
      Self.commonTick + """
        0 Entry.low m2 #1
        10 BeforeTimers.low m2 #1
        30 BeforeWaiting.low m2 #1
        140000 AfterWaiting.low m2 #1
        140000 block.begin m2 #3
        150000 loop.addCommonMode m2 #1 mode=2
        170000 block.end m2 #3

        """ + fire(180_000, due: 100_000, mode: 2) + "190000 Exit.low m2 #1\n"
    let analysis = try analyze(main)
    #expect(analysis.lateness(of: "tick") == [.wrongMode: 50_000, .busy: 20_000, .scheduler: 10_000])
    #expect(analysis.timers.first?.modes == ["mode 1", "mode 2"])
    #expect(analysis.timers.first?.isCommon == true)
  }

  @Test func aModeBecomesCommonByAnotherThread() throws {
    let main =
      Self.commonTick + """
        0 Entry.low m2 #1
        10 BeforeTimers.low m2 #1
        30 BeforeWaiting.low m2 #1
        170000 AfterWaiting.low m2 #1

        """ + fire(180_000, due: 100_000, mode: 2) + "190000 Exit.low m2 #1\n"
    let analysis = try analyze(main, worker: "1 mark name=9\n150000 loop.addCommonMode #1 mode=2\n")
    #expect(analysis.lateness(of: "tick") == [.wrongMode: 50_000, .scheduler: 30_000])
  }

  /// CFRunLoop removes a timer from all common modes, however the timer was added to them.
  @Test func leavingTheCommonModesLeavesTheDefaultMode() throws {
    let main =
      HandTrace.tick(due: 100_000, modes: [1, 3, 4], interval: 1_000_000) + "0 loop.addCommonMode #1 mode=1\n"
      + HandTrace.asleep + """
        50000 AfterWaiting.low m1 #1
        50010 timer.remove m1 #2 mode=3
        50020 Exit.low m1 #1
        50030 Entry.low m1 #1
        50040 BeforeTimers.low m1 #1
        50050 BeforeWaiting.low m1 #1
        150000 AfterWaiting.low m1 #1
        150010 Exit.low m1 #1
        150010 Entry.low m4 #1

        """ + fire(160_010, due: 100_000, mode: 4) + "190000 Exit.low m4 #1\n"
    let analysis = try analyze(main)
    #expect(analysis.lateness(of: "tick") == [.wrongMode: 50_010, .scheduler: 10_000])
    #expect(analysis.timers.map(\.modes) == [["mode 1", "mode 4"]])
  }

  /// A timer that leaves one of the common modes by name stays in the others.
  @Test func leavingOneCommonMode() throws {
    let main =
      HandTrace.tick(due: 100_000, modes: [3], interval: 1_000_000) + """
        0 loop.addCommonMode #1 mode=1
        0 loop.addCommonMode #1 mode=2
        0 timer.remove #2 mode=1

        """ + wakeAndFire(180_000, due: 100_000).replacing("m1", with: "m2")
    let analysis = try analyze(main)
    #expect(analysis.lateness(of: "tick") == [.scheduler: 80_100])
    #expect(analysis.timers.last?.modes == ["mode 2"])
  }

  // MARK: Nested runs and other threads' loops

  @Test func movedByItsOwnCalloutToAPointThatPasses() throws {
    let main =
      HandTrace.tick(due: 90_000, interval: 1_000_000) + HandTrace.asleep + """
        90000 AfterWaiting.low m1 #1
        100000 timer.due m1 #2 due=90000
        100000 timer.begin m1 #2
        110000 timer.reschedule m1 #2 due=150000
        200000 timer.end m1 #2

        """ + fire(210_000, due: 150_000) + "220000 Exit.low m1 #1\n"
    let analysis = try analyze(main)
    #expect(analysis.lateness(of: "tick") == [.scheduler: 20_000, .ownCallout: 50_000])
    let ledger = try #require(analysis.timers.first?.ledger)
    #expect(ledger.due == 2)
    #expect(analysis.timers.first?.fired == 2)
    #expect(ledger.latenessNs.max == 60 * Self.ms)
  }

  @Test func pointsInARunThatItsOwnCalloutStarted() throws {
    let main =
      HandTrace.tick(due: 90_000) + HandTrace.asleep + """
        90000 AfterWaiting.low m1 #1
        90000 timer.due m1 #2 due=90000
        90000 timer.begin m1 #2
        90010 Entry.low m1 #1
        90020 BeforeTimers.low m1 #1
        90030 BeforeWaiting.low m1 #1
        310000 AfterWaiting.low m1 #1
        310010 Exit.low m1 #1
        310020 timer.end m1 #2
        310030 BeforeTimers.low m1 #1
        310040 BeforeWaiting.low m1 #1
        390000 AfterWaiting.low m1 #1

        """ + fire(390_000, due: 390_000) + "390100 Exit.low m1 #1\n"
    let analysis = try analyze(main)
    #expect(analysis.skipped(of: "tick") == [.ownCallout: 2])
    #expect(analysis.lateness(of: "tick") == [:])
    #expect(analysis.timers.first?.fired == 2)
  }

  @Test(arguments: [false, true])
  func dueBeforeTheLoopsFirstRun(isStopped: Bool) throws {
    let main =
      HandTrace.tick(due: 100_000, interval: 60_000) + """
        300000 Entry.low m1 #1
        300010 BeforeTimers.low m1 #1

        """ + fire(300_100, due: 100_000) + "300200 Exit.low m1 #1\n"
    let stop = "150000 process.stop signal=19\n250000 process.continue signal=18"
    let analysis = try analyze(main, recorder: isStopped ? stop : "")
    if isStopped {
      #expect(analysis.lateness(of: "tick") == [.notRunning: 100_000, .suspended: 100_000, .scheduler: 100])
      #expect(analysis.skipped(of: "tick") == [.suspended: 2, .notRunning: 1])
    } else {
      #expect(analysis.lateness(of: "tick") == [.notRunning: 200_000, .scheduler: 100])
      #expect(analysis.skipped(of: "tick") == [.notRunning: 3])
    }
  }

  /// The clock of a thread distinguishes 14 modes. Time in other modes is unknown, not wrong.
  @Test func moreModesThanColumns() throws {
    let modes = (1...20).filter { $0 != 3 }
    var main =
      HandTrace.tick(due: 5_000, modes: [1, 20], interval: 10_000)
      + "0 timer.create #4 name=8 interval_ns=0 tolerance_ns=0 due=50000 site=5\n"
      + (1...20).map { "0 timer.add #4 mode=\($0) loop=1\n" }.joined()
    var time = 0
    for mode in modes {
      main += "\(time) Entry.low m\(mode) #1\n\(time) BeforeTimers.low m\(mode) #1\n"
      main += "\(time) BeforeWaiting.low m\(mode) #1\n"
      time += 10_000
      main += "\(time) AfterWaiting.low m\(mode) #1\n"
      if mode == 20 {
        main += fire(time, due: 5_000, mode: mode)
        main += "\(time + 10) timer.due m20 #4 due=50000\n\(time + 10) timer.begin m20 #4\n"
        main += "\(time + 10) timer.end m20 #4\n"
      }
      if mode == 20 { time += 10 }
      main += "\(time) Exit.low m\(mode) #1\n"
    }
    let analysis = try analyze(main)
    #expect(analysis.modes.count == modes.count)
    // Modes 1, 2 and 4 to 15 have columns (140 ms); the other five have none.
    #expect(
      analysis.lateness(of: "tick") == [.scheduler: 5_000, .wrongMode: 130_000, .unknown: 50_000])
    #expect(analysis.lateness(of: "save") == [.scheduler: 90_000, .unknown: 50_010])
    let ledger = try #require(analysis.timers.first?.ledger)
    #expect(ledger.overdueByModeNs.count == 15)
    #expect(ledger.due == 19)
  }

  // MARK: Blockers

  @Test func blockersAreNamed() throws {
    let main =
      HandTrace.tick(due: 100_000, interval: 30_000) + HandTrace.asleep + """
        90000 AfterWaiting.low m1 #1
        90000 source.create m1 #3 name=4 version=0 order=0 site=5
        90000 block.create m1 #5 name=6 loop=1
        95000 source0.begin m1 #3
        140000 source0.end m1 #3
        150000 block.begin m1 #5
        200000 block.end m1 #5

        """ + fire(210_000, due: 100_000) + "211000 Exit.low m1 #1\n"
    let analysis = try analyze(main)
    #expect(analysis.lateness(of: "tick") == [.busy: 90_000, .scheduler: 20_000])
    // 130 is skipped during the source0, 160 and 190 during the block.
    #expect(analysis.skipped(of: "tick") == [.busy: 3])
    let blockers = try #require(analysis.timers.first?.ledger?.blockers)
    #expect(
      blockers.map { "\($0.kind) \($0.name) \($0.latenessNs / 1000) \($0.points)" }
        == ["block draw 50000 2", "source0 parse 40000 1"])
  }

  /// The program's observers of an activity are named after the activity.
  @Test func observersAreBlockers() throws {
    let main =
      HandTrace.tick(due: 100_000, interval: 30_000) + """
        0 Entry.low m1 #1
        0 Entry.high m1 #1
        10 BeforeTimers.low m1 #1
        90000 BeforeTimers.high m1 #1
        90000 BeforeWaiting.low m1 #1
        150000 BeforeWaiting.high m1 #1
        160000 AfterWaiting.low m1 #1
        161000 AfterWaiting.high m1 #1

        """ + fire(162_000, due: 100_000) + "163000 Exit.low m1 #1\n163000 Exit.high m1 #1\n"
    let analysis = try HandTrace(main: main, hasHigh: true).analysis()
    expectSumsToClose(analysis)
    #expect(analysis.lateness(of: "tick") == [.busy: 51_000, .scheduler: 11_000])
    let blockers = try #require(analysis.timers.first?.ledger?.blockers)
    #expect(
      blockers.map { "\($0.kind) \($0.name) \($0.latenessNs / 1000) \($0.points)" }
        == ["observers BeforeWaiting 50000 1", "observers AfterWaiting 1000 1"])
  }
}
