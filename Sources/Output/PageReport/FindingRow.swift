import TraceAnalysis

extension Finding {
  /// The row of the finding on a page, for templates.
  var row: [String: Any] {
    func words(_ name: String) -> [[String: String]] {
      name.isEmpty ? [] : [["words": harmless(name, limit: 80)]]
    }
    return [
      "severity": severity.name, "rule": rule.rawValue, "heading": title, "subject": words(subject),
      "blocker": words(blocker),
      "figure": headline.map { [["value": $0.value, "label": $0.label]] } ?? [],
    ]
  }
}
