import TraceResults

extension RuleID { package static let lateWakeUps: RuleID = "RL023" }

extension FindingRule {
  /// Reports late fires for which no callout is the cause.
  static let lateWakeUps = FindingRule.timer(
    .lateWakeUps, "timer fires late while no recorded callout runs", of: .scheduler,
    plural: "fire late while no recorded callout runs", basis: .lateFires,
    remedy:
      "The machine was busy, or code ran that was not recorded. Check the load of the machine, and record callouts."
  ) { timer, ledger, analysis in
    let late = ledger.ledgerNs[.scheduler, default: 0]
    guard timer.fired > 0, late / timer.fired > FindingLimits.lateFireNs else { return nil }
    let mean = late / timer.fired
    let held = timer.thread.flatMap(analysis.longestUnrecordedWork(on:))
    let why: Sentence =
      held.map {
        " while no recorded callout ran. Once, its loop ran nothing that was recorded for \(ns: $0.gap.unexplainedNs, "unrecorded_ns")\($0.stall.blame())"
      } ?? ", and the recording does not show why"
    var finding = Finding(
      .info,
      "\(timer.said) fired \(ns: mean, "unexplained_mean_ns") late on average\(why)",
      advice: held?.stall.advice ?? "",
      headline: .time(mean, "late on average"),
      evidence: [
        .noting(
          "unexplained lateness of \(count: timer.fired, "fired", "fire", "fires") in all", durationNs: late)
      ], weight: late)
    finding.blame(held?.stall)
    return finding
  }
}

extension Analysis {
  /// Returns the longest gap of a thread's loop in which a timer came due and mostly nothing that was recorded ran, if
  /// its samples show what held the thread.
  fileprivate func longestUnrecordedWork(on thread: UInt32) -> (gap: Gap, stall: StallResult)? {
    gaps.filter {
      $0.thread == thread && !$0.isOutside && !mayHaveLeft($0) && $0.waited.duePoints > 0
        && isAtLeast($0.unexplainedNs, 0.5, of: $0.durationNs)
    }
    .compactMap { gap in explainedStall(of: gap).map { (gap: gap, stall: $0) } }
    .max { $0.gap.unexplainedNs < $1.gap.unexplainedNs }
  }
}
