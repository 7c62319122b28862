import TestSupport
import Testing
import TextReport
import TraceAnalysis
import TraceFormat

@testable import TraceRecorder

/// A recording of the newest part must give the same results for that part as the whole recording.
@Suite struct NewestPartTests {
  @Test(.optimizedBuild) func theNewestPartHasTheResultsOfTheWhole() throws {
    var random = SeededGenerator(named: "newestPart")
    var cutTraces = 0
    for round in 0..<TestRounds.value(100) {
      let hasHigh = round.isMultiple(of: 2)
      let loop = SimulatedLoop(
        SeededGenerator(seed: random.next()), budget: round.isMultiple(of: 10) ? 20_000 : 600,
        hasHigh: hasHigh)
      let part = try openTrace(try NewestPartTests.newestPart(of: loop, hasHigh: hasHigh, &random))
      guard part.beginning > 0 else { continue }
      cutTraces += 1
      var options = AnalysisOptions()
      options.from = part.beginning
      let whole = try TraceAnalyzer(openTrace(loop.trace(codec: .none)), options: options).analyze()
      let kept = try TraceAnalyzer(part).analyze()
      let changes = Self.changesMemberships(loop)
      let difference = firstDifference(
        try Self.lines(kept, withoutModes: changes), try Self.lines(whole, withoutModes: changes))
      #expect(difference == nil, "\(TestSeed.note), round \(round)")
      let ofKept = loop.events.count { $0.time >= part.beginning }
      #expect(part.droppedEvents == UInt64(loop.events.count - ofKept), "\(TestSeed.note), round \(round)")
    }
    #expect(cutTraces > 0)
  }

  /// Returns whether timers change modes after the loop's first Entry. A part does not contain the original modes of a
  /// timer, only the modes that the timer was in at the start of the part.
  private static func changesMemberships(_ loop: SimulatedLoop) -> Bool {
    let start = loop.events.first(where: { $0.kind == EventKind.entryLow.rawValue })?.time ?? 0
    let changes = [EventKind.timerAdd, .timerRemove, .loopAddCommonMode].map(\.rawValue)
    return loop.events.contains { $0.time > start && changes.contains($0.kind) }
  }

  /// `withoutModes`: leaves out the modes of timers and the numbers that depend on them.
  private static func lines(_ analysis: Analysis, withoutModes: Bool) throws -> [Substring] {
    var analysis = analysis
    analysis.notes = []
    if withoutModes {
      analysis.findings = []
      for index in analysis.timers.indices {
        analysis.timers[index].modes = []
        analysis.timers[index].isCommon = false
      }
    }
    // Rows are in the order in which modes and timers first occurred.
    analysis.modes.sort { $0.mode < $1.mode }
    analysis.timers.sort { ($0.site, $0.name) < ($1.site, $1.name) }
    return try AnalysisJSON.encode([("x", analysis)]).split(separator: "\n")
  }

  /// Returns the recording's newest part of a loop's events, in blocks of random sizes and segments of random
  /// lengths.
  private static func newestPart(
    of loop: SimulatedLoop, hasHigh: Bool, _ random: inout SeededGenerator
  ) throws -> [UInt8] {
    let sink = MemorySink()
    let size = UInt64(4_000 + random.next() % 20_000)
    let folder = try TemporaryFolder()
    let recent = try RecentTrace(
      KeptPart(bytes: size), store: SegmentsInFiles(trace: folder.file("t.rltrace")), sink: sink,
      header: FileHeader(
        timeUnit: .ns1, codec: .none, captureLevel: .callouts, clock: .monotonic, hasHighStamps: hasHigh),
      options: RecordingOptions(timeUnit: .ns1))
    var definitions = SpoolNames.Definitions()
    definitions.strings = SimulatedLoop.strings
    definitions.threads = SimulatedLoop.threads
    definitions.modes = SimulatedLoop.modeNames
    recent.write(&definitions)
    var rest = loop.events[...]
    while !rest.isEmpty {
      let block = rest.prefix(Int(1 + random.next() % 60))
      rest = rest.dropFirst(block.count)
      _ = try recent.write(EventBuffer(block), thread: 0, isFlat: false)
      guard let last = block.last, let next = rest.first, next.time > last.time else { continue }
      let now = last.time + random.next() % (next.time - last.time)
      if recent.wantsCut(at: now) { try recent.cut(at: now) }
    }
    try recent.close()
    return sink.bytes
  }
}
