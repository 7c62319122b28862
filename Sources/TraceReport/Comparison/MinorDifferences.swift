import TraceComparison

/// How many differences of a comparison are minor: what it lists on request only.
struct MinorDifferences {
  private let counts: Int
  private let distributions: Int
  private let findings: Int
  private let bound: String

  init(_ comparison: Comparison) {
    let shared = comparison.rows.filter { $0.presence == .both }
    counts = shared.reduce(0) { $0 + $1.counts.count { $0.difference == .minor } }
    distributions = shared.reduce(0) { $0 + $1.distributions.count { $0.difference == .minor } }
    findings = comparison.findings.count { $0.difference == .minor }
    bound = comparison.relevant.text
  }

  var isEmpty: Bool { counts + distributions + findings == 0 }

  /// Without a full stop.
  var text: String {
    let parts = [
      (counts, "count"), (distributions, "distribution"), (findings, "finding"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }
    let list =
      parts.count < 2 ? parts.joined() : parts.dropLast().joined(separator: ", ") + " and " + parts.last!
    let isOne = counts + distributions + findings == 1
    return
      "\(list) \(isOne ? "is a minor difference" : "are minor differences"): by less than \(bound), or by what may be chance"
  }
}

extension ComparedFinding {
  /// `new  error`, `gone warning`, `now error, before warning`.
  var label: String {
    if let former { return "now \(finding.severity.name), before \(former.severity.name)" }
    return "\(presence == .new ? "new " : "gone") \(finding.severity.name)"
  }
}
