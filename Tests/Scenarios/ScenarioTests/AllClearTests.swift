import Scenario
import ScenarioRunners
import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

/// A trace with unserved work, lost events or an unread part never gets the verdict "nothing wrong was found".
///
/// The tests determine the content of a trace from its events, not from the analysis.
@Suite struct AllClearTests {
  @Test(arguments: SampleTraces.analyzable) func samples(sample: String) throws {
    let bytes = try ProjectFiles.bytes("SampleTraces/\(sample)")
    let reader = try openTrace(bytes)
    let analysis = try TraceAnalyzer(reader).analyze()
    #expect(try objections(reader).isEmpty || analysis.verdict.outcome != .clear, "\(analysis.verdict.text)")
  }

  /// RLTRACE_TEST_ROUNDS=20000 runs more rounds.
  @Test(.optimizedBuild) func randomTraces() throws {
    var random = SeededGenerator(named: "all-clears of model traces")
    var (clear, objected) = (0, 0)
    let rounds = TestRounds.value(1000)
    for _ in 0..<rounds {
      let seed = random.next() % 1_000_000_007
      let sink = MemorySink()
      _ = try VirtualRecording.record(
        Self.scenario(seed: seed, &random), sink: sink, unit: .ns10, codec: NoCodec(), stepLimit: 3000)
      let reader = try openTrace(sink.bytes)
      let analysis = try TraceAnalyzer(reader).analyze()
      let objections = try objections(reader)
      if analysis.verdict.outcome == .clear { clear += 1 }
      if !objections.isEmpty { objected += 1 }
      guard objections.isEmpty || analysis.verdict.outcome != .clear else {
        Issue.record("scenario \(seed): \(analysis.verdict.text) \(objections), \(TestSeed.note)")
        return
      }
      // A file that was truncated, or in which a byte changed, never gets an all-clear.
      var damaged = sink.bytes
      damaged[damaged.count / 2] ^= 0x40
      for bytes in [Array(sink.bytes.prefix(sink.bytes.count * 2 / 3)), damaged] {
        guard let broken = try? openTrace(bytes), let found = try? TraceAnalyzer(broken).analyze() else {
          continue
        }
        guard found.verdict.outcome != .clear else {
          Issue.record("scenario \(seed), damaged: \(found.verdict.text), \(TestSeed.note)")
          return
        }
      }
    }
    #expect(min(clear, objected) > rounds / 20, "\(clear) clear, \(objected) with objections")
  }

  /// Returns a random scenario. Half of the scenarios end with a run that is longer than work may wait. They also
  /// signal one more source, whose mode might never run.
  private static func scenario(seed: UInt64, _ random: inout SeededGenerator) -> Scenario {
    var scenario = RandomScenario(seed: seed).scenario
    guard random.oneIn(2) else { return scenario }
    scenario.sources.append(
      Scenario.Source(
        name: "late", order: 90, modes: [random.pick([ModeName.common, "late mode"])], body: []))
    scenario.others.append(
      Scenario.Moment(
        atNs: random.next() % 60 * 1_000_000 + 600_000,
        body: [.signal("late")] + (random.oneIn(2) ? [.wakeUp] : [])))
    scenario.body.append(.run(mode: ModeName.default, forNs: 400_700_000, returnsAfterSource: false))
    return scenario
  }

  /// A trace that gets an all-clear, and the same trace with one more event on another thread.
  @Test(arguments: [
    "2000 lostEvents count=3", "2000 process.end status=-1 signal=4",
    "2000 block.create #9 name=4 loop=1 due=2000 mode=1",
  ])
  func oneEventMore(event: String) throws {
    let end = "\n5000000 mark name=9\n"
    let plain = try HandTrace(main: HandTrace.asleep, recorder: end).analysis()
    #expect(plain.verdict.outcome == .clear, "\(plain.verdict.text)")
    let other = try HandTrace(main: HandTrace.asleep, recorder: event + end).analysis()
    #expect(other.verdict.outcome != .clear, "\(other.verdict.text)")
  }

  // MARK: Evidence in the events

  /// Returns the reasons why a trace must not get an all-clear.
  private func objections(_ reader: TraceReader) throws -> [String] {
    var objections: [String] = []
    if !reader.isClean { objections.append("not closed well") }
    if reader.damagedBlocks > 0 || reader.unknownBlocks > 0 { objections.append("blocks that are not read") }
    var waiting: [UInt32: (since: UInt64, isOver: Bool)] = [:]
    for event in try events(reader) {
      switch event.kind {
      case .lostEvents: objections.append("lost events")
      case .processEnd where event.arguments.count > 1 && event.arguments[1] != 0:
        objections.append("ended by a signal")
      case .blockCreate:
        let due = event.arguments.count > 2 ? event.arguments[2] : 0
        waiting[event.object] = (max(event.time, due), false)
      case .sourceSignal where waiting[event.object]?.isOver ?? true:
        waiting[event.object] = (event.time, false)
      case .blockBegin, .mainQueueBlockBegin, .source0Begin, .blockDiscard, .sourceInvalidate, .sourceCreate:
        if let since = waiting[event.object]?.since, event.time >= since {
          waiting[event.object]?.isOver = true
        }
      default: break
      }
    }
    let limit = 250_000_000 / reader.header.timeUnit.nanoseconds
    let unserved = waiting.filter { !$0.value.isOver && $0.value.since + limit <= reader.lastTime }
    return objections + unserved.keys.sorted().map { "object \($0) waits" }
  }

  private func events(
    _ reader: TraceReader
  ) throws -> [(time: UInt64, kind: EventKind, object: UInt32, arguments: [UInt64])] {
    let decoded = DecodedEvents()
    var found: [(time: UInt64, kind: EventKind, object: UInt32, arguments: [UInt64])] = []
    for number in reader.blocks.indices where reader.blocks[number].type == .events {
      try reader.events(of: number, into: decoded)
      var ordinals = [Int](repeating: 0, count: 256)
      for at in 0..<decoded.count {
        let kind = decoded.kinds[at]
        found.append(
          (
            decoded.times[at], EventKind(kind), decoded.objects[at],
            decoded.arguments(kind: kind, ordinal: ordinals[Int(kind)])
          ))
        ordinals[Int(kind)] += 1
      }
    }
    // At equal times, the end of a wait comes last: the order of two threads is unknown.
    return found.sorted { ($0.time, ends($0.kind)) < ($1.time, ends($1.kind)) }
  }

  private func ends(_ kind: EventKind) -> Int {
    [EventKind.blockCreate, .sourceSignal, .sourceCreate].contains(kind) ? 0 : 1
  }
}
