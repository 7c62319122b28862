import TraceComparison

extension Comparison {
  /// The number of minor differences, which are listed only on request; without a full stop. Nil = there are none.
  var minorDifferences: String? {
    let shared = rows.filter { $0.presence == .both }
    let parts = [
      (shared.reduce(0) { $0 + $1.counts.count { $0.difference == .minor } }, "count"),
      (shared.reduce(0) { $0 + $1.distributions.count { $0.difference == .minor } }, "distribution"),
      (findings.count { $0.difference == .minor }, "finding"),
    ].filter { $0.0 > 0 }
    guard !parts.isEmpty else { return nil }
    let words = parts.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }
    let list =
      (words.count > 1 ? words.dropLast().joined(separator: ", ") + " and " : "") + (words.last ?? "")
    let isOne = parts.reduce(0) { $0 + $1.0 } == 1
    return
      "\(list) \(isOne ? "is a minor difference" : "are minor differences"): smaller than \(relevant.text), or possibly due to chance"
  }
}

extension ComparedFinding {
  /// A label such as `new  error`, `gone warning`, or `now error, before warning`.
  var label: String {
    if let former { return "now \(finding.severity.name), before \(former.severity.name)" }
    return "\(presence == .new ? "new " : "gone") \(finding.severity.name)"
  }
}
