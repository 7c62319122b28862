import TraceResults

extension RuleID { public static let lateWakeUps: RuleID = "RL023" }

extension FindingRule {
  /// Reports late fires for which no cause is recorded.
  static let lateWakeUps = FindingRule.timer(
    .lateWakeUps, "fires come late, and nothing recorded explains it", of: .scheduler,
    plural: "fire late, and nothing recorded explains it", basis: .lateFires,
    remedy:
      "What ran meanwhile is not in the recording, or the machine was busy: record callouts, and look at its load."
  ) { timer, ledger, _ in
    let late = ledger.ledgerNs[.scheduler, default: 0]
    guard timer.fired > 0, late / timer.fired > FindingLimits.lateFireNs else { return nil }
    let mean = late / timer.fired
    return Finding(
      .info,
      "\(timer.said) fired \(ns: mean, "unexplained_mean_ns") late on average for no reason that was recorded",
      headline: .time(mean, "late, unexplained"),
      evidence: [
        .noting(
          "unexplained lateness of \(count: timer.fired, "fired", "fire", "fires") in all", durationNs: late)
      ], weight: late)
  }
}
