import Scenario
import ScenarioRunners
import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

/// The key `frames` of a scenario's timer.
@Suite struct FrameScenarioTests {
  private func frames(_ scenario: String) throws -> FrameResults {
    let sink = MemorySink()
    _ = try VirtualRecording.record(ScenarioReader.read(scenario), sink: sink, unit: .ns1, codec: NoCodec())
    let analysis = try TraceAnalyzer(openTrace(sink.bytes)).analyze()
    #expect(findingFaults(analysis) == [])
    return analysis.frames
  }

  /// Frames of 10 to 100 ms are on time. The one of 110 waits for the end of tracking at 155, and is presented at 160
  /// instead of 120 ms.
  @Test func trackingStopsFrames() throws {
    let found = try frames(
      """
      scenario: frames
      timers: [{name: display, every: 10ms, frames: true, do: [cpu: 1ms]}]
      sources: [{name: touch, modes: [tracking]}]
      thread: [run: {for: 105ms}, run: {mode: tracking, for: 50ms}, run: {for: 100ms}]
      """)
    let source = try #require(found.sources.first)
    #expect(source.choice == .program && source.late == 1 && source.hitches == 1)
    #expect(source.hitchNs == 40_000_000 && source.missing == 4)
    let hitch = try #require(found.hitches.first)
    // The model computes due points from wall-clock times.
    #expect((hitch.startNs + 500) / 1000 == 120_000 && hitch.blame.cause == .wrongMode)
    #expect(hitch.blame.mode == "UITrackingRunLoopMode")
  }

  @Test func withoutTheKey() throws {
    let found = try frames(
      """
      scenario: no frames
      timers: [{name: refresh, every: 10ms}]
      thread: [run: {for: 500ms}]
      """)
    #expect(found.sources.isEmpty)
  }
}
