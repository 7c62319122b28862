import TraceResults

extension RuleID { public static let outsideRuns: RuleID = "RL025" }

extension FindingRule {
  static let outsideRuns = FindingRule(.outsideRuns, "a thread ran no loop for long") { analysis in
    let intervals = analysis.busy.filter {
      $0.isMostlyOutside && $0.durationNs >= FindingLimits.outsideRunsNs
    }
    guard let worst = intervals.max(by: { ($0.outsideNs, $1.startNs) < ($1.outsideNs, $0.startNs) }) else {
      return nil
    }
    return Finding(
      .info,
      "Thread \(Say.thread(analysis.thread(worst.thread))) ran no loop for \(ns: worst.outsideNs, "outside_ns"): whether it worked, waited or was suspended is not in this recording",
      headline: .time(worst.outsideNs, "outside runs"),
      evidence: [.span(worst.startNs, worst.durationNs, "between two waits")], weight: worst.outsideNs)
  }
}
