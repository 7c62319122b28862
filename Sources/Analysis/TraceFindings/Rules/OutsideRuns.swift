import TraceResults

extension RuleID { package static let outsideRuns: RuleID = "RL025" }

extension FindingRule {
  static let outsideRuns = FindingRule(.outsideRuns, "a thread ran no loop for a long time") { analysis in
    let intervals = analysis.busy.filter {
      $0.isMostlyOutside && $0.longestOutsideNs >= FindingLimits.outsideRunsNs
    }
    let worst = intervals.max {
      ($0.longestOutsideNs, $1.startNs) < ($1.longestOutsideNs, $0.startNs)
    }
    guard let worst else { return nil }
    return Finding(
      .info,
      "Thread \(Phrase.thread(analysis.thread(worst.thread))) ran no loop for \(ns: worst.longestOutsideNs, "longest_outside_ns"). This recording does not show whether it worked, waited or was suspended",
      headline: .time(worst.longestOutsideNs, "outside runs"),
      evidence: [.span(worst.startNs, worst.durationNs, "busy without a wait")],
      weight: worst.longestOutsideNs)
  }
}
