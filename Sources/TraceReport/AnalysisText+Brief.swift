import TraceAnalysis
import TraceFormat

/// The report that fits a screen: the verdict in a line, the first findings, and the next commands to type.
extension AnalysisText {
  /// Findings of the brief report.
  static let briefShown = 4

  /// `Verdict: error RL001, timer starves …`: the first of the findings below says the rest.
  func briefVerdict() -> [String] {
    let verdict = analysis.verdict
    guard verdict.outcome == .fault, let finding = verdict.finding else { return self.verdict() }
    return wrap("Verdict: \(finding.severity.name) \(finding.rule.rawValue), \(finding.brief)", indent: "")
      .map { style.toned($0, verdict) }
  }

  /// What shows more, as it may be typed.
  func next(_ file: String) -> [String] {
    let name = ShellWords.line([harmless(file, limit: .max)])
    return ["", style.strong("Next"), "  rltrace analyze \(name) --full", "  rltrace report \(name)"]
  }
}
