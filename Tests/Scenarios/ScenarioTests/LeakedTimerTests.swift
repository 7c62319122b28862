import TestSupport
import Testing
import TraceAnalysis

/// Timers that accumulate (RL034), and timers that do not.
@Suite struct LeakedTimerTests {
  private func create(_ object: Int, _ time: Int, interval: Int = 50_000) -> String {
    "\(time) timer.create m1 #\(object) name=2 interval_ns=\(interval * 1000) tolerance_ns=0 due=\(time + 9_000_000) site=3\n"
      + "\(time) timer.add m1 #\(object) mode=1 loop=1\n"
  }

  private func analysis(_ body: String) throws -> Analysis {
    let analysis = try HandTrace(
      main: HandTrace.asleep + body + "4000000 AfterWaiting.low m1 #1\n4000010 Exit.low m1 #1\n"
    )
    .analysis()
    #expect(findingFaults(analysis) == [])
    return analysis
  }

  @Test func timersThatAccumulate() throws {
    let found = try analysis((0..<240).map { create(10 + $0, 100 + $0 * 16_667) }.joined())
    let timer = try #require(found.timers.first)
    #expect(
      timer.life.live == 240 && timer.life.ended == 0 && timer.life.atTenths == (0...10).map { $0 * 24 })
    let leak = try #require(found.findings.first { $0.rule == .leakedItems })
    #expect(
      leak.severity == .error
        && leak.text.hasPrefix("240 timers like \"tick\" (every 50.0 ms) exist at the end"))
  }

  @Test func aHundredAreAWarning() throws {
    let found = try analysis((0..<100).map { create(10 + $0, 100 + $0 * 40_000) }.joined())
    #expect(found.findings.first { $0.rule == .leakedItems }?.severity == .warning)
  }

  /// Each lost event may be the end of a timer.
  @Test(arguments: [(10, true), (80, false)]) func lostEvents(count: Int, isFound: Bool) throws {
    let body = (0..<100).map { create(10 + $0, 100 + $0 * 39_000) }.joined()
    let found = try analysis(body + "3999000 lostEvents m1 count=\(count)\n")
    #expect(found.findings.contains { $0.rule == .leakedItems } == isFound)
  }

  private func source(_ object: Int, _ time: Int, name: Int = 4) -> String {
    "\(time) source.create m1 #\(object) name=\(name) version=0 order=0 site=5\n"
      + "\(time) source.add m1 #\(object) mode=1 loop=1\n"
  }

  @Test func sourcesThatAccumulate() throws {
    let found = try analysis((0..<80).map { source(10 + $0, 100 + $0 * 50_000) }.joined())
    let leak = try #require(found.findings.first { $0.rule == .leakedItems })
    #expect(leak.severity == .warning && leak.thread == 0 && leak.timer == nil)
    #expect(leak.text.hasPrefix("80 sources like \"parse\" exist at the end. "), "\(leak.text)")
    #expect(leak.remedy.hasPrefix("Invalidate each source"))
  }

  /// A source ends when it is invalidated or removed from its last mode.
  @Test(arguments: ["source.invalidate m1 #", "source.remove m1 #"])
  func sourcesThatEndAreNotLeaks(end: String) throws {
    let found = try analysis(
      (0..<80).map { number in
        source(10 + number, 100 + number * 50_000)
          + (number < 20
            ? ""
            : "\(110 + number * 50_000) \(end)\(number - 10)\(end.contains("remove") ? " mode=1" : "")\n")
      }.joined())
    #expect(found.sourceLives.map(\.life.live) == [20] && found.sourceLives.map(\.life.ended) == [60])
    #expect(!found.findings.contains { $0.rule == .leakedItems })
  }

  /// A source in two modes counts once. Sources from before the window exist at its start.
  @Test func sourcesFromBeforeTheWindow() throws {
    var options = AnalysisOptions()
    options.from = 2_000_000
    let body = (0..<80).map {
      source(10 + $0, 100 + $0 * 50_000) + "\(101 + $0 * 50_000) source.add m1 #\(10 + $0) mode=2 loop=1\n"
    }.joined()
    let found = try HandTrace(
      main: HandTrace.asleep + body + "4000000 AfterWaiting.low m1 #1\n4000010 Exit.low m1 #1\n"
    ).analysis(options)
    #expect(found.sourceLives.map(\.life.atTenths) == [(0...10).map { 40 + $0 * 4 }])
  }

  /// The timers have different intervals, but the same creation site.
  @Test func differentIntervalsDoNotHideALeak() throws {
    let found = try analysis(
      (0..<200).map { create(10 + $0, 100 + $0 * 20_000, interval: 40_000 + $0 * 100) }.joined())
    #expect(found.findings.count { $0.rule == .leakedItems } == 1)
    let leak = try #require(found.findings.first { $0.rule == .leakedItems })
    #expect(leak.text.hasPrefix("200 timers like \"tick\" (every 40.0 ms to 59.9 ms) exist"), "\(leak.text)")
  }

  @Test func timersThatEndAreNotLeaks() throws {
    let found = try analysis(
      (0..<200).map {
        create(10 + $0, 100 + $0 * 20_000)
          + ($0 < 20 ? "" : "\(110 + $0 * 20_000) timer.invalidate m1 #\($0 - 10)\n")
      }.joined())
    #expect(found.timers.first?.life.live == 20 && found.timers.first?.life.ended == 180)
    #expect(!found.findings.contains { $0.rule == .leakedItems })
  }

  @Test func timersThatLeaveTheirLoopAreNotLeaks() throws {
    let found = try analysis(
      (0..<200).map {
        create(10 + $0, 100 + $0 * 20_000)
          + ($0 < 20 ? "" : "\(110 + $0 * 20_000) timer.remove m1 #\($0 - 10) mode=1\n")
      }.joined())
    #expect(found.timers.reduce(0) { $0 + $1.life.live } == 20)
    #expect(!found.findings.contains { $0.rule == .leakedItems })
  }

  /// Many timers from the start, a few more later, and one-shots that wait for their time.
  @Test func manyTimersAreNotALeak() throws {
    let start = try analysis((0..<300).map { create(10 + $0, 100 + $0) }.joined())
    #expect(!start.findings.contains { $0.rule == .leakedItems })
    let half = try analysis((0..<200).map { create(10 + $0, 100 + $0 * 9_000) }.joined())
    #expect(!half.findings.contains { $0.rule == .leakedItems })
    let once = try analysis((0..<200).map { create(10 + $0, 100 + $0 * 20_000, interval: 0) }.joined())
    #expect(!once.findings.contains { $0.rule == .leakedItems })
  }

  /// Timers from before the window exist at its start.
  @Test func aWindowHasTheTimersFromBefore() throws {
    var options = AnalysisOptions()
    options.from = 2_000_000
    let body = (0..<200).map { create(10 + $0, 100 + $0 * 20_000) }.joined()
    let found = try HandTrace(
      main: HandTrace.asleep + body + "4000000 AfterWaiting.low m1 #1\n4000010 Exit.low m1 #1\n"
    ).analysis(options)
    #expect(found.timers.first?.life.atTenths == (0...10).map { 100 + $0 * 10 })
    #expect(found.findings.contains { $0.rule == .leakedItems })
  }

  /// A function that the compiler copies has two creation sites: the timers of one replace those of the other.
  @Test func replacedTimersAreNotLeaks() throws {
    let first = (0..<200).map { create(10 + $0, 100 + $0) }.joined()
    let found = try analysis(
      first
        + (0..<200).map {
          "\(19_000 + $0 * 20_000) timer.invalidate m1 #\(10 + $0)\n"
            + create(1000 + $0, 19_000 + $0 * 20_000).replacing("site=3", with: "site=5")
        }.joined())
    #expect(Set(found.timers.map(\.site)).count == 2)
    #expect(!found.findings.contains { $0.rule == .leakedItems })
  }
}
