import TraceResults

extension RuleID { package static let lateWakeUps: RuleID = "RL023" }

extension FindingRule {
  /// Reports late fires for which no cause is recorded.
  static let lateWakeUps = FindingRule.timer(
    .lateWakeUps, "timer fires late, and the recording does not show why", of: .scheduler,
    plural: "fire late, and the recording does not show why", basis: .lateFires,
    remedy:
      "The machine was busy, or code ran that was not recorded. Check the load of the machine, and record callouts."
  ) { timer, ledger, _ in
    let late = ledger.ledgerNs[.scheduler, default: 0]
    guard timer.fired > 0, late / timer.fired > FindingLimits.lateFireNs else { return nil }
    let mean = late / timer.fired
    return Finding(
      .info,
      "\(timer.said) fired \(ns: mean, "unexplained_mean_ns") late on average, and the recording does not show why",
      headline: .time(mean, "late on average"),
      evidence: [
        .noting(
          "unexplained lateness of \(count: timer.fired, "fired", "fire", "fires") in all", durationNs: late)
      ], weight: late)
  }
}
