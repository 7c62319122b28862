import TraceAnalysis

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
    let name = AnalysisText.typed(file)
    return ["", style.strong("Next"), "  rltrace analyze \(name) --full", "  rltrace report \(name)"]
  }

  /// A name of a file as an argument of a shell.
  static func typed(_ file: String) -> String {
    let name = harmless(file, limit: .max)
    let isPlain = name.utf8.allSatisfy { byte in
      byte >= 0x80 || UnicodeScalar(byte).properties.isAlphabetic || (0x30...0x39).contains(byte)
        || "._/+-@:,=%".utf8.contains(byte)
    }
    if isPlain, !name.isEmpty, !name.hasPrefix("-") { return name }
    return "'" + name.with("'\\''", for: "'") + "'"
  }
}
