import TraceAnalysis

extension Verdict {
  /// Where a trace is one of several, or stands beside rules: with severity and rule, without what to do.
  var line: String {
    guard outcome == .fault, let finding else { return text }
    return "\(finding.severity.name) \(finding.rule.rawValue): \(text)"
  }
}
