import TraceResults

extension RuleID { public static let lostWhileSuspended: RuleID = "RL007" }

extension FindingRule {
  static let lostWhileSuspended = FindingRule.timer(
    .lostWhileSuspended, "timer lost fires to a suspension", of: .suspended,
    plural: "lost fires to a suspension"
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
          ? "Where its fires are counted, add \(ns: lost, "lost_ns") on return, once."
          : "Where the fires of each of its timers are counted, add on return what that timer lost, once.",
      headline: ledger.headline(points),
      evidence: [
        .span(analysis.trace.suspensions.first?.startNs, analysis.trace.suspendedNs, "suspended in all")
      ], weight: lost)
  }
}
