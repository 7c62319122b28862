import TestSupport
import Testing
import TraceAnalysis

/// The modes of a timer class: those that the timer is given at once, even if it comes due in between. Times are
/// microseconds.
@Suite struct TimerModesTests {
  private static let create = "timer.create #2 name=2 interval_ns=1000000 tolerance_ns=0"

  private func fire(at time: Int, due: Int) -> String {
    """
    \(time) timer.due m1 #2 due=\(due)
    \(time) timer.begin m1 #2
    \(time + 10) timer.end m1 #2
    \(time + 20) BeforeTimers.low m1 #1
    \(time + 900) Exit.low m1 #1

    """
  }

  /// Foundation makes timers that are due at once, so points pass before the second addition.
  @Test func pointsThatPassBetweenTwoAdditions() throws {
    let main =
      "100 \(Self.create) due=500 site=3\n110 timer.add #2 mode=1 loop=1\n5700 timer.add #2 mode=2 loop=1\n"
      + "6000 Entry.low m1 #1\n6010 BeforeTimers.low m1 #1\n6020 BeforeSources.low m1 #1\n"
      + fire(at: 6030, due: 500)
    for earlier in ["", HandTrace.held(at: 0, for: 10, waits: false)] {
      let analysis = try HandTrace(main: earlier + main).analysis()
      expectSumsToClose(analysis)
      #expect(analysis.timers.map(\.modes) == [["mode 1", "mode 2"]])
      #expect(analysis.skipped(of: "tick") == [.notRunning: 5])
    }
  }

  /// The loop sleeps during both additions of another thread, and the timer is due at the first.
  @Test func twoAdditionsByAnotherThread() throws {
    let added =
      "100 \(Self.create) due=90 site=3\n101 timer.add #2 mode=1 loop=1\n106 timer.add #2 mode=2 loop=1\n"
    let main = HandTrace.asleep + "150 AfterWaiting.low m1 #1\n" + fire(at: 160, due: 90)
    let analysis = try HandTrace(main: main, worker: added).analysis()
    expectSumsToClose(analysis)
    #expect(analysis.timers.map(\.modes) == [["mode 1", "mode 2"]])
    #expect(analysis.timers.first?.fired == 1)
  }

  /// Another thread ends the timer before it is due, while the loop sleeps.
  @Test func twoAdditionsAndTheEndByAnotherThread() throws {
    let added =
      "100 \(Self.create) due=5000 site=3\n101 timer.add #2 mode=1 loop=1\n106 timer.add #2 mode=2 loop=1\n"
      + "200 timer.invalidate #2\n"
    let main = HandTrace.asleep + "1000 AfterWaiting.low m1 #1\n1010 Exit.low m1 #1\n"
    let analysis = try HandTrace(main: main, worker: added).analysis()
    expectSumsToClose(analysis)
    #expect(analysis.timers.map(\.modes) == [["mode 1", "mode 2"]])
    #expect(analysis.timers.first?.ledger?.due == 0)
  }

  /// The loop has run without the timer in between: the second mode is a later change.
  @Test func anAdditionAfterThePassOfAnotherMode() throws {
    let added =
      "100 \(Self.create) due=90 site=3\n101 timer.add #2 mode=2 loop=1\n1700 timer.add #2 mode=1 loop=1\n"
    let main =
      HandTrace.asleep
      + "150 AfterWaiting.low m1 #1\n160 BeforeTimers.low m1 #1\n170 BeforeSources.low m1 #1\n"
      + "180 BeforeWaiting.low m1 #1\n1800 AfterWaiting.low m1 #1\n" + fire(at: 1810, due: 90)
    let analysis = try HandTrace(main: main, worker: added).analysis()
    expectSumsToClose(analysis)
    #expect(analysis.timers.map(\.modes) == [["mode 2"]])
    #expect(analysis.skipped(of: "tick") == [.wrongMode: 1])
  }
}
