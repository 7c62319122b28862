import Scenario
import ScenarioRunners
import TestSupport
import Testing
import TraceAnalysis
import TraceFormat
import WhatIf

/// Predictions that were wrong in the field, compared with recordings of the changed programs.
@Suite struct FieldPredictionTests {
  private func record(_ text: String) throws -> [UInt8] {
    let sink = MemorySink()
    _ = try VirtualRecording.record(ScenarioReader.read(text), sink: sink, unit: .ns1, codec: NoCodec())
    return sink.bytes
  }

  private func predict(
    _ bytes: [UInt8], _ change: String, as alternative: Alternative? = nil
  ) throws -> (Prediction, Analysis) {
    let predictor = try Predictor(openTrace(bytes))
    let sink = MemorySink()
    let prediction = try predictor.predict(
      [ChangeParser.read(change)], as: alternative, to: sink, codec: NoCodec())
    return (prediction, try analyze(sink.bytes))
  }

  private func analyze(_ bytes: [UInt8]) throws -> Analysis {
    try TraceAnalyzer(openTrace(bytes)).analyze()
  }

  private func callouts(_ analysis: Analysis) -> [String: UInt64] {
    Dictionary(analysis.callouts.map { ($0.name, $0.count) }, uniquingKeysWith: +)
  }

  private static let signals = """
    scenario: rs
    timers:
      - {name: t, every: 100ms, do: [cpu: 1ms]}
    sources:
      - {name: s, do: [cpu: 500us]}
    thread:
      - run: {for: 2s}
    others:
      - {at: 7300us, every: 5ms, until: 1900ms, do: [signal: s, wake up]}
    """

  /// Without a source, its signals do not wake the loop.
  @Test func wakeUpsGoWithARemovedSource() throws {
    let (prediction, analysis) = try predict(record(Self.signals), "remove s")
    #expect(prediction.doubts.isEmpty && prediction.bounds == .certain)
    #expect(callouts(analysis) == ["t": 20])
    #expect(analysis.findings.isEmpty)
    #expect(analysis.modes.map(\.busyNs) == [20_000_000])
  }

