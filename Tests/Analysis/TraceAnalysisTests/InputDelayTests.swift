import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

/// The wait of an input event that arrives at a random moment, compared with a calculation from all busy intervals.
@Suite struct InputDelayTests {
  /// The properties that decide whether a run is a poll run.
  private struct Run {
    var timeout: UInt64?
    var passes = 0
    var hasWaited = false
    var hasSource = false

    /// The run had no time to wait, or it did not wait although it served no source.
    var polls: Bool {
      if let timeout { return passes > 0 && timeout <= 1_000_000 }
      return passes == 1 && !hasWaited && !hasSource
    }
  }

  /// Busy intervals and waiting time, calculated from the events of one thread.
  private struct Books {
    var busy: [UInt64] = []
    var waiting: UInt64 = 0
    var span: UInt64 { busy.reduce(waiting, +) }

    init(_ events: [TestEvent], hasHigh: Bool) {
      let asleep = hasHigh ? EventKind.beforeWaitingHigh : .beforeWaitingLow
      let over = hasHigh ? EventKind.exitHigh : .exitLow
      var busySince: UInt64?
      var waitingSince: UInt64 = 0
      var lastExit: UInt64 = 0
      var depth = 0
      var runs: [Run] = []
      var called: UInt64?
      for event in events {
        if EventKind(event.kind) == .exitLow, runs.last?.polls == true {
          busy.append(event.time - busySince!)
          busySince = event.time
        }
        switch EventKind(event.kind) {
        case .runBegin: called = event.arguments[0]
        case .beforeTimersLow: runs[runs.count - 1].passes += 1
        case .source0Begin: runs[runs.count - 1].hasSource = true
        case .entryLow:
          if busySince == nil { busySince = event.time }
          depth += 1
          runs.append(Run(timeout: called))
          called = nil
        case asleep:
          runs[runs.count - 1].hasWaited = true
          busy.append(event.time - busySince!)
          busySince = nil
          waitingSince = event.time
        case .afterWaitingLow:
          waiting += event.time - waitingSince
          busySince = event.time
        case over:
          depth -= 1
          if depth == 0 { lastExit = event.time }
        default: break
        }
        if EventKind(event.kind) == over { runs.removeLast() }
      }
      let end = depth == 0 ? lastExit : events.last?.time ?? 0
      if let busySince, end > busySince { busy.append(end - busySince) }
    }

    /// Returns the smallest delay that a share `p` of all moments does not exceed, found by bisection.
    func delay(_ p: Double) -> Double {
      let allowed = (1 - p) * Double(span)
      var low = 0.0
      var high = Double(busy.max() ?? 0)
      for _ in 0..<60 {
        let middle = (low + high) / 2
        let longer = busy.reduce(0.0) { $0 + max(0, Double($1) - middle) }
        if longer > allowed { low = middle } else { high = middle }
      }
      return high
    }

    var mean: Double { busy.reduce(0.0) { $0 + Double($1) * Double($1) } / 2 / Double(span) }
  }

  private func check(_ analysis: Analysis, _ books: Books, unit: UInt64) throws {
    let found = try #require(analysis.inputDelay, "\(TestSeed.note)")
    let factor = Double(unit)
    #expect(found.delay.max == (books.busy.max() ?? 0) * unit, "\(TestSeed.note)")
    #expect(found.spanNs == books.span * unit, "\(TestSeed.note)")
    for (p, delay) in [(0.5, found.delay.p50), (0.9, found.delay.p90), (0.99, found.delay.p99)] {
      let exact = books.delay(p) * factor
      #expect(
        abs(Double(delay) - exact) <= exact / 100 + factor, "\(p): \(delay), not \(exact), \(TestSeed.note)")
    }
    let mean = books.mean * factor
    #expect(abs(found.delay.meanNs - mean) <= mean / 100, "\(TestSeed.note)")
    let hangs = books.busy.filter { $0 * unit > 250_000_000 }
    #expect(found.hangs == UInt64(hangs.count), "\(TestSeed.note)")
    #expect(found.hangNs == hangs.reduce(0, +) * unit, "\(TestSeed.note)")
    #expect(
      abs(found.hangRate - 3600 * Double(found.hangNs) / Double(books.span * unit)) < 1e-6, "\(TestSeed.note)"
    )
  }

  @Test func delaysOfSimulatedLoops() throws {
    var random = SeededGenerator(named: "inputDelay")
    for round in 0..<TestRounds.value(100) {
      let hasHigh = round.isMultiple(of: 2)
      let loop = SimulatedLoop(
        SeededGenerator(seed: random.next()), budget: round.isMultiple(of: 10) ? 20_000 : 600,
        hasHigh: hasHigh)
      let analysis = try TraceAnalyzer(try openTrace(try loop.trace(codec: .none))).analyze()
      try check(analysis, Books(loop.events, hasHigh: hasHigh), unit: 1)
    }
  }

  /// Hangs of all lengths, in a trace in microseconds.
  @Test func delaysOfLoopsThatHang() throws {
    var random = SeededGenerator(named: "hangs")
    for _ in 0..<TestRounds.value(60) {
      var time: UInt64 = 0
      var events: [TestEvent] = []
      func add(_ kind: EventKind, after most: UInt64) {
        if most > 0 { time += random.next() % most }
        events.append(TestEvent(time: time, kind: kind, mode: 1, object: 1))
      }
      add(.entryLow, after: 1000)
      for _ in 0..<(1 + random.next() % 300) {
        // From a microsecond to four seconds, each order of magnitude equally often.
        let busy = UInt64(1) << (random.next() % 22)
        add(.beforeTimersLow, after: 100)
        add(.beforeSourcesLow, after: 100)
        add(.beforeWaitingLow, after: 2 * busy)
        add(.afterWaitingLow, after: random.pick([10, 10_000, 3_000_000]))
      }
      add(.exitLow, after: 100)
      let bytes = try writeTrace(codec: .none, timeUnit: .us1, hasHighStamps: false) {
        try $0.write(EventBuffer(events), thread: 0)
      }
      let analysis = try TraceAnalyzer(try openTrace(bytes)).analyze()
      let books = Books(events, hasHigh: false)
      try check(analysis, books, unit: 1000)
      let listed = books.busy.filter { $0 >= 100_000 }
      #expect(analysis.busy.map(\.durationNs) == listed.map { $0 * 1000 }, "\(TestSeed.note)")
      let share = try #require(analysis.utilisation.first?.share)
      #expect(
        abs(share - Double(books.busy.reduce(0, +)) / Double(books.span)) < 1e-9, "\(TestSeed.note)")
    }
  }

  /// One hang of a second and nine seconds of waiting: one moment in ten waits, half a second on average.
  @Test func countedByHand() throws {
    let main =
      """
      0 Entry.low m1 #1
      0 BeforeTimers.low m1 #1
      0 BeforeWaiting.low m1 #1
      9000000 AfterWaiting.low m1 #1
      10000000 Exit.low m1 #1
      """
    let delay = try #require(try HandTrace(main: main).analysis().inputDelay)
    #expect(delay.delay.p50 == 0)
    #expect(delay.delay.p90 == 0)
    #expect(delay.delay.p99 == 900_000_000)
    #expect(delay.delay.max == 1_000_000_000)
    #expect(delay.delay.meanNs == 50_000_000)
    #expect(delay.hangs == 1)
    #expect(delay.hangNs == 1_000_000_000)
    #expect(delay.hangRate == 360)
  }
}
