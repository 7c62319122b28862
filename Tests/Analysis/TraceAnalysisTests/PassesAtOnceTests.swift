import Foundation
import TestSupport
import Testing
import TextReport
import TraceAnalysis
import TraceFormat
import TraceReplay

/// Replaying equal passes together must give the same results as replaying each event.
@Suite struct PassesAtOnceTests {
  private func json(_ trace: TraceReader, _ options: AnalysisOptions, atOnce: Bool) throws -> String {
    var options = options
    options.replay.replaysPasses = atOnce
    return try AnalysisJSON.encode([("x", try TraceAnalyzer(trace, options: options).analyze())])
  }

  private func expectSame(
    _ bytes: [UInt8], _ options: AnalysisOptions = AnalysisOptions(), _ note: String = ""
  )
    throws
  {
    let atOnce = try json(try openTrace(bytes), options, atOnce: true)
    let oneByOne = try json(try openTrace(bytes), options, atOnce: false)
    #expect(atOnce == oneByOne, "\(note) \(TestSeed.note)")
    let (batched, expected) = (
      try facts(bytes, options, atOnce: true), try facts(bytes, options, atOnce: false)
    )
    let firstDifference = zip(batched.facts, expected.facts).first { $0 != $1 }
    #expect(firstDifference == nil, "\(note) \(TestSeed.note)")
    #expect(batched.facts.count == expected.facts.count, "\(note) \(TestSeed.note)")
    #expect(expected.reportedAtOnce == 0)
  }

  /// Returns the facts that a sink receives, in order.
  private func facts(_ bytes: [UInt8], _ options: AnalysisOptions, atOnce: Bool) throws -> FactCollector {
    let collector = FactCollector(wantsBegins: true)
    var options = options
    options.replay.replaysPasses = atOnce
    options.sink = collector
    _ = try TraceAnalyzer(try openTrace(bytes), options: options).analyze()
    return collector
  }

  /// Returns random options: thresholds that nothing, something or everything reaches, and any span of the trace.
  private func options(_ random: inout SeededGenerator, end: UInt64) -> AnalysisOptions {
    var options = AnalysisOptions()
    options.replay.gapThresholdNs = random.pick([0, 3_000, 40_000, 250_000_000])
    options.replay.busyThresholdNs = random.pick([0, 9_000, 100_000, 250_000_000])
    options.replay.keepsCalloutDurations = random.oneIn(2)
    if random.oneIn(2) { options.replay.detectors = [] }
    if random.oneIn(3) { options.from = random.next() % (end + 1) }
    if random.oneIn(3) { options.to = random.next() % (end + 1) }
    return options
  }

  @Test(arguments: SampleTraces.analyzable) func samples(name: String) throws {
    try expectSame(try ProjectFiles.bytes("SampleTraces/\(name)"), AnalysisOptions(), name)
  }

  /// The path of a trace of any size, from the environment.
  private static let namedTrace = ProcessInfo.processInfo.environment["RLTRACE_TEST_TRACE"]

  @Test(.enabled(if: namedTrace != nil)) func traceOfTheEnvironment() throws {
    let path = try #require(PassesAtOnceTests.namedTrace)
    let atOnce = try json(try openTrace(path: path), AnalysisOptions(), atOnce: true)
    let oneByOne = try json(try openTrace(path: path), AnalysisOptions(), atOnce: false)
    // The message leaves out the texts: they may be long.
    let areSame = atOnce == oneByOne
    #expect(areSame, "\(path)")
  }

  @Test(.optimizedBuild) func simulatedLoops() throws {
    var random = SeededGenerator(named: "simulated loops, at once")
    for round in 0..<TestRounds.value(100) {
      let loop = SimulatedLoop(
        SeededGenerator(seed: random.next()), budget: round.isMultiple(of: 10) ? 20_000 : 400,
        hasHigh: round.isMultiple(of: 2))
      try expectSame(try loop.trace(codec: .none), options(&random, end: loop.end))
    }
  }

  @Test(.optimizedBuild) func disturbedPasses() throws {
    var random = SeededGenerator(named: "disturbed passes")
    for _ in 0..<TestRounds.value(500) {
      let trace = try DisturbedPasses.trace(&random)
      try expectSame(trace.bytes, options(&random, end: trace.end))
    }
  }

