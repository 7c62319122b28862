import Scenario
import ScenarioRunners
import TestSupport
import Testing
import TraceAnalysis
import TraceFormat
import TraceGate
import TraceValidation

/// A trace that `validate` finds unsound gets no all-clear, and both commands count the same contradictions: replay
/// applies the validator's rules for the order of events.
@Suite struct SoundVerdictTests {
  private func analysis(_ bytes: [UInt8], atOnce: Bool = true) throws -> Analysis {
    var options = AnalysisOptions()
    options.replay.replaysPasses = atOnce
    return try TraceAnalyzer(openTrace(bytes), options: options).analyze()
  }

  /// Returns the number of contradictions. Fails if the two commands differ.
  @discardableResult
  private func compare(_ bytes: [UInt8], _ note: String) throws -> UInt64 {
    let reader = try openTrace(bytes)
    let validation = try Validation(reader, limit: 100_000)
    let (atOnce, oneByOne) = (try analysis(bytes), try analysis(bytes, atOnce: false))
    let count = UInt64(validation.problems.count) + validation.omitted
    if count > 0 { #expect(atOnce.verdict.outcome != .clear, "\(note)") }
    guard validation.fault != .damaged, validation.fault != .cutShort else { return 0 }
    let unit = reader.header.timeUnit
    // A missing name is reported once: `validate` reads blocks in the order of the file, replay in the order in which
    // they begin. With blocks of several threads, either may report a later use of the name.
    let hasMissingNames = validation.problems.contains { isMissingName($0) }
    let hasOneThread = Set(reader.blocks.filter { $0.type == .events }.map(\.thread)).count == 1
    let bounds = validation.problems.filter { hasOneThread || !isMissingName($0) }
    let first = bounds.compactMap(\.time).min().map { unit.nanoseconds(of: $0) }
    for analysis in [atOnce, oneByOne] {
      #expect(analysis.trace.contradictions == count, "\(note)")
      let found = analysis.trace.firstContradiction?.timeNs
      #expect(
        hasMissingNames ? found ?? .max <= first ?? .max : found == first,
        "\(note): \(found ?? 0) ns, not \(first ?? 0) ns")
    }
    return count
  }

  private func isMissingName(_ problem: Problem) -> Bool { problem.what.contains("is not in the table") }

  @Test(.optimizedBuild, arguments: SampleTraces.analyzable) func samples(name: String) throws {
    let bytes = try ProjectFiles.bytes("SampleTraces/\(name)")
    try compare(bytes, name)
    let reader = try openTrace(bytes)
    guard reader.eventCount < 20_000 else { return }
    var random = SeededGenerator(named: "disturbed \(name)")
    for rate in [1000, 100, 10, 3] as [UInt64] {
      try compare(disturbed(reader, oneIn: rate, &random), "\(name), one in \(rate), \(TestSeed.note)")
    }
  }

  /// Traces of the model, whose loops follow the rules of a run loop.
  @Test func randomTraces() throws {
    var random = SeededGenerator(named: "sound model traces")
    var unsound = 0
    for _ in 0..<TestRounds.value(100) {
      let seed = random.next() % 1_000_000_007
      let sink = MemorySink()
      _ = try VirtualRecording.record(
        RandomScenario(seed: seed).scenario, sink: sink, unit: .ns10, codec: NoCodec(), stepLimit: 1000)
      #expect(try compare(sink.bytes, "scenario \(seed)") == 0, "scenario \(seed)")
      let rate = random.pick([300, 30, 5] as [UInt64])
      let other = try disturbed(openTrace(sink.bytes), oneIn: rate, &random)
      if try compare(other, "scenario \(seed), one in \(rate), \(TestSeed.note)") > 0 { unsound += 1 }
    }
    #expect(unsound > 30)
  }

  @Test(.optimizedBuild) func disturbedPasses() throws {
    var random = SeededGenerator(named: "sound disturbed passes")
    for _ in 0..<TestRounds.value(200) {
      try compare(DisturbedPasses.trace(&random).bytes, TestSeed.note)
    }
  }

  // MARK: Traces made by hand

  private static let names = ["recorder=any"]

  private func hand(_ events: String, hasHigh: Bool = false) throws -> Analysis {
    var trace = HandTrace(main: events, hasHigh: hasHigh)
    trace.facts = SoundVerdictTests.names
    return try trace.analysis()
  }

  private static let calm = """
    0 Entry.low m1 #1
    10 BeforeTimers.low m1 #1
    20 BeforeSources.low m1 #1
    30 BeforeWaiting.low m1 #1
    40 AfterWaiting.low m1 #1

    """

  @Test func aSoundTraceIsClear() throws {
    let analysis = try hand(Self.calm)
    #expect(analysis.verdict.outcome == .clear && analysis.trace.contradictions == 0)
    #expect(analysis.trace.firstContradiction == nil)
  }

  /// Threads that share a ring cause such events: the runs of one thread lie between those of another.
  @Test func anUnsoundTraceIsUndecided() throws {
    let analysis = try hand(Self.calm + "50 Exit.low m1 #1\n60 BeforeTimers.low m1 #1\n70 Exit.low m1 #1")
    #expect(analysis.verdict.outcome == .undecided && analysis.trace.contradictions == 2)
    #expect(analysis.trace.firstContradiction?.timeNs == 60_000)
    let text = analysis.verdict.text
    #expect(text.hasPrefix("Undecided: the trace contradicts itself in 2 places, first at "))
    #expect(text.hasSuffix(" on thread main; `rltrace validate` lists them."))
    let trace = GatedTrace(numbers: analysis, findings: analysis, spansFromNs: 1, problem: nil)
    let gate = Gate([try RuleParser.parse("max(busy) < 250ms")], trace: trace, baseline: .notGiven)
    #expect(gate.results.map(\.outcome) == [.undecided])
  }

  /// A recording that begins inside runs is sound.
  @Test func aTraceThatBeginsInside() throws {
    let analysis = try hand(
      "10 AfterWaiting.low m1 #1\n20 BeforeTimers.low m1 #1\n30 BeforeSources.low m1 #1\n40 Exit.low m1 #1")
    #expect(analysis.trace.contradictions == 0)
  }

  /// If the part before a window was unsound, the window is unsound too.
  @Test func aWindowAfterAContradiction() throws {
    var trace = HandTrace(main: Self.calm + "50 source0.end m1 #5\n60 BeforeTimers.low m1 #1")
    trace.facts = SoundVerdictTests.names
    var options = AnalysisOptions()
    options.from = 55
    let analysis = try trace.analysis(options)
    #expect(analysis.trace.contradictions == 1 && analysis.verdict.outcome == .undecided)
  }

  /// The index is wrong, so the numbers come from the blocks.
  @Test func aTraceThatIsCutIsUndecided() throws {
    var trace = HandTrace(main: Self.calm)
    trace.facts = SoundVerdictTests.names
    let bytes = try assembleTrace(trace.text())
    let analysis = try self.analysis(Array(bytes.dropLast(10)))
    #expect(analysis.verdict.outcome == .undecided)
    #expect(
      analysis.verdict.text
        == "Undecided: the trace is incomplete, and the content of the missing part is not known.")
  }
}
