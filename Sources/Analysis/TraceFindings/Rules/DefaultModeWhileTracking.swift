import TraceResults

extension RuleID { package static let defaultModeWhileTracking: RuleID = "RL009" }

extension FindingRule {
  /// A hint, like that of a linter: the timer did not starve, because it lost no point to the other modes.
  static let defaultModeWhileTracking = FindingRule.timer(
    .defaultModeWhileTracking, "timer of the default mode was late while other modes ran for a long time",
    plural: "of the default mode were late while other modes ran for a long time",
    remedy:
      "Add it to the modes that ran (or to the common modes, if they include those modes), or declare it deferrable.",
    remedies:
      "Add them to the modes that ran (or to the common modes, if they include those modes), or declare them deferrable."
  ) { timer, ledger, analysis in
    guard !timer.isDeferrable, timer.modes == [ModeName.default], ledger.skippedBy[.wrongMode] == 0,
      let thread = timer.thread
    else { return nil }
    let time = analysis.modes.filter { $0.thread == thread && $0.mode != ModeName.default }
      .map(\.timeNs).saturatedSum
    let late = ledger.ledgerNs[.wrongMode, default: 0]
    guard time >= FindingLimits.noticedNs, late > 0 else { return nil }
    return Finding(
      .info,
      "\(timer.said) is only in the default mode. Its fires were \(ns: late, "wrong_mode_ns") late in all because other modes ran, for \(ns: time, "other_modes_ns") in all",
      headline: .time(late, "late"), weight: late)
  }
}
