import TraceResults

extension RuleID { public static let nestedRuns: RuleID = "RL012" }

extension FindingRule {
  static let nestedRuns = FindingRule(
    .nestedRuns, "callouts run nested loops for long", needs: [.callouts], basis: .itself,
    remedy: "Meanwhile its own mode's items wait, and blocks of the main queue wait if it is one."
  ) { analysis in
    // Tracking is a nested run of the callout that begins it: that is how it is meant to be.
    analysis.callouts.filter {
      $0.nestedNs >= FindingLimits.noticeableNs
        && $0.nestedNs > Tracking.timeNs(analysis, thread: $0.thread) &+ FindingLimits.noticeableNs
    }.map { callout in
      Finding(
        .info,
        "\(Say.callout(callout.kind, callout.name)) ran nested loops for \(ns: callout.nestedNs, "nested_ns")",
        headline: Finding.Headline(value: Units.duration(callout.nestedNs), label: "in nested loops"),
        weight: callout.nestedNs, subject: callout.name)
    }
  }
}
