import TraceResults

extension RuleID { package static let lostWhileSuspended: RuleID = "RL007" }

extension FindingRule {
  static let lostWhileSuspended = FindingRule.timer(
    .lostWhileSuspended, "timer lost fires because of a suspension", of: .suspended,
    plural: "lost fires because of a suspension"
  ) { timer, ledger, analysis in
    let points = ledger.skipped(.suspended)
    guard points > 0 else { return nil }
    let lost = timer.timeNs(of: points)
    return Finding(
      .info,
      "\(timer.said) lost \(count: points, "skipped") of \(ledger.dueFires) while the process was suspended",
      advice: timer.intervalNs == 0
        ? ""
        : timer.objects == 1
          ? "If the program counts its fires, add \(ns: lost, "lost_ns") once when the process resumes."
          : "If the program counts the fires of each of these timers, add the time that the timer lost, once, when the process resumes.",
      headline: ledger.headline(points),
      evidence: [
        .span(analysis.trace.suspensions.first?.startNs, analysis.trace.suspendedNs, "suspended in all")
      ], weight: lost)
  }
}
