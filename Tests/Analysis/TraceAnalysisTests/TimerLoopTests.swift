import TestSupport
import Testing
import TraceAnalysis

/// A timer belongs to one loop at a time. CoreFoundation ignores an addition to another loop while the timer is in a
/// mode. Times are microseconds.
@Suite struct TimerLoopTests {
  /// The worker's loop #9 runs mode 1 from 100 ms on and wakes at 250 ms.
  private static let worker = """
    100000 Entry.low m1 #9
    100010 BeforeTimers.low m1 #9
    100020 BeforeSources.low m1 #9
    100030 BeforeWaiting.low m1 #9
    250000 AfterWaiting.low m1 #9

    """
  private static let fire = """
    250010 timer.due m1 #2 due=250000
    250010 timer.begin m1 #2
    250020 timer.end m1 #2

    """
  private static let end = "250030 BeforeTimers.low m1 #9\n300000 Exit.low m1 #9\n"

  @Test func aTimerThatLeftItsLoopJoinsAnother() throws {
    let main =
      HandTrace.tick(due: 250_000) + HandTrace.asleep + "50000 timer.remove #2 mode=1\n"
      + "60000 timer.add #2 mode=1 loop=9\n300000 AfterWaiting.low m1 #1\n"
    let analysis = try HandTrace(main: main, worker: Self.worker + Self.fire + Self.end).analysis()
    expectSumsToClose(analysis)
    let row = try #require(analysis.timers.first { $0.thread == 1 })
    let ledger = try #require(row.ledger)
    #expect(row.fired == 1 && ledger.due == 1 && ledger.withdrawn == 0)
    #expect(ledger.ledgerNs.filter { $0.value > 0 } == [.scheduler: 10_000])
    #expect(analysis.timers.filter { $0.thread == 0 }.allSatisfy { $0.ledger?.due == 0 })
  }

  /// The same holds when a thread other than the loop's removes the timer.
  @Test func anotherThreadMovesItToItsLoop() throws {
    let main = HandTrace.tick(due: 250_000) + HandTrace.asleep + "300000 AfterWaiting.low m1 #1\n"
    let moved = "50000 timer.remove #2 mode=1\n60000 timer.add #2 mode=1 loop=9\n"
    let analysis = try HandTrace(main: main, worker: moved + Self.worker + Self.fire + Self.end).analysis()
    expectSumsToClose(analysis)
    let row = try #require(analysis.timers.first { $0.thread == 1 })
    #expect(row.fired == 1 && row.ledger?.due == 1)
    #expect(analysis.timers.filter { $0.thread == 0 }.allSatisfy { $0.ledger?.due == 0 })
  }

  @Test func anAdditionToAnotherLoopIsIgnored() throws {
    let main =
      HandTrace.tick(due: 150_000) + HandTrace.asleep + "60000 timer.add #2 mode=2 loop=9\n"
      + "70000 AfterWaiting.low m1 #1\n70010 Exit.low m1 #1\n"
      + "80000 Entry.low m2 #1\n80010 BeforeTimers.low m2 #1\n80020 BeforeSources.low m2 #1\n"
      + "80030 BeforeWaiting.low m2 #1\n200000 AfterWaiting.low m2 #1\n200010 Exit.low m2 #1\n"
    let analysis = try HandTrace(main: main).analysis()
    let row = try #require(analysis.timers.first)
    #expect(analysis.timers.count == 1 && row.modes == ["mode 1"])
    // The timer is not in mode 2 of its own loop.
    #expect(row.ledger?.pending == 1 && row.ledger?.byMode.map(\.mode) == ["mode 2"])
  }

  // MARK: Moved before the recorder reads the date

  /// The loop is about to serve the point at 100 ms. Before the callout begins, another thread moves the timer to 103
  /// ms, and the recorder reads that date. After the callout, the loop honours 103 ms and fires again.
  @Test func twoFiresOfOnePoint() throws {
    let main =
      HandTrace.tick(due: 100_000) + HandTrace.asleep + """
        100000 AfterWaiting.low m1 #1
        105000 timer.due m1 #2 due=103000
        105000 timer.begin m1 #2
        107000 timer.end m1 #2
        107010 source0.begin m1 #5
        108010 source0.end m1 #5
        109000 timer.due m1 #2 due=103000
        109000 timer.begin m1 #2
        109500 timer.end m1 #2
        110000 BeforeTimers.low m1 #1
        150000 Exit.low m1 #1

        """
    let analysis = try HandTrace(main: main, worker: "100500 timer.reschedule #2 due=103000\n").analysis()
    expectSumsToClose(analysis)
    let row = try #require(analysis.timers.first)
    let ledger = try #require(row.ledger)
    #expect(row.fired == 2 && ledger.withdrawn == 1 && ledger.skipped == 0)
    // 2 ms, then 6 ms: 2 of these in its own callout, 1 in the source's callout, 3 without a callout.
    #expect(ledger.latenessNs.sum == 8_000_000)
    #expect(ledger.ledgerNs[.ownCallout] == 2_000_000 && ledger.ledgerNs[.busy] == 1_000_000)
    #expect(ledger.ledgerNs[.unknown] == 0)
    #expect(ledger.blockers.map(\.latenessNs) == [1_000_000])
    #expect(!ledger.blockers.contains { $0.kind == "timer" })
  }
}
