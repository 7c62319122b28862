import TraceAnalysis
import TraceFormat
import TraceReplay

/// A trace that rules are checked against.
package struct GatedTrace: Sendable {
  /// The analysis that lists the spans of at least `spansFromNs`.
  package let numbers: Analysis
  /// The analysis with the spans that `analyze` lists, so that it has the same findings.
  package let findings: Analysis
  let spansFromNs: UInt64
  /// Why the file is incomplete; nil if it is complete.
  let problem: String?

  /// Returns the options of the analysis for numbers; nil = the given ones. Shorter spans are listed if a rule needs
  /// them. Timers that rules name with `frames` are frame sources. The state that a rule names splits the results.
  package static func options(
    for rules: [GateRule], _ options: AnalysisOptions, of reader: TraceReader
  ) -> AnalysisOptions? {
    let from = rules.compactMap(\.spansFromNs).min() ?? .max
    let needsShorter = from < listedFromNs(options, of: reader)
    let sources = Set(rules.compactMap { $0.measure[.frames] }).subtracting(options.frameSources)
    let state = options.splitState ?? rules.lazy.compactMap { $0.measure[.state] }.first
    guard needsShorter || !sources.isEmpty || state != options.splitState else { return nil }
    var options = options
    options.frameSources += sources.ordered()
    options.splitState = state
    if needsShorter {
      options.replay.listGaps(fromNs: min(from, options.replay.listedGapNs(of: reader)))
      options.replay.busyThresholdNs = min(from, options.replay.busyThresholdNs)
    }
    return options
  }

  /// Returns the minimum length of the gaps and busy intervals that are listed.
  package static func listedFromNs(_ options: AnalysisOptions, of reader: TraceReader) -> UInt64 {
    max(options.replay.listedGapNs(of: reader), options.replay.busyThresholdNs)
  }

  /// Creates a gated trace. Both analyses may be the same if no rule is about gaps or busy intervals, or none about
  /// findings.
  package init(numbers: Analysis, findings: Analysis, spansFromNs: UInt64, problem: String?) {
    self.numbers = numbers
    self.findings = findings
    self.spansFromNs = max(spansFromNs, 1)
    self.problem = problem
  }

  /// Analyzes a trace for rules. Rules about short gaps need a second, finer analysis. `problem`: why the trace is
  /// incomplete, if the reader does not know that; nil = the reader knows. `needsFindings` false: only the outcomes of
  /// the rules are needed, and one analysis is enough if no rule is about findings.
  package init(
    _ reader: TraceReader, _ rules: [GateRule], _ options: AnalysisOptions, problem: String? = nil,
    needsFindings: Bool = true
  ) throws(TraceFormatError) {
    let closer = Self.options(for: rules, options, of: reader)
    let numbers = try TraceAnalyzer(reader, options: closer ?? options).analyze()
    var findings = numbers
    if closer != nil, needsFindings || rules.contains(where: { $0.measure.metric == Metric.findings }) {
      findings = try TraceAnalyzer(reader, options: options).analyze()
    }
    self.init(
      numbers: numbers, findings: findings, spansFromNs: Self.listedFromNs(closer ?? options, of: reader),
      problem: problem ?? reader.problem?.reason)
  }

  func checkIsWhole() throws(Undecidable) { if let doubt { throw Undecidable(doubt) } }

  /// Why the trace may lack what a rule is about, in which case no rule is decided; nil = the trace is complete.
  var doubt: String? {
    let facts = numbers.trace
    if facts.lostEvents > 0 { return "the recorder lost \(facts.lostEvents) events" }
    if let problem { return "the trace is incomplete: \(problem)" }
    if !facts.clean || numbers.damage != nil { return "the trace is incomplete" }
    if facts.unfollowed > 0 {
      return "\(Phrase.count(facts.unfollowed, "event", "events")) beyond the limits could not be followed"
    }
    if facts.contradictions > 0 {
      return "the trace contradicts itself in \(Phrase.count(facts.contradictions, "place", "places"))"
    }
    if facts.threadsLeftOut > 0 { return "\(facts.threadsLeftOut) threads of the trace were not followed" }
    if facts.unknownEvents > 0 || facts.unknownBlocks > 0 {
      return "the trace holds events or blocks that this version does not know"
    }
    // Nothing was wrong because there was nothing to judge.
    return numbers.verdict.nothingToJudge?.text
  }

  /// Returns the indexes of the threads with a name; nil = no name was given, so all threads.
  func threads(_ name: String?) throws(Undecidable) -> Set<UInt32>? {
    guard let name else { return nil }
    let all = numbers.trace.threads
    let found =
      name == "main" && all.contains(where: \.isMain)
      ? all.filter(\.isMain)
      : all.contains { $0.name == name }
        ? all.filter { $0.name == name } : all.filter { "\($0.index)" == name }
    guard !found.isEmpty else {
      throw Undecidable("the trace has no thread \(quoted(name))" + suggestion(name, in: all.map(\.name)))
    }
    return Set(found.map(\.index))
  }

  /// Returns the selected modes that ran, at least one.
  func modes(mode: String?, thread: String?) throws(Undecidable) -> [ModeResult] {
    let threads = try threads(thread)
    if mode != nil || thread != nil, numbers.modes.contains(where: \.isRemainder) {
      throw Undecidable(
        "the trace has more than \(AnalysisLimits.modeRows) modes, so not all have rows of their own")
    }
    let found = numbers.modes.filter {
      (mode == nil || $0.mode == mode) && (threads?.contains($0.thread) ?? true)
    }
    guard !found.isEmpty else {
      throw Undecidable(
        mode.map {
          "mode \(quoted($0)) did not run" + (thread.map { " on thread \(quoted($0))" } ?? "")
            + suggestion($0, in: numbers.modes.map(\.mode))
        }
          ?? "no run loop ran" + (thread.map { " on thread \(quoted($0))" } ?? ""))
    }
    return found
  }
}
