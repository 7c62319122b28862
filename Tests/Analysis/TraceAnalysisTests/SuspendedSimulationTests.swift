import TestSupport
import Testing
import TraceAnalysis
import TraceReplay
import TraceFormat

/// Random loops, some of whose silences are suspensions. A parent that saw the process stop records them on a thread
/// of the recorder. The books are naive: the loop's complete history without the suspended spans.
@Suite struct SuspendedSimulationTests {
  private struct Span {
    var from: UInt64
    var to: UInt64
    /// When the parent records that the process continues. The first event of the process may come earlier.
    var noted: UInt64
  }

  /// Returns random spans of suspension. None begins in the first unit of a silence: an event at exactly that time
  /// keeps its cause.
  private func spans(_ loop: SimulatedLoop, _ random: inout SeededGenerator) -> [Span] {
    var spans: [Span] = []
    for (a, b) in zip(loop.events, loop.events.dropFirst()) {
      var at = max(a.time, spans.last?.noted ?? 0) + 1
      while at < b.time, random.oneIn(3) {
        let from = at + random.next() % (b.time - at)
        // After at least 2 ms of silence, the suspension can end at the first event, before the parent's record.
        // Otherwise, it ends at that record.
        if b.time - from >= 2_000, random.oneIn(2) {
          spans.append(Span(from: from, to: b.time, noted: min(loop.end, b.time + random.next() % 3_000)))
          break
        }
        let to = from + 1 + random.next() % (b.time - from)
        spans.append(Span(from: from, to: to, noted: to))
        at = to + 1
      }
    }
    return spans
  }

  /// Returns the loop's trace in microseconds. Its intervals become nanoseconds.
  private func trace(_ loop: SimulatedLoop, _ spans: [Span], hasHigh: Bool) throws -> [UInt8] {
    let events = loop.events.map { event in
      var event = event
      if event.kind == EventKind.timerCreate.rawValue { event.arguments[1] *= 1000 }
      return event
    }
    return try writeTrace(codec: .none, timeUnit: .us1, hasHighStamps: hasHigh) { writer in
      try writer.write(SimulatedLoop.strings)
      try writer.write(
        SimulatedLoop.threads + [ThreadDefinition(index: 1, osThread: 0, isMain: false, name: "rltrace")])
      try writer.write(SimulatedLoop.modeNames)
      try writer.write(EventBuffer(events), thread: 0)
      let notes = spans.flatMap {
        [
          TestEvent(time: $0.from, kind: .processStop, arguments: [19]),
          TestEvent(time: $0.noted, kind: .processContinue, arguments: [18]),
        ]
      }
      if !notes.isEmpty { try writer.write(EventBuffer(notes), thread: 1) }
    }
  }

  /// Splits a range of time into the parts outside the spans and the length that the spans cut away.
  private func split(_ from: UInt64, _ to: UInt64, _ spans: [Span]) -> (rest: [(UInt64, UInt64)], cut: UInt64)
  {
    var rest: [(UInt64, UInt64)] = []
    var cut: UInt64 = 0
    var at = from
    for span in spans where span.to > from && span.from < to {
      if span.from > at { rest.append((at, span.from)) }
      cut += min(span.to, to) - max(span.from, at)
      at = min(span.to, to)
    }
    if at < to { rest.append((at, to)) }
    return (rest, cut)
  }

  private func cause(in state: SimulatedLoop.State, _ timer: SimulatedLoop.Timer) -> Cause {
    if state.mode == 0 { return .notRunning }
    if state.firing.contains(timer.object) { return .ownCallout }
    if !timer.modes.contains(state.mode) { return .wrongMode }
    return state.openCallouts > 0 || state.isObserving ? .busy : .scheduler
  }

  @Test(.optimizedBuild) func suspendedTimeIsNotCounted() throws {
    var random = SeededGenerator(named: "suspended")
    var suspensions = 0
    for round in 0..<TestRounds.value(150) {
      let hasHigh = round.isMultiple(of: 2)
      let loop = SimulatedLoop(
        SeededGenerator(seed: random.next()), budget: round.isMultiple(of: 10) ? 5_000 : 400, hasHigh: hasHigh
      )
      let spans = spans(loop, &random)
      suspensions += spans.count
      let observer = FactCollector()
      var options = AnalysisOptions()
      options.sink = observer
      let reader = try openTrace(try trace(loop, spans, hasHigh: hasHigh))
      let analysis = try TraceAnalyzer(reader, options: options).analyze()
      expectSumsToClose(analysis)
      #expect(
        analysis.trace.suspendedNs == spans.reduce(0) { $0 + $1.to - $1.from } * 1000, "\(TestSeed.note)")
      checkModes(loop, spans, analysis)
      for timer in loop.timers where !timer.fired.isEmpty || timer.isPending {
        try check(timer, loop, spans, analysis)
      }
      for pass in observer.passes {
        let cut = split(pass.start, pass.end, spans).cut
        #expect(pass.suspended == cut, "\(TestSeed.note)")
        #expect(
          pass.phases.wrappedSum() + pass.nested + pass.suspended == pass.end - pass.start, "\(TestSeed.note)"
        )
      }
    }
    #expect(suspensions > 1000)
  }

  private func checkModes(_ loop: SimulatedLoop, _ spans: [Span], _ analysis: Analysis) {
    var expected = loop.modeTimes(from: 0, to: loop.end)
    var suspended: [UInt8: UInt64] = [:]
    for span in spans {
      for (mode, time) in loop.modeTimes(from: span.from, to: span.to) {
        expected[mode, default: 0] -= time
        suspended[mode, default: 0] += time
      }
    }
    for mode in analysis.modes {
      let id = UInt8(mode.mode.dropFirst(5))!
      #expect(mode.timeNs == expected[id, default: 0] * 1000, "\(TestSeed.note)")
      #expect(mode.suspendedNs == suspended[id, default: 0] * 1000, "\(TestSeed.note)")
    }
  }

  private func check(
    _ timer: SimulatedLoop.Timer, _ loop: SimulatedLoop, _ spans: [Span], _ analysis: Analysis
  ) throws {
    let row = try #require(
      analysis.timers.first { $0.site == "site \(timer.object - 10)" }, "\(TestSeed.note)")
    let ledger = try #require(row.ledger)
    let none: [Cause: UInt64] = Dictionary(uniqueKeysWithValues: Cause.allCases.map { ($0, 0) })
    var late = none
    for fire in timer.fired {
      let parts = split(fire.due, fire.begin, spans)
      late[.suspended, default: 0] += parts.cut * 1000
      for part in parts.rest {
        for (state, time) in loop.states(from: part.0, to: part.1) {
          late[cause(in: state, timer), default: 0] += time * 1000
        }
      }
    }
    #expect(ledger.ledgerNs == late, "timer \(timer.object), \(TestSeed.note)")
    var skipped = none
    for point in timer.skipped {
      let isSuspended = spans.contains { $0.from <= point && point < $0.to }
      let cause: Cause =
        timer.droppedAtEnd.contains(point)
        ? .ownCallout : isSuspended ? .suspended : cause(in: loop.state(at: point), timer)
      skipped[cause, default: 0] += 1
    }
    #expect(ledger.skippedBy == skipped, "timer \(timer.object), \(TestSeed.note)")
    #expect(ledger.pending == (timer.isPending ? 1 : 0), "\(TestSeed.note)")
    #expect(row.fired == UInt64(timer.fired.count), "\(TestSeed.note)")
  }
}
