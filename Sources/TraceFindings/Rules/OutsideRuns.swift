import TraceResults

extension RuleID { public static let outsideRuns: RuleID = "RL025" }

extension FindingRule {
  static let outsideRuns = FindingRule(
    .outsideRuns, "a thread ran no loop for long", needs: [], basis: .itself
  ) { analysis in
    let intervals = analysis.busy.filter {
      $0.isMostlyOutside && $0.durationNs >= FindingLimits.outsideRunsNs
    }
    guard let worst = intervals.max(by: { ($0.outsideNs, $1.startNs) < ($1.outsideNs, $0.startNs) }) else {
      return []
    }
    return [
      Finding(
        .info,
        "Thread \(Say.thread(analysis.thread(worst.thread))) ran no loop for \(ns: worst.outsideNs, "outside_ns"): whether it worked, waited or was suspended is not in this recording",
        headline: Finding.Headline(value: Units.duration(worst.outsideNs), label: "outside runs"),
        evidence: [
          Finding.Evidence(startNs: worst.startNs, durationNs: worst.durationNs, note: "between two waits")
        ], weight: worst.outsideNs)
    ]
  }
}
