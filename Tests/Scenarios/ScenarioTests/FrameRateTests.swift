import TestSupport
import Testing
import TraceAnalysis
import TraceReplay

/// The monitor of frames per second, and its two errors.
@Suite struct FrameRateTests {
  private func analysis(_ sample: String, _ detectors: [Detector]) throws -> Analysis {
    var options = AnalysisOptions()
    options.replay.detectors = detectors
    let trace = try VirtualRecordingTests.trace(VirtualRecordingTests.scenario(sample))
    return try TraceAnalyzer(openTrace(trace), options: options).analyze()
  }

  private func analysis(_ sample: String, _ option: String) throws -> Analysis {
    let detector = try #require(Detector.named(option))
    return try analysis(sample, [detector])
  }

  private func reports(_ sample: String, _ option: String = "fps") throws -> [String] {
    let result = try #require(try analysis(sample, option).detectors.first)
    #expect(result.count == result.reports.count)
    return result.reports.map(\.what)
  }

  /// Returns how many timers may be the frame source; nil if there is one.
  private func candidates(_ sample: String, _ option: String = "fps") throws -> Int? {
    for note in try analysis(sample, option).notes {
      if case .noFrameSource(let candidates) = note { return candidates }
    }
    return nil
  }

  /// 240 frames; each measurement takes 24 of them.
  @Test func aFluentAnimationIsReported() throws {
    #expect(try reports("detect-fluent") == Array(repeating: "at 24 fps", count: 9))
    #expect(try reports("detect-fluent", "fps:limit=24").isEmpty)
    #expect(try reports("detect-fluent", "fps:window=2s") == Array(repeating: "at 24 fps", count: 4))
    let timer = try #require(try analysis("detect-fluent", []).timers.first { $0.name == "film" })
    #expect(timer.fired == 240 && timer.ledger?.skipped == 0)
  }

  @Test func aVisibleStopIsNotReported() throws {
    #expect(try reports("detect-stutter").isEmpty)
    #expect(try candidates("detect-stutter") == nil)
    #expect(try reports("detect-stutter", "fps:limit=58") == Array(repeating: "at 57 fps", count: 9))
    let timer = try #require(try analysis("detect-stutter", []).timers.first { $0.name == "frame" })
    #expect(timer.ledger?.skippedBy[.busy] == 30 && timer.ledger?.skipped == 30)
  }

  @Test(arguments: [("detect-fluent", ["fps"]), ("detect-stutter", [])] as [(String, [String])])
  func onlyTheCounterReports(sample: String, names: [String]) throws {
    #expect(try analysis(sample, Detector.all).detectors.filter { $0.count > 0 }.map(\.name) == names)
  }

  /// Without one frame source, nothing is counted, and a note says so.
  @Test func theFrameSourceMustBeKnown() throws {
    #expect(try candidates("detect-nested") == 0)
    #expect(try candidates("timer-starvation") == 3)
    #expect(try reports("timer-starvation").isEmpty)
    #expect(try candidates("timer-starvation", "fps:source=refresh (common)") == nil)
    // While the finger is down, the timer of the default mode makes no frame.
    #expect(try reports("timer-starvation", "fps:source=refresh (default only)").count == 1)
    #expect(try candidates("timer-starvation", "fps:source=refresh") == 0)
  }

  @Test func settings() throws {
    let rate = try #require(
      Detector.named("fps:window=500ms:limit=24:source=tick() main.swift:10")?.frameRate)
    #expect(rate.windowNs == 500_000_000 && rate.limit == 24 && rate.source == "tick() main.swift:10")
    #expect(Detector.named("fps") == .fps && Detector.named("apple") == .apple)
    for wrong in [
      "fps:", "fps:24", "fps:limit=0", "fps:limit=x", "fps:window=5", "fps:window=1us", "apple:limit=3",
    ] {
      #expect(Detector.named(wrong) == nil, "\(wrong)")
    }
  }
}
