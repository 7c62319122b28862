import CallStacks
import Symbolication
import TraceAnalysis
import TraceFormat
import TraceGate
import TraceReplay

/// The outcome of a test's rules: a message for each rule that does not hold, and the trace of the test.
struct BudgetVerdict: Sendable {
  var failures: [String] = []
  /// The trace of the test, if a rule does not hold; empty = there is none.
  var trace: [UInt8] = []

  init(failures: [String]) { self.failures = failures }

  /// Judges the newest interval with this name on this thread of a recording.
  init(_ recorded: RecordingSoFar, _ interval: String, _ osThread: UInt64, _ rules: BudgetRules) {
    do throws(TraceFormatError) {
      var part = try Self.part(recorded, interval, osThread)
      let gate = try Self.gate(part, rules.rules, needsFindings: false)
      guard gate.outcome != .pass else { return }
      // Naming code takes time, so it is done only for failures.
      part = (try? Self.named(part)) ?? part
      trace = part
      failures = Self.messages(try Self.gate(part, rules.rules, needsFindings: true), rules)
    } catch {
      failures = ["undecided: the recording cannot be read: \(error)"]
    }
  }

  /// Returns the part of a recording that belongs to an interval of a thread, as a trace.
  static func part(
    _ recorded: RecordingSoFar, _ name: String, _ osThread: UInt64
  ) throws(TraceFormatError) -> [UInt8] {
    let reader = try open(recorded.bytes)
    let index = try recorded.index(reader)
    let all = index.intervals(in: reader) { $0 == name }
    guard let interval = all.last(where: { reader.threads[$0.thread]?.osThread == osThread }) else {
      throw .invalidInput(what: "it does not contain the test")
    }
    return try TraceExcerpt(reader, interval, index).bytes()
  }

  private static func open(_ bytes: [UInt8]) throws(TraceFormatError) -> TraceReader {
    try TraceReader(source: MemorySource(bytes), codecs: { $0 == NoCodec().id ? NoCodec() : nil })
  }

  /// Returns the trace with names for its code where symbols are found.
  static func named(_ bytes: [UInt8]) throws(TraceFormatError) -> [UInt8] {
    let reader = try open(bytes)
    let code = try RecordedCode(reader) { _ in }
    guard !code.addresses.isEmpty else { return bytes }
    let naming = TraceNaming(code, known: try FrameNames(reader), StackSymbolizer())
    let sink = MemorySink()
    try FrameNaming.write(naming.names, copying: reader, sink: sink, codec: NoCodec())
    return sink.bytes
  }

  static func analysis(of bytes: [UInt8]) throws(TraceFormatError) -> Analysis {
    try TraceAnalyzer(open(bytes), options: options).analyze()
  }

  private static var options: AnalysisOptions {
    var options = AnalysisOptions()
    options.replay.detectors = []
    return options
  }

  private static func gate(
    _ bytes: [UInt8], _ rules: [GateRule], needsFindings: Bool
  ) throws(TraceFormatError) -> Gate {
    let trace = try GatedTrace(open(bytes), rules, options, needsFindings: needsFindings)
    return Gate(rules, trace: trace, baseline: .notGiven)
  }

  private static func messages(_ gate: Gate, _ rules: BudgetRules) -> [String] {
    switch gate.trace.findings.verdict.nothingToJudge {
    case .noRun?, .noEvents?:
      return ["undecided: no run loop ran in this test"]
    default: break
    }
    return gate.results.filter { $0.outcome != .pass }.map { result in
      let rule = rules.text(result.rule)
      guard result.outcome == .broken, let measured = result.measured else {
        return "\(rule): undecided: \(result.why)"
      }
      let number = measured.text(result.rule.measure.dimension)
      let evidence = RuleEvidence(gate.trace, result.rule).text
      return "\(rule): \(number)" + (evidence.isEmpty ? "" : "; \(evidence)")
    }
  }
}
