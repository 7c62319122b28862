import TestSupport
import Testing
import TraceAnalysis
import TraceReplay
import TraceFormat

/// Named states of the program, and results by their values. Times of the traces are microseconds; string 7 is "read",
/// 6 is "draw", 4 is "parse".
@Suite struct StateTests {
  private func states(_ analysis: Analysis) -> [String] {
    analysis.states.map { "\($0.state) \($0.value ?? "-") \($0.count) \($0.timeNs / 1000)" }
  }

  private static let changes = HandTrace(
    main: """
      0 state name=7 value=6
      100 state name=7 value=6
      300 state name=7 value=4
      350 state name=8 value=9
      900 mark name=9
      """, worker: "600 state name=7 value=0\n700 state name=7 value=6")

  /// A state ends, gets a value again, and is set to the value that it has, on any thread.
  @Test func valuesLastUntilTheyChange() throws {
    #expect(states(try Self.changes.analysis()) == ["read draw 2 500", "read parse 1 300", "save x 1 550"])
  }

  /// A state that has a value when the window begins counts from there.
  @Test func windows() throws {
    var options = AnalysisOptions()
    (options.from, options.to) = (400, 800)
    #expect(
      states(try Self.changes.analysis(options)) == ["read parse 1 200", "read draw 1 100", "save x 1 400"])
    (options.from, options.to) = (620, 680)
    #expect(states(try Self.changes.analysis(options)) == ["save x 1 60"])
  }

  /// A callout of 300 ms sets the state after it began, and another thread sets it while the callout runs. Points of
  /// the timer come due at each 100 ms.
  private static let split = HandTrace(
    main: HandTrace.tick(due: 100_000) + HandTrace.asleep + """
      100000 AfterWaiting.low m1 #1
      100000 timer.due m1 #2 due=100000
      100010 timer.begin m1 #2
      100020 state name=7 value=6
      400010 timer.end m1 #2
      400020 BeforeTimers.low m1 #1
      400030 BeforeSources.low m1 #1
      400040 BeforeWaiting.low m1 #1
      500000 AfterWaiting.low m1 #1
      500000 timer.due m1 #2 due=500000
      500010 timer.begin m1 #2
      500020 timer.end m1 #2
      500030 Exit.low m1 #1
      """, worker: "250000 state name=7 value=4")

  private func analysis(_ options: AnalysisOptions = AnalysisOptions()) throws -> (Analysis, SplitResults) {
    var options = options
    options.splitState = "read"
    let analysis = try Self.split.analysis(options)
    return (analysis, try #require(analysis.split))
  }

  /// Everything counts once, at the value that the state had when it began.
  @Test func eachRowBelongsToTheValueInWhichItBegan() throws {
    let (analysis, split) = try analysis()
    expectSumsToClose(analysis)
    #expect(
      split.values.map { row in
        "\(row.value ?? "-") \(row.count) \(row.timeNs / 1000) hangs \(row.hangs) \(row.hangNs / 1000)"
          + " due \(row.due) skipped \(row.skipped)"
      } == [
        "parse 1 250030 hangs 0 0 due 3 skipped 2", "draw 1 149980 hangs 0 0 due 1 skipped 1",
        "- 0 100020 hangs 1 300040 due 1 skipped 0",
      ])
    #expect(split.values.allSatisfy { $0.state == "read" })
    #expect(
      split.modes.map { "\($0.value ?? "-") \($0.mode) \($0.timeNs / 1000) \($0.passNs.count) \($0.gaps)" }
        == [
          "parse mode 1 100010 1 0", "- mode 1 400020 1 1",
        ])
    #expect(
      split.callouts.map { "\($0.value ?? "-") \($0.name) \($0.count) \($0.timeNs / 1000)" } == [
        "parse tick 1 10", "- tick 1 300000",
      ])
    let timers = split.timers.map { row in
      "\(row.value ?? "-") \(row.name) \(row.fired) \(row.points?.skippedBy[.ownCallout] ?? 99)"
    }
    #expect(timers == ["parse tick 1 2", "draw tick 0 1", "- tick 1 0"])
    expectValuesToAddUp(analysis)
  }

  /// A state that never had a value splits nothing.
  @Test func aStateThatNeverWasSet() throws {
    var options = AnalysisOptions()
    options.splitState = "write"
    let split = try #require(try Self.split.analysis(options).split)
    #expect(split.values.map(\.value) == [nil] && split.values[0].timeNs == 500_030_000)
    #expect(try Self.split.analysis().split == nil)
  }

  @Test func aWindowBeginsWithTheValueInForce() throws {
    var options = AnalysisOptions()
    options.from = 300_000
    let (analysis, split) = try analysis(options)
    #expect(split.values.map { "\($0.value ?? "-") \($0.count) \($0.timeNs / 1000)" } == ["parse 1 200030"])
    expectValuesToAddUp(analysis)
  }

  /// Values beyond the limit share one, and the sums stay exact.
  @Test func moreValuesThanTheLimit() throws {
    let count = AnalysisLimits.splitValues + 10
    var lines = [
      "rltrace-text 1", "header minor=2 unit=1us codec=none capture=callouts clock=virtual high=no",
    ]
    lines += ["threads", "  0 os=1 main=yes \"main\"", "strings", "  1 \"screen\""]
    lines += (0..<count).map { "  \($0 + 2) \"value \($0)\"" }
    lines += ["events thread=0"] + (0..<count).map { "  \(10 * $0) state name=1 value=\($0 + 2)" }
    lines += ["  \(10 * count) mark name=1", "end"]
    var options = AnalysisOptions()
    options.splitState = "screen"
    let bytes = try assembleTrace(lines.joined(separator: "\n"))
    let analysis = try TraceAnalyzer(openTrace(bytes), options: options).analyze()
    let split = try #require(analysis.split)
    let other = try #require(split.values.first { $0.value == "(other)" })
    // The state has no value before the first one, which takes one place.
    #expect(other.count == 11 && other.timeNs == 110_000 && split.values[0].value == "(other)")
    #expect(split.values.count == AnalysisLimits.splitValues)
    #expect(split.values.reduce(0) { $0 + $1.timeNs } == UInt64(count) * 10_000)
  }
}
