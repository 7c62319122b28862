import TraceAnalysis

/// What is said of a trace in a line where it is one of several, or beside rules: its top-ranked finding.
struct TopFinding {
  /// Harmless, with a full stop.
  let text: String
  /// `error`, `warning`, `none` for an all-clear, `undecided` where no run loop ran.
  let outcome: String
  let rule: FindingRule?

  init(_ analysis: Analysis) {
    if let worst = analysis.findings.first, worst.severity < .info {
      text = "\(worst.severity.name) \(worst.rule.rawValue): \(worst.text)"
      outcome = worst.severity.name
      rule = worst.rule
    } else {
      let isEmpty = analysis.modes.isEmpty
      text = isEmpty ? "Nothing to judge: no run loop ran." : "No error and no warning."
      outcome = isEmpty ? "undecided" : "none"
      rule = nil
    }
  }
}
