import TraceResults

extension RuleID { public static let defaultModeWhileTracking: RuleID = "RL009" }

extension FindingRule {
  /// A linter's: it did not starve, because none of its points fell into the tracking.
  static let defaultModeWhileTracking = FindingRule.timer(
    .defaultModeWhileTracking, "timer outside the tracking mode during long tracking",
    plural: "are outside the tracking mode during long tracking",
    remedy: "Add it to the common modes, or declare it deferrable.",
    remedies: "Add them to the common modes, or declare them deferrable."
  ) { timer, ledger, analysis in
    guard !timer.isDeferrable, timer.modes == [ModeName.default], ledger.skippedBy[.wrongMode] == 0,
      let thread = timer.thread
    else { return nil }
    let time = Tracking.timeNs(analysis, thread: thread)
    let late = ledger.ledgerNs[.wrongMode, default: 0]
    guard time >= FindingLimits.noticedNs, late > 0 else { return nil }
    return Finding(
      .info,
      "\(timer.said) is in the default mode only, and its fires were \(ns: late, "wrong_mode_ns") late in all because other modes ran; tracking took \(ns: time, "tracking_ns")",
      headline: .time(late, "late"), weight: late)
  }
}
