import TraceResults

extension RuleID { public static let nestedRuns: RuleID = "RL012" }

extension FindingRule {
  static let nestedRuns = FindingRule(
    .nestedRuns, "callouts run nested loops for long",
    plural: .subjects("callouts run nested loops for long"), needs: [.callouts],
    remedy: "Meanwhile its own mode's items wait, and blocks of the main queue wait if it is one.",
    of: \.callouts
  ) { callout, analysis in
    // Tracking is a nested run of the callout that begins it: that is how it is meant to be.
    guard callout.nestedNs >= FindingLimits.noticeableNs,
      callout.nestedNs > Tracking.timeNs(analysis, thread: callout.thread) &+ FindingLimits.noticeableNs
    else { return nil }
    return Finding(
      .info,
      "\(Say.callout(callout.kind, callout.name)) ran nested loops for \(ns: callout.nestedNs, "nested_ns")",
      headline: .time(callout.nestedNs, "in nested loops"), weight: callout.nestedNs, subject: callout.name)
  }
}
