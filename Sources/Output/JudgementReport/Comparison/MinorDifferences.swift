import TraceAnalysis
import TraceComparison

extension Comparison {
  /// The minor differences and the reasons why they are minor; without a full stop. Nil = there are none.
  var minorDifferences: String? {
    var reasons: [(words: Reason, count: Int)] = []
    func add(_ reason: Reason) {
      if let place = reasons.firstIndex(where: { $0.words == reason }) {
        reasons[place].count += 1
      } else {
        reasons.append((reason, 1))
      }
    }
    let shared = rows.filter { $0.presence == .both }
    for count in shared.flatMap(\.counts) where count.difference == .minor { add(reason(count)) }
    for times in shared.flatMap(\.distributions) where times.difference == .minor { add(reason(times)) }
    for frames in shared.compactMap(\.frames) where frames.difference == .minor { add(reason(frames)) }
    for finding in findings where finding.difference == .minor { add(reason(finding)) }
    guard !reasons.isEmpty else { return nil }
    let parts = reasons.map { Phrase.count($0.count, $0.words.one, $0.words.many) }
    return "Minor differences: " + parts.joined(separator: "; ")
  }

  /// The words for one difference, and for several.
  private typealias Reason = (one: String, many: String)

  private func reason(_ count: ComparedCount) -> Reason {
    guard let base = count.base, let new = count.new else {
      return ("count is not known in one trace", "counts are not known in one trace")
    }
    let isClose = Double(max(base, new)) < Double(min(base, new)) * (1 + relevant.share)
    return isClose
      ? (
        "count differs by less than \(relevant.shareText)", "counts differ by less than \(relevant.shareText)"
      )
      : (
        "count differs by no more than chance can explain", "counts differ by no more than chance can explain"
      )
  }

  private func reason(_ times: ComparedDistribution) -> Reason {
    times.isOfCloseValues
      ? (
        "distribution differs by less than \(relevant.timeText)",
        "distributions differ by less than \(relevant.timeText)"
      )
      : ("distribution differs in too few values", "distributions differ in too few values")
  }

  private func reason(_ frames: ComparedFrames) -> Reason {
    frames.pValue < ComparedFrames.significance
      ? ("hitch ratio hardly differs", "hitch ratios hardly differ")
      : (
        "hitch ratio differs by no more than chance can explain",
        "hitch ratios differ by no more than chance can explain"
      )
  }

  private func reason(_ finding: ComparedFinding) -> Reason {
    min(finding.finding.severity, finding.former?.severity ?? .info) == .info
      ? ("finding is for information only", "findings are for information only")
      : ("finding comes from numbers that hardly differ", "findings come from numbers that hardly differ")
  }
}

extension ComparedFinding {
  /// A label such as `new  error`, `gone warning`, or `now error, was warning`.
  var label: String {
    if let former { return "now \(finding.severity.name), was \(former.severity.name)" }
    return "\(presence == .new ? "new " : "gone") \(finding.severity.name)"
  }
}
