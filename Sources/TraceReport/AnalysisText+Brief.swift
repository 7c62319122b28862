import TraceAnalysis
import TraceFormat

/// The report that fits on a screen: the verdict in a line, the first findings, and the next commands to type.
extension AnalysisText {
  /// The number of findings in the brief report.
  static let briefShown = 4

  /// Returns a line such as `Verdict: error RL001, timer starves …`. The first finding below it has the details.
  func briefVerdict() -> [String] {
    let verdict = analysis.verdict
    guard verdict.outcome == .fault, let finding = verdict.finding else { return self.verdict() }
    return wrap("Verdict: \(finding.severity.name) \(finding.rule.rawValue), \(finding.brief)", indent: "")
      .map { style.toned($0, verdict) }
  }

  /// Returns the commands that show more, ready to type.
  func next(_ file: String) -> [String] {
    let name = ShellWords.line([harmless(file, limit: .max)])
    return ["", style.strong("Next"), "  rltrace analyze \(name) --full", "  rltrace report \(name)"]
  }
}
