import TraceAnalysis

extension Verdict {
  /// The verdict in a list of traces or beside rules: with severity and rule, without advice.
  package var line: String {
    guard outcome == .fault, let finding else { return text }
    return "\(finding.severity.name) \(finding.rule.rawValue): \(text)"
  }

  /// The verdict without its details: with severity, rule, number and subject.
  package var briefLine: String {
    guard outcome == .fault, let finding else { return text }
    return "\(finding.severity.name) \(finding.rule.rawValue), \(finding.brief)"
  }
}
