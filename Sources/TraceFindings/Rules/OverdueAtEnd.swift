import TraceResults

extension RuleID { public static let overdueAtEnd: RuleID = "RL024" }

extension FindingRule {
  static let overdueAtEnd = FindingRule.timer(
    .overdueAtEnd, "timer was overdue when the recording ended", basis: .itself
  ) { timer, ledger, analysis in
    let overdue = ledger.pendingOverdueNs
    guard ledger.pending > 0, overdue > max(timer.intervalNs, FindingLimits.noticeableNs),
      !timer.modes.isEmpty
    else { return nil }
    return Finding(
      .info,
      "\(timer.said) had been overdue for \(ns: overdue, "pending_overdue_ns") when \(Say.end(analysis))",
      headline: Finding.Headline(value: Units.duration(overdue), label: "overdue"), weight: overdue)
  }
}