  /// Nearly all passes of an undisturbed loop are replayed together, even when a timer ends each wait, and if they wait
  /// again. A sink receives passes that wait again event by event.
  @Test(arguments: [true, false], [1, 2, 3]) func plainPassesAreReplayedTogether(hasHigh: Bool, waits: Int)
    throws
  {
    let bytes = try writeTrace(codec: .none, hasHighStamps: hasHigh) { writer in
      let buffer = EventBuffer()
      func add(_ kind: EventKind, _ object: UInt32) {
        buffer.append(time: UInt64(buffer.count) * 10, kind: kind.rawValue, mode: 1, object: object)
      }
      func activity(_ activity: Activity) {
        add(EventKind(activity), 1)
        if hasHigh { add(EventKind(activity, isHigh: true), 1) }
      }
      activity(.entry)
      for _ in 0..<1_000 {
        activity(.beforeTimers)
        activity(.beforeSources)
        add(.source0Begin, 5)
        add(.source0End, 5)
        for _ in 0..<waits {
          activity(.beforeWaiting)
          activity(.afterWaiting)
          add(.timerBegin, 6)
          add(.timerEnd, 6)
        }
      }
      try writer.write(buffer, thread: 0)
    }
    var replay = try Replay(try openTrace(bytes), options: ReplayOptions())
    replay.beginSpan(from: .origin, to: Moment(1 << 40), sink: nil)
    try replay.run(until: .never) { _ in }
    #expect(replay.eventsAtOnce * 100 > replay.events * 98)
    try expectSame(bytes)
    guard waits == 1 else { return }
    let batched = try facts(bytes, AnalysisOptions(), atOnce: true)
    #expect(batched.reportedAtOnce * 100 > batched.facts.count * 98)
  }

  /// A timer fires long after its due point, or skips points throughout. The callouts in between are blamed, even
  /// when some of their passes were replayed together and some alone.
  @Test func calloutsThatRanAreRemembered() throws {
    var random = SeededGenerator(named: "who ran is remembered")
    var atOnce: UInt64 = 0
    var events: UInt64 = 0
    for _ in 0..<TestRounds.value(100) {
      let intervalNs = random.pick([0, 0, 100_000, 1_000_000] as [UInt64])
      let bytes = try overdueTimer(intervalNs: intervalNs, &random)
      try expectSame(bytes)
      var replay = try Replay(try openTrace(bytes), options: ReplayOptions())
      replay.beginSpan(from: .origin, to: Moment(1 << 40), sink: nil)
      try replay.run(until: .never) { _ in }
      (atOnce, events) = (atOnce + replay.eventsAtOnce, events + replay.events)
      guard intervalNs == 0 else { continue }
      let timers = try TraceAnalyzer(try openTrace(bytes)).analyze().timers
      #expect(timers.first?.ledger?.blockers.isEmpty == false, "\(TestSeed.note)")
    }
    #expect(atOnce * 2 > events, "\(TestSeed.note)")
  }

  private func overdueTimer(intervalNs: UInt64, _ random: inout SeededGenerator) throws -> [UInt8] {
    let buffer = EventBuffer()
    var time: UInt64 = 0
    func add(_ kind: EventKind, _ object: UInt32, after: UInt64 = 1, _ arguments: [UInt64] = []) {
      time += after
      buffer.append(time: time, kind: kind.rawValue, mode: 1, object: object, arguments: arguments)
    }
    /// Some callouts are too short to be remembered.
    func callout(_ kind: EventKind, _ object: UInt32) {
      add(kind, object)
      add(kind.end, object, after: 1 + random.next() % 600)
    }
    func pass(_ kinds: [EventKind], wakes: Bool) {
      add(.beforeTimersLow, 1)
      add(.beforeSourcesLow, 1)
      for kind in kinds { callout(kind, 10 + UInt32(random.next() % 6)) }
      guard wakes else { return }
      add(.beforeWaitingLow, 1)
      add(.afterWaitingLow, 1, after: 100)
    }
    add(.timerCreate, 2, [1, intervalNs, 0, 500, 1])
    add(.timerAdd, 2, [1, 1])
    add(.entryLow, 1)
    for _ in 0..<(1 + random.next() % 6) {
      let kinds: [EventKind] = random.pick([[.source0Begin], [.blockBegin, .source0Begin], [.source1Begin]])
      let wakes = random.oneIn(2)
      for _ in 0..<(10 + random.next() % 90) { pass(kinds, wakes: wakes) }
      for _ in 0..<(random.next() % 4) { pass(random.oneIn(2) ? [.blockBegin] : [], wakes: random.oneIn(2)) }
    }
    add(.timerDue, 2, [500])
    add(.timerBegin, 2)
    add(.timerEnd, 2)
    return try writeTrace(codec: .none, timeUnit: .ns10, hasHighStamps: false) { writer in
      try writer.write((1...3).map { StringDefinition(id: $0, text: "name \($0)") })
      try writer.write([ModeDefinition(id: 1, name: "mode 1")])
      try writer.write(buffer, thread: 0)
    }
  }
}
