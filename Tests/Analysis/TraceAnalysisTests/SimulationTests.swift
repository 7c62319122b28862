import TestSupport
import Testing
import TraceAnalysis
import TraceFacts
import TraceReplay
import TraceFormat

/// The analysis of random traces against the books of the simulated loops.
@Suite struct SimulationTests {
  private static let rounds = 150

  private func forEachLoop(_ test: String, _ body: (SimulatedLoop, Analysis, [PassFact]) throws -> Void)
    throws
  {
    var random = SeededGenerator(named: test)
    for round in 0..<SimulationTests.rounds {
      let loop = SimulatedLoop(
        SeededGenerator(seed: random.next()), budget: round.isMultiple(of: 10) ? 20_000 : 400,
        hasHigh: round.isMultiple(of: 2))
      let reader = try openTrace(try loop.trace(codec: round.isMultiple(of: 3) ? .none : .zstd))
      let observer = FactCollector()
      var options = AnalysisOptions()
      options.sink = observer
      try body(loop, try TraceAnalyzer(reader, options: options).analyze(), observer.passes)
    }
  }

  @Test func phasesSumToThePass() throws {
    try forEachLoop("phasesSumToThePass") { _, analysis, passes in
      for pass in passes {
        #expect(pass.phases.wrappedSum() + pass.nested == pass.end - pass.start, "\(TestSeed.note)")
      }
      #expect(passes.count == Int(analysis.modes.reduce(0) { $0 + $1.passes }))
      expectSumsToClose(analysis)
    }
  }

  @Test func modeTimesAreThoseOfTheInnermostRuns() throws {
    try forEachLoop("modeTimes") { loop, analysis, _ in
      var expected = loop.modeTimes(from: 0, to: loop.end)
      expected[0] = nil
      let found = Dictionary(
        uniqueKeysWithValues: analysis.modes.map { (UInt8($0.mode.dropFirst(5))!, $0.timeNs) })
      #expect(found.filter { $0.value > 0 } == expected, "\(TestSeed.note)")
    }
  }

  @Test func everyDuePointIsAccountedFor() throws {
    try forEachLoop("duePoints") { loop, analysis, _ in
      for timer in loop.timers where !timer.fired.isEmpty || timer.isPending {
        let row = try #require(
          analysis.timers.first { $0.site == "site \(timer.object - 10)" }, "\(TestSeed.note)")
        let ledger = try #require(row.ledger)
        #expect(row.fired == UInt64(timer.fired.count), "\(TestSeed.note)")
        #expect(ledger.skipped == UInt64(timer.skipped.count), "\(TestSeed.note)")
        #expect(ledger.pending == (timer.isPending ? 1 : 0), "\(TestSeed.note)")
        let lateness = timer.fired.map { $0.begin - $0.due }
        #expect(ledger.latenessNs.sum == lateness.reduce(0, +), "\(TestSeed.note)")
        #expect(ledger.latenessNs.max == lateness.max() ?? 0, "\(TestSeed.note)")
      }
    }
  }

  @Test(.optimizedBuild) func overdueTimeBelongsToTheModesThatRan() throws {
    try forEachLoop("overdue") { loop, analysis, _ in
      for timer in loop.timers where !timer.fired.isEmpty {
        var expected: [String: UInt64] = [:]
        for fire in timer.fired {
          for (mode, time) in loop.modeTimes(from: fire.due, to: fire.begin) {
            expected[mode == 0 ? "(outside any run)" : "mode \(mode)", default: 0] += time
          }
        }
        let ledger = try #require(analysis.timers.first { $0.site == "site \(timer.object - 10)" }?.ledger)
        let found = Dictionary(uniqueKeysWithValues: ledger.overdueByModeNs.map { ($0.mode, $0.ns) })
        #expect(found == expected, "\(TestSeed.note)")
      }
    }
  }

  @Test func skippedPointsHaveTheCauseInForceAtTheirInstant() throws {
    try forEachLoop("causes") { loop, analysis, _ in
      for timer in loop.timers where !timer.fired.isEmpty || timer.isPending {
        var expected: [Cause: UInt64] = Dictionary(uniqueKeysWithValues: Cause.allCases.map { ($0, 0) })
        for point in timer.skipped { expected[cause(of: point, timer, loop), default: 0] += 1 }
        let ledger = try #require(analysis.timers.first { $0.site == "site \(timer.object - 10)" }?.ledger)
        #expect(ledger.skippedBy == expected, "timer \(timer.object), \(TestSeed.note)")
      }
    }
  }

  /// The ledger of lateness against one made from the loop's complete history.
  @Test(.optimizedBuild) func latenessBelongsToTheCausesThatHeld() throws {
    try forEachLoop("ledger") { loop, analysis, _ in
      for timer in loop.timers where !timer.fired.isEmpty {
        var expected: [Cause: UInt64] = Dictionary(uniqueKeysWithValues: Cause.allCases.map { ($0, 0) })
        for fire in timer.fired {
          for (state, time) in loop.states(from: fire.due, to: fire.begin) {
            expected[cause(in: state, timer), default: 0] += time
          }
        }
        let ledger = try #require(analysis.timers.first { $0.site == "site \(timer.object - 10)" }?.ledger)
        #expect(ledger.ledgerNs == expected, "timer \(timer.object), \(TestSeed.note)")
      }
    }
  }

  private func cause(of point: UInt64, _ timer: SimulatedLoop.Timer, _ loop: SimulatedLoop) -> Cause {
    timer.droppedAtEnd.contains(point) ? .ownCallout : cause(in: loop.state(at: point), timer)
  }

  private func cause(in state: SimulatedLoop.State, _ timer: SimulatedLoop.Timer) -> Cause {
    if state.mode == 0 { return .notRunning }
    if state.firing.contains(timer.object) { return .ownCallout }
    if !timer.modes.contains(state.mode) { return .wrongMode }
    return state.openCallouts > 0 || state.isObserving ? .busy : .scheduler
  }

  /// The numbers of two half windows add up to those of the whole, except for what crosses the border.
  @Test func windowsAddUp() throws {
    var random = SeededGenerator(named: "windows")
    for _ in 0..<40 {
      let loop = SimulatedLoop(SeededGenerator(seed: random.next()), budget: 600, hasHigh: true)
      let reader = try openTrace(try loop.trace(codec: .none))
      let middle = 1 + random.next() % max(1, loop.end)
      var first = AnalysisOptions()
      first.to = middle
      var second = AnalysisOptions()
      second.from = middle
      let whole = try TraceAnalyzer(reader).analyze()
      let halves = [
        try TraceAnalyzer(reader, options: first).analyze(),
        try TraceAnalyzer(reader, options: second).analyze(),
      ]
      for half in halves { expectSumsToClose(half) }
      func time(_ analysis: Analysis) -> UInt64 { analysis.modes.reduce(0) { $0 + $1.timeNs } }
      #expect(time(halves[0]) + time(halves[1]) == time(whole), "\(TestSeed.note)")
      func fired(_ analysis: Analysis) -> UInt64 { analysis.timers.reduce(0) { $0 + $1.fired } }
      let crossing = UInt64(
        loop.timers.reduce(0) { $0 + $1.fired.count { $0.due < middle && $0.begin >= middle } })
      #expect(fired(halves[0]) + fired(halves[1]) + crossing == fired(whole), "\(TestSeed.note)")
    }
  }
}
