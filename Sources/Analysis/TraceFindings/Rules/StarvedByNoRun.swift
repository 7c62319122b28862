import TraceResults

extension RuleID { package static let starvedByNoRun: RuleID = "RL005" }

extension FindingRule {
  static let starvedByNoRun = FindingRule.timer(
    .starvedByNoRun, "timer skips fires while its loop does not run", of: .notRunning,
    plural: "skip fires while their loops do not run", basis: .skippedFires
  ) { timer, ledger, analysis in
    let points = ledger.skipped(.notRunning)
    // A loop without a known thread may have run on a thread that was not followed.
    let isFollowed = timer.thread != nil || analysis.trace.threadsLeftOut == 0
    guard points > 0, isFollowed else { return nil }
    return Finding(
      ledger.severity(.notRunning),
      "\(timer.said) \(ledger.missed(points)) while its loop did not run",
      advice: timer.thread == nil
        ? "Run the loop that it was added to. The recording has no run of that loop."
        : "Keep the loop running while the timer should fire, or create the timer when the run begins.",
      headline: ledger.headline(points), weight: timer.timeNs(of: points))
  }
}