  /// A wake-up that also came with the signal of another source stays. The recording does not show whose it is.
  @Test(arguments: ["7300us", "7200us"]) func wakeUpsOfOtherSourcesStay(at: String) throws {
    let text = Self.signals.replacing("sources:", with: "sources:\n  - {name: other, do: [cpu: 500us]}")
      .replacing("others:", with: "others:\n  - {at: \(at), every: 5ms, until: 1900ms, do: [signal: other]}")
    let (prediction, analysis) = try predict(record(text), "remove s")
    #expect(
      prediction.doubts.contains { $0.contains("may belong to what is removed") }, "\(prediction.doubts)")
    #expect(prediction.bounds == .unknown)
    #expect(callouts(analysis) == ["t": 20, "other": 379])
  }

  /// The other predictions do not show how the system uses a tolerance.
  @Test func aToleranceMakesTheBoundsDoubtful() throws {
    let (prediction, _) = try predict(record(Self.signals), "tolerance t 10ms")
    #expect(prediction.bounds == .doubtful, "\(prediction.doubts)")
  }

  /// A frame source stays one. Without the source that delays it by 10 ms, its frames are on time.
  @Test func framesOfTheChangedProgram() throws {
    let recorded = try record(
      """
      scenario: frames
      timers: [{name: display, every: 10ms, frames: true, do: [cpu: 1ms]}]
      sources: [{name: s, do: [cpu: 15ms]}]
      thread: [run: {for: 1s}]
      others: [{at: 105ms, every: 100ms, until: 850ms, do: [signal: s, wake up]}]
      """)
    let before = try #require(try analyze(recorded).frames.sources.first)
    #expect(before.choice == .program && before.hitches == 8 && before.hitchNs == 80_000_000)
    let after = try #require(try predict(recorded, "remove s").1.frames.sources.first)
    #expect(after.choice == .program && after.hitches == 0 && after.late == 0)
  }

  /// A limit of the rate does not wake a loop that the program does not wake.
  @Test func aLimitWakesOnlyWhereTheProgramWakes() throws {
    let text = Self.signals.replacing("signal: s, wake up", with: "signal: s")
    let (_, analysis) = try predict(record(text), "source s at most 60 per second")
    let recorded = try self.analyze(record(text))
    #expect(callouts(analysis) == callouts(recorded))
    let (_, woken) = try predict(record(Self.signals), "source s at most 60 per second")
    // Served at once, and then every 16.7 ms until the last signal is served.
    #expect(callouts(woken)["s"] == 115)
  }

  /// Arrivals at one moment: the recording allows two orders, and the right one is among them.
  @Test func arrivalsAtOneMoment() throws {
    let text = """
      scenario: tie
      common modes: [tracking]
      sources:
        - {name: s, order: -1, modes: [tracking], do: [cpu: 7272us]}
      gestures:
        - {at: 469ms, for: 542ms, do: [cpu: 9730us]}
      others:
        - {at: 10ms, every: 3ms, until: 1346ms, do: [signal: s, wake up]}
      thread:
        - run: {for: 1286ms}
      """
    let bytes = try record(text)
    let (prediction, analysis) = try predict(bytes, "callout s takes 600us")
    #expect(callouts(analysis)["s"] == 112)
    #expect(analysis.modes.map(\.busyNs).max() == 378_560_000)
    #expect(prediction.alternatives == [.otherTies] && prediction.doubts.count == 1)
    #expect(prediction.bounds == .certain)
    let (_, other) = try predict(bytes, "callout s takes 600us", as: .otherTies)
    #expect(callouts(other)["s"] == 111)
  }

  private func endsNearDuePoint(limit: String) throws -> String {
    let text = """
      scenario: end
      timers:
        - {name: t, every: 100ms, do: [cpu: 20ms]}
      thread:
        - run: {for: \(limit)}
      """
    return try dumpTrace(openTrace(record(text))).replacing("clock=virtual", with: "clock=monotonic")
  }

  /// On a real clock, a run may serve a due point at its time limit or not. Both numbers are in the range.
  @Test(arguments: [("1001ms", 10 as UInt64), ("999ms", 9)]) func duePointAtTheLimit(
    limit: String, fires: UInt64
  ) throws {
    let bytes = try assembleTrace(endsNearDuePoint(limit: limit))
    let (prediction, analysis) = try predict(bytes, "callout t takes 2ms")
    #expect(callouts(analysis) == ["t": fires])
    #expect(prediction.doubts.contains { $0.contains("time limit") }, "\(prediction.doubts)")
    #expect(prediction.bounds == .certain)
    #expect(prediction.alternatives.contains(.earlyEnds) && prediction.alternatives.contains(.lateEnds))
    let numbers = try [Alternative.earlyEnds, .lateEnds].map {
      try callouts(predict(bytes, "callout t takes 2ms", as: $0).1)["t"]
    }
    #expect(numbers == [9, 10])
  }

  /// The time limit passed between the end of the last callout and the end of the run.
  @Test func limitAfterTheLastCallout() throws {
    let text = try endsNearDuePoint(limit: "1001ms").split(separator: "\n").map {
      $0.replacing("102000000", with: $0.contains("timer.end") ? "100095000" : "100105000")
    }.joined(separator: "\n")
    let predictor = try Predictor(openTrace(assembleTrace(text)))
    #expect(predictor.fidelity.map(\.divergence) == [nil])
  }

  /// The end of a hang that is open at the end of the recording is not known.
  @Test(arguments: [
    "callout long takes at most 8ms", "remove long", "callout long takes 2ms", "split long at 8ms",
    "timer long in common", "timer long every 20ms",
  ])
  func openHang(change: String) throws {
    let text = """
      scenario: open
      timers:
        - {name: long, first: 100ms, do: [cpu: 900ms]}
        - {name: t, every: 10ms, do: [cpu: 1ms]}
      thread:
        - run: {for: 2s}
      """
    let lines = try dumpTrace(openTrace(record(text)))
      .split(separator: "\n", omittingEmptySubsequences: false)
    let end = try #require(lines.firstIndex { $0.contains(" timer.end ") && $0.contains("\"long\"") })
    let after = try #require(lines[end...].firstIndex { !$0.contains(" #") })
    let cut = (lines[..<end] + lines[after...]).joined(separator: "\n")
    let predictor = try Predictor(openTrace(assembleTrace(cut)))
    #expect(throws: WhatIfError.self) {
      try predictor.predict([ChangeParser.read(change)], to: MemorySink(), codec: NoCodec())
    }
    _ = try predictor.predict([ChangeParser.read("callout t takes 2ms")], to: MemorySink(), codec: NoCodec())
  }

  /// Blocks that move to the default mode run when the finger lifts, as in the scenario that queues them there.
  @Test func idleWork() throws {
    let (common, alone) = (
      try #require(ScenarioLibrary.text("idle-work-common")),
      try #require(ScenarioLibrary.text("idle-work-default"))
    )
    let (prediction, predicted) = try predict(record(common), "block block in default")
    let changed = try analyze(record(alone))
    #expect(prediction.bounds == .certain, "\(prediction.doubts)")
    #expect(callouts(predicted) == callouts(changed))
    for analysis in [predicted, changed] {
      let block = try #require(analysis.callouts.first { $0.kind == "block" })
      #expect(block.count == 35 && block.timeNs == 770_000_000)
      #expect(block.timeNsByMode.allSatisfy { !ModeName.isTracking($0.mode) || $0.ns == 0 })
    }
    let frames = try [predicted, changed].map { analysis in
      try #require(analysis.timers.first { $0.name == "frame" }?.ledger).byMode
    }
    #expect(frames[0] == frames[1])
    #expect(frames[0].allSatisfy { !ModeName.isTracking($0.mode) || $0.skipped == 0 })
  }
}
