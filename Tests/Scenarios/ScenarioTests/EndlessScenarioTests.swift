import Scenario
import ScenarioRunners
import TestSupport
import Testing
import TraceFormat

/// Endless scenarios end at a limit, and the error names the limit.
@Suite struct EndlessScenarioTests {
  private func exceeded(
    _ text: String, steps: Int? = nil, events: Int = VirtualLimits.events, work: Int = VirtualLimits.work
  ) throws -> String? {
    do {
      _ = try VirtualRecording.record(
        try ScenarioReader.read(text), sink: MemorySink(), unit: .ns10, codec: NoCodec(), stepLimit: steps,
        eventLimit: events, workLimit: work)
    } catch TraceFormatError.invalidInput(let what) {
      return what.split(separator: "(").dropFirst().first.map { String($0.prefix { $0 != ")" }) }
    }
    return nil
  }

  @Test func events() throws {
    let endless = "scenario: x\ntimers: [{name: t, every: 1ms}]\nthread: [run: {}]\n"
    #expect(try exceeded(endless, events: 10_000) == "events")
    #expect(try exceeded(endless, work: 10_000) == "work")
    let ends = "scenario: x\ntimers: [{name: t, every: 1ms}]\nthread: [run: {for: 100ms}]\n"
    #expect(try exceeded(ends, events: 10_000, work: 10_000) == nil)
  }

  /// Endless work that records no events.
  @Test func workWithoutEvents() throws {
    let others = "scenario: x\nothers: [{at: 1ms, every: 100us, until: 1h, do: []}]\nthread: [cpu: 1h]\n"
    #expect(try exceeded(others, work: 10_000) == "work")
  }

  /// The work of other threads takes so long that more of it is always due.
  @Test func actionsThatOverlap() throws {
    let nested =
      "scenario: x\nothers: [{at: 1ms, every: 1ms, until: 1h, do: [cpu: 10ms]}]\nthread: [cpu: 1min]\n"
    #expect(try exceeded(nested, work: 10_000) == "work")
  }

  /// In each pass, the loop visits all blocks whose mode never runs.
  @Test func blocksThatWait() throws {
    let blocks = """
      scenario: x
      timers: [{name: t, every: 1ms, do: [perform: {modes: [other], do: []}]}]
      thread: [run: {for: 10s}]
      """
    #expect(try exceeded(blocks, work: 1_000_000) == "work")
  }

  @Test func steps() throws {
    let text = "scenario: x\ntimers: [{name: t, every: 1ms, do: [cpu: 1us]}]\nthread: [run: {for: 1s}]\n"
    #expect(try exceeded(text, steps: 10) == nil, "the caller set this limit")
  }
}
