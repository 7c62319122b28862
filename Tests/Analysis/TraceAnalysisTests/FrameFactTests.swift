import TestSupport
import Testing
import TraceAnalysis
import TraceFacts

/// Frames as facts. Times are microseconds.
@Suite struct FrameFactTests {
  private final class Collector: FactSink {
    private(set) var frames: [FrameFact] = []
    func frame(_ frame: FrameFact) { frames.append(frame) }
  }

  private func frames(
    _ trace: HandTrace, _ options: AnalysisOptions = AnalysisOptions()
  ) throws -> (facts: [FrameFact], results: FrameResults) {
    let collector = Collector()
    var options = options
    options.sink = collector
    let results = try trace.analysis(options).frames
    return (collector.frames, results)
  }

  @Test func eachFrame() throws {
    let (facts, results) = try frames(HandTrace.frames())
    let source = try #require(results.sources.first)
    #expect(facts.map(\.due) == [10_000, 20_000, 40_000] && facts.map(\.ready) == [11_000, 34_000, 41_000])
    #expect(facts.map(\.presented) == [20_000, 40_000, 50_000])
    #expect(facts.map(\.outcome) == [.onTime, .late, .onTime])
    #expect(facts.allSatisfy { $0.isDeclared && $0.timer == source.timer && $0.name == 2 })
  }

  /// Only the results tell whether a timer without a declaration is a source.
  @Test func withoutADeclaration() throws {
    let (facts, results) = try frames(HandTrace.frames(isDeclared: false))
    #expect(facts.count == 3 && facts.allSatisfy { !$0.isDeclared } && results.sources.isEmpty)
  }

  /// A frame that was due before the window and ready in it counts in it.
  @Test func windows() throws {
    var options = AnalysisOptions()
    (options.from, options.to) = (33_500, 40_500)
    let (facts, results) = try frames(HandTrace.frames(), options)
    #expect(facts.map(\.ready) == [34_000] && results.sources.first?.frames == 1)
  }
}
