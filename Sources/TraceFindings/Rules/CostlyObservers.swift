import TraceResults

extension RuleID { public static let costlyObservers: RuleID = "RL015" }

extension FindingRule {
  static let costlyObservers = FindingRule(
    .costlyObservers, "observers take much of the busy time", needs: [.highStamps], of: \.modes
  ) { mode, _ in
    let total = (mode.observersNs ?? [:]).values.saturatedSum
    guard total >= FindingLimits.noticeableNs, isAtLeast(total, 0.25, of: mode.busyNs),
      // Among activities with equal times, the first one.
      let worst = mode.observersNs?.max(by: { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) })
    else { return nil }
    return Finding(
      .warning,
      "Observers took \(percent: total, of: mode.busyNs, "of_busy_percent") of the busy time in \(name: mode.mode). Those of \(worst.key.name) took \(ns: worst.value, "worst_ns")",
      advice: worst.key == .beforeWaiting
        ? "Observers of BeforeWaiting usually do layout and drawing. Draw less, or less often."
        : "These observers run in each pass. Do less in them, or less often.",
      headline: Finding.Headline(
        .other(Figure.percent("", total, of: mode.busyNs).text), "of the busy time in observers"),
      weight: total, subject: mode.mode)
  }
}
