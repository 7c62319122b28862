import TestSupport
import Testing
import TraceAnalysis

/// Timers from one creation site with varying intervals.
@Suite struct VaryingTimerTests {
  /// Returns the analysis of `count` timers with intervals from 40.0 ms on, 0.1 ms apart. Each fires at its first due
  /// point.
  private func analysis(_ count: Int, names: [Int] = [2]) throws -> Analysis {
    var main = HandTrace.asleep
    for number in 0..<count {
      let (object, due) = (10 + number, 50_000 + number * 20)
      main +=
        "\(40 + number) timer.create m1 #\(object) name=\(names[number % names.count]) "
        + "interval_ns=\((40_000 + number * 100) * 1000) tolerance_ns=0 due=\(due) site=3\n"
        + "\(40 + number) timer.add m1 #\(object) mode=1 loop=1\n"
    }
    for number in 0..<count {
      let time = 50_000 + number * 20
      main +=
        "\(time + 1) AfterWaiting.low m1 #1\n\(time + 2) timer.due m1 #\(10 + number) due=\(time)\n"
        + "\(time + 2) timer.begin m1 #\(10 + number)\n\(time + 5) timer.end m1 #\(10 + number)\n"
        + "\(time + 6) BeforeTimers.low m1 #1\n\(time + 7) BeforeSources.low m1 #1\n\(time + 8) BeforeWaiting.low m1 #1\n"
    }
    let analysis = try HandTrace(main: main + "80000 AfterWaiting.low m1 #1\n80010 Exit.low m1 #1\n")
      .analysis()
    expectSumsToClose(analysis)
    #expect(findingFaults(analysis) == [])
    return analysis
  }

  @Test func manyIntervalsAreOneRow() throws {
    let analysis = try analysis(200)
    #expect(analysis.timers.count == 1)
    let timer = try #require(analysis.timers.first)
    #expect(timer.intervalNs == 40_000_000 && timer.longestIntervalNs == 59_900_000 && timer.isVarying)
    #expect(timer.objects == 200 && timer.fired == 200 && timer.life.live == 200)
    #expect(timer.classes.count == 200 && timer.id == timer.classes.first)
    let ledger = try #require(timer.ledger)
    #expect(ledger.latenessNs.count == 200 && ledger.latenessNs.sum == 400_000 && ledger.due == 200)
    #expect(ledger.byMode.map(\.mode) == ["mode 1"])
  }

  /// A helper function that makes all timers of a program is also one creation site.
  @Test func fewIntervalsHaveRowsOfTheirOwn() throws {
    let analysis = try analysis(8)
    #expect(analysis.timers.count == 8 && analysis.timers.allSatisfy { !$0.isVarying })
  }

  @Test func namesKeepTimersApart() throws {
    let analysis = try analysis(40, names: [2, 4])
    #expect(analysis.timers.map(\.name).sorted() == ["parse", "tick"])
    #expect(analysis.timers.allSatisfy { $0.isVarying && $0.objects == 20 })
  }
}
