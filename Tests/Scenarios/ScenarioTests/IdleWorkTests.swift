import Scenario
import TestSupport
import Testing
import TraceAnalysis

/// Heavy work while tracking that could run in the default mode (RL043), and work that could not.
@Suite struct IdleWorkTests {
  private func findings(_ text: String) throws -> [Finding] {
    let trace = try VirtualRecordingTests.trace(ScenarioReader.read(text))
    let analysis = try TraceAnalyzer(openTrace(trace)).analyze()
    #expect(findingFaults(analysis) == [])
    return analysis.findings.filter { $0.rule == .idleWork }
  }

  private func findings(sample: String) throws -> [Finding] {
    try findings(try #require(ScenarioLibrary.text(sample)))
  }

  private static func scenario(_ parts: String...) -> String {
    ([
      "scenario: idle work", "common modes: [tracking]", "thread: [run: {for: 4s}]",
      "gestures: [{at: 1s, for: 1s, do: [cpu: 2ms]}]",
    ] + parts).joined(separator: "\n") + "\n"
  }

  private static let frames =
    "timers:\n  - {name: frame, every: 16666667ns, modes: [common], do: [cpu: 1ms]}"

  /// Returns work of another thread that queues a block of 22 ms.
  private static func blocks(every: String, from: String = "512ms", until: String, modes: String = "common")
    -> String
  {
    "  - {at: \(from), every: \(every), until: \(until), do: [perform: {modes: [\(modes)], do: [cpu: 22ms]}, wake up]}"
  }

  @Test func theSamples() throws {
    let before = try #require(try findings(sample: "idle-work-common").first)
    #expect(before.severity == .info)
    #expect(
      before.text.hasPrefix(
        "block \"block\" took 198 ms while tracking, and made timer \"frame\" miss at least 9 fires then"))
    #expect(try findings(sample: "idle-work-default").isEmpty)
  }

  /// A source and a timer of the common modes.
  @Test func otherKinds() throws {
    let source = Self.scenario(
      Self.frames, "sources: [{name: decode, modes: [common], do: [cpu: 22ms]}]",
      "others: [{at: 512ms, every: 100ms, until: 3900ms, do: [signal: decode, wake up]}]")
    #expect(try findings(source).map(\.subject) == ["decode"])
    func timer(_ keys: String) -> String {
      Self.scenario(
        Self.frames, "  - {name: preload, first: 512ms, every: 100ms, do: [cpu: 22ms], \(keys)}")
    }
    #expect(try findings(timer("modes: [common]")).map(\.subject) == ["preload"])
    #expect(try findings(timer("modes: [common], deferrable: true")).isEmpty)
    #expect(try findings(timer("modes: [default]")).isEmpty)
  }

  /// A gesture's own work runs only, or mostly, while tracking.
  @Test func workOfTheGesture() throws {
    #expect(
      try findings(
        Self.scenario(Self.frames, "others:", Self.blocks(every: "50ms", from: "1s", until: "1900ms"))
      )
      .isEmpty)
    #expect(
      try findings(
        Self.scenario(
          Self.frames, "others:", Self.blocks(every: "500ms", until: "3900ms"),
          Self.blocks(every: "50ms", from: "1010ms", until: "1900ms"))
      ).isEmpty)
  }

  /// Nothing is known to wait for the work: there is no timer, or the timer is only in the default mode.
  @Test func nothingIsDelayed() throws {
    let work = ["others:", Self.blocks(every: "100ms", until: "3900ms")].joined(separator: "\n")
    #expect(try findings(Self.scenario(work)).isEmpty)
    let frames = Self.frames.replacing("modes: [common]", with: "modes: [default]")
    #expect(try findings(Self.scenario(frames, work)).isEmpty)
    #expect(try findings(Self.scenario(Self.frames, work)).count == 1)
  }
}
