import TraceResults

/// Rules about a recording under way.
extension GateRule {
  /// Why the rule cannot be judged while a recording is under way; nil if it can.
  package var liveProblem: String? {
    if needsBaseline { return "a recording under way has no baseline" }
    guard !measure.metric.isLive else { return nil }
    return "\(measure.metric.name) are about a whole recording; while it is under way, rules measure "
      + Metric.allCases.filter(\.isLive).map(\.name).joined(separator: ", ")
  }
}

extension Metric {
  /// Whether any part of a recording has the number. Some findings are about how a recording begins or ends.
  package var isLive: Bool { self != Metric.findings }
}

/// The violations of a rule that is judged again and again. Each is reported once: at the next judgement, so that the
/// report covers how it went on.
package struct RuleEpisode: Sendable {
  private enum Stage {
    case holds
    /// The rule was broken at the last judgement, in these words.
    case broken(String)
    case reported
  }

  private var stage = Stage.holds

  package init() {}

  /// Takes the next judgement. Returns the words for a violation that is to be reported now; nil = none. An undecided
  /// judgement does not end a violation.
  package mutating func take(_ result: Gate.RuleResult) -> String? {
    switch (stage, result.outcome) {
    case (.holds, .broken):
      stage = .broken(RuleEpisode.words(result))
      return nil
    case (.broken, .broken):
      stage = .reported
      return RuleEpisode.words(result)
    case (.broken(let words), .undecided):
      stage = .reported
      return words
    case (.broken(let words), .pass):
      stage = .holds
      return words
    case (.reported, .pass):
      stage = .holds
      return nil
    case (.holds, .pass), (.holds, .undecided), (.reported, .broken), (.reported, .undecided): return nil
    }
  }

  private static func words(_ result: Gate.RuleResult) -> String {
    let measured = result.measured.map { ": \($0.text(result.rule.measure.dimension))" } ?? ""
    return "\(harmless(result.rule.text, limit: 200)) did not hold\(measured)"
  }
}
