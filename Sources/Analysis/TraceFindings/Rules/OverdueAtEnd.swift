import TraceResults

extension RuleID { package static let overdueAtEnd: RuleID = "RL024" }

extension FindingRule {
  static let overdueAtEnd = FindingRule.timer(
    .overdueAtEnd, "timer was overdue when the recording ended",
    plural: "were overdue when the recording ended"
  ) { timer, ledger, analysis in
    let overdue = ledger.pendingOverdueNs
    guard ledger.pending > 0, overdue > max(timer.longestIntervalNs, FindingLimits.noticeableNs),
      !timer.modes.isEmpty
    else { return nil }
    // The same as its earlier fires, which have a finding of their own.
    if let starved = WrongMode(timer, ledger), starved.severity < .info, overdue <= ledger.latenessNs.max {
      return nil
    }
    let sentence: Sentence =
      ledger.pending == 1
      ? "\(timer.said) had been overdue for \(ns: overdue, "pending_overdue_ns") when \(Phrase.end(analysis))"
      : "\(count: ledger.pending, "pending") timers like \(timer.described) were overdue when \(Phrase.end(analysis)), the longest for \(ns: overdue, "pending_overdue_ns")"
    return Finding(
      .info, sentence, headline: .time(overdue, "overdue"),
      evidence: [
        .span(analysis.trace.toNs &- min(overdue, analysis.trace.toNs), overdue, "overdue at the end")
      ], weight: overdue)
  }
}
