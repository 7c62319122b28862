import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

@testable import PageReport

/// A page whose timeline takes equal passes together must equal one that takes each pass separately.
@Suite struct EqualPassesOnThePageTests {
  private func page(_ bytes: [UInt8], _ limits: TimelineLimits, atOnce: Bool) throws -> String {
    let reader = try openTrace(bytes)
    let timeline = TimelineBuilder(reader, limits: limits)
    var options = AnalysisOptions()
    options.replay.replaysPasses = atOnce
    options.sink = timeline
    let analysis = try TraceAnalyzer(reader, options: options).analyze()
    return try HTMLReport(reader, file: "x").render(analysis, timeline: timeline)
  }

  /// Returns limits so small that windows come and go, and several passes share a bin.
  private func limits(_ random: inout SeededGenerator) -> TimelineLimits {
    TimelineLimits(
      whole: random.pick([0, 40, 4_000]), threadWindow: random.pick([16, 128, 1_024]),
      timerWindow: random.pick([4, 64]), threadBins: random.pick([1, 20, 300]),
      timerBins: random.pick([1, 20, 300]), wholeTimers: random.pick([0, 1, 64]))
  }

  private func expectSamePages(_ bytes: [UInt8], _ random: inout SeededGenerator) throws {
    let limits = limits(&random)
    let pages = try [true, false].map { try page(bytes, limits, atOnce: $0) }
    // The message leaves out the texts: they are long.
    let areSame = pages[0] == pages[1]
    #expect(areSame, "\(limits), \(TestSeed.note)")
  }

  @Test(.optimizedBuild) func disturbedPasses() throws {
    var random = SeededGenerator(named: "disturbed passes on the page")
    for _ in 0..<TestRounds.value(30) {
      try expectSamePages(
        try DisturbedPasses.trace(&random, passes: random.pick([300, 6_000])).bytes, &random)
    }
  }

  @Test func plainPasses() throws {
    var random = SeededGenerator(named: "plain passes on the page")
    for _ in 0..<TestRounds.value(30) { try expectSamePages(try plainPasses(&random), &random) }
  }

  /// Returns callouts of a few objects, with and without a name. A few take long.
  private func plainPasses(_ random: inout SeededGenerator) throws -> [UInt8] {
    let hasHigh = random.oneIn(2)
    var events: [TestEvent] = []
    var time: UInt64 = 0
    func add(_ kind: EventKind, object: UInt32, mode: UInt8 = 1, arguments: [UInt64] = []) {
      time += random.oneIn(900) ? 20_000 : random.next() % 30
      events.append(TestEvent(time: time, kind: kind, mode: mode, object: object, arguments: arguments))
    }
    func activity(_ activity: Activity) {
      add(EventKind(activity), object: 100)
      if hasHigh { add(EventKind(activity, isHigh: true), object: 100) }
    }
    func callout(_ begin: EventKind, _ first: UInt32) {
      let object = first + UInt32(random.next() % 4)
      add(begin, object: object)
      add(begin.end, object: object)
    }
    for object in 1...6 as ClosedRange<UInt32> {
      add(.sourceCreate, object: object, mode: 0, arguments: [UInt64(1 + object % 2)])
    }
    activity(.entry)
    for _ in 0..<random.pick([200, 3_000]) {
      activity(.beforeTimers)
      activity(.beforeSources)
      callout(.source0Begin, 1)
      if !random.oneIn(100) {
        activity(.beforeWaiting)
        activity(.afterWaiting)
      }
      callout(.timerBegin, 5)
    }
    return try writeTrace(codec: .none, timeUnit: .ns10, hasHighStamps: hasHigh) { writer in
      try writer.write([StringDefinition(id: 1, text: "x"), StringDefinition(id: 2, text: "y")])
      try writer.write([ModeDefinition(id: 1, name: "mode")])
      try writer.write(EventBuffer(events), thread: 0)
    }
  }
}
