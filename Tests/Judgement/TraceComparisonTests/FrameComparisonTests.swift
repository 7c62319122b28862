import TestSupport
import Testing
import TraceAnalysis

@testable import TraceComparison

/// Hitches of a frame source in two recordings of 2 s.
@Suite struct FrameComparisonTests {
  /// Returns a trace in which every so many frames of 10 ms take 15 ms, so that each is 10 ms late.
  private func trace(every number: Int? = nil, took: [Int: Int] = [:]) -> String {
    let late = number.map { number in stride(from: number, to: 200, by: number).map { ($0, 15_000) } } ?? []
    return HandTrace(
      main: HandTrace.frames(200, took: took.merging(late) { first, _ in first })
    ).text()
  }

  /// The state `read` is `draw` in the first half, and `parse` in the second one. Every so many frames of a half are
  /// late.
  private func halves(draw: Int? = nil, parse: Int? = nil) throws -> Analysis {
    var took: [Int: Int] = [:]
    for (number, first) in [(draw, 1), (parse, 101)] {
      guard let number else { continue }
      for frame in stride(from: first + number, to: first + 98, by: number) { took[frame] = 15_000 }
    }
    let trace = HandTrace(
      main: HandTrace.frames(200, took: took),
      worker: "0 state name=7 value=6\n1005000 state name=7 value=4\n")
    var options = Comparison.options(AnalysisOptions(), relevant: .standard)
    options.splitState = "read"
    return try trace.analysis(options)
  }

  /// Only the frames of one value changed.
  @Test func byTheValuesOfAState() throws {
    let comparison = Comparison(
      base: try halves(draw: 10), new: try halves(draw: 10, parse: 5), gapThresholdNs: 250_000_000)
    func frames(_ value: String) throws -> ComparedFrames {
      let row = try #require(comparison.rows.first { $0.subject == .state(name: "read", value: value) })
      #expect(row.presence == .both)
      return try #require(row.frames)
    }
    let (draw, parse) = (try frames("draw"), try frames("parse"))
    #expect(draw.base == draw.new && draw.difference == Difference.none && draw.base.hitches == 9)
    #expect(parse.base.hitches == 0 && parse.new.hitches == 19 && parse.difference == .relevant)
    #expect(
      comparison.verdict.reasons.contains {
        $0.isWorse && $0.text.hasPrefix("frames of state read \"parse\" are overdue for more of the time")
      })
  }

  /// A state need not have the same values in both traces.
  @Test func aValueInOneTrace() throws {
    let other = try HandTrace(main: HandTrace.frames(200)).analysis(
      Comparison.options(AnalysisOptions(), relevant: .standard))
    let comparison = Comparison(base: other, new: try halves(), gapThresholdNs: 250_000_000)
    let row = try #require(comparison.rows.first { $0.subject == .state(name: "read", value: "draw") })
    #expect(row.presence == .new && row.frames == nil)
  }

  private func row(_ comparison: Comparison) throws -> ComparedFrames {
    try #require(comparison.rows.compactMap(\.frames).first)
  }

  @Test func equalRatios() throws {
    let comparison = try AlignmentTests.compare(trace(every: 20), trace(every: 20))
    let frames = try row(comparison)
    #expect(frames.difference == Difference.none && frames.pValue == 1)
    #expect(frames.base == frames.new && frames.base.hitches == 9 && frames.base.hitchNs == 90_000_000)
    #expect(comparison.verdict.outcome == .same)
  }

  @Test func moreHitches() throws {
    let comparison = try AlignmentTests.compare(trace(every: 20), trace(every: 5))
    let frames = try row(comparison)
    #expect(frames.difference == .relevant && frames.isWorse && frames.pValue < 0.01)
    let reason = try #require(
      comparison.verdict.reasons.first { $0.text.hasPrefix("frames of timer \"tick\" every 10.0 ms") })
    #expect(reason.isWorse)
    #expect(
      reason.text.hasSuffix(
        "are overdue for more of the time: 195 ms/s (bad, 39 hitches), was 45.0 ms/s (bad, 9 hitches)"),
      "\(reason.text)")
    let better = try AlignmentTests.compare(trace(every: 5), trace(every: 20))
    #expect(
      better.verdict.reasons.contains { !$0.isWorse && $0.text.contains("overdue for less of the time") })
  }

  /// One long hitch may be chance, and so may the finding that it makes.
  @Test func oneHitch() throws {
    let comparison = try AlignmentTests.compare(trace(), trace(took: [50: 201_000]))
    let frames = try row(comparison)
    #expect(frames.new.hitches == 1 && frames.new.hitchNs == 200_000_000 && frames.new.band == .bad)
    #expect(frames.difference == .minor && frames.pValue > 0.3)
    let finding = try #require(comparison.findings.first { $0.finding.rule == .hitches })
    #expect(finding.presence == .new && finding.difference == .minor)
  }

  /// With many hitches, the finding counts.
  @Test func aNewFinding() throws {
    let comparison = try AlignmentTests.compare(trace(), trace(every: 10))
    let finding = try #require(comparison.findings.first { $0.finding.rule == .hitches })
    #expect(finding.difference == .relevant && comparison.verdict.outcome == .worse)
  }
}
