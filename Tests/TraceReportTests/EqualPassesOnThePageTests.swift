import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

@testable import TraceReport

/// A page of passes that its time line took at once, and of the same passes one by one: nobody can tell them apart.
@Suite struct EqualPassesOnThePageTests {
  private func page(_ bytes: [UInt8], _ limits: TimelineLimits, atOnce: Bool) throws -> String {
    let reader = try openTrace(bytes)
    let timeline = TimelineBuilder(reader, limits: limits)
    var options = AnalysisOptions()
    options.replay.replaysPasses = atOnce
    options.observer = timeline
    let analysis = try TraceAnalyzer(reader, options: options).analyze()
    return try HTMLReport(reader, file: "x").render(analysis, timeline: timeline)
  }

  /// So small that windows come and go, and some passes lie in one bin.
  private func limits(_ random: inout SeededGenerator) -> TimelineLimits {
    TimelineLimits(
      whole: random.pick([0, 40, 4_000]), threadWindow: random.pick([16, 128, 1_024]),
      timerWindow: random.pick([4, 64]), threadBins: random.pick([1, 20, 300]),
      timerBins: random.pick([1, 20, 300]))
  }

  @Test func samePages() throws {
    var random = SeededGenerator(named: "equal passes on the page")
    for _ in 0..<TestRounds.value(30) {
      let trace = try DisturbedPasses.trace(&random, passes: random.pick([300, 6_000]))
      let limits = limits(&random)
      let pages = try [true, false].map { try page(trace.bytes, limits, atOnce: $0) }
      // Not both texts in a message: they are long.
      let areSame = pages[0] == pages[1]
      #expect(areSame, "\(limits), \(TestSeed.note)")
    }
  }
}
