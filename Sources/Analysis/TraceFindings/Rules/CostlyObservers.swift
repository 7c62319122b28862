import TraceResults

extension RuleID { package static let costlyObservers: RuleID = "RL015" }

extension FindingRule {
  static let costlyObservers = FindingRule(
    .costlyObservers, "observers take much of the busy time", needs: [.highStamps], of: \.modes
  ) { mode, analysis in
    let total = (mode.observersNs ?? [:]).values.saturatedSum
    // Event loops have no observers: this is the time of the recorder itself.
    guard !mode.isOfEventLoop, total >= FindingLimits.noticeableNs, isAtLeast(total, 0.25, of: mode.busyNs),
      isAtLeast(total, FindingLimits.muchOfTime, of: mode.timeNs),
      // Among activities with equal times, the first one.
      let worst = mode.observersNs?.max(by: { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) })
    else { return nil }
    let observers = observers(of: worst.key, mode, analysis)
    let who: Sentence =
      observers.isEmpty
      ? "" : ". The program's observers of it: \(Phrase.list(observers, limit: 3, others: "other_observers"))"
    return Finding(
      .warning,
      "Observers took \(percent: total, of: mode.busyNs, "of_busy_percent") of the busy time in \(name: mode.mode). Those of \(worst.key.name) took \(ns: worst.value, "observers_ns")\(who)",
      advice: worst.key == .beforeWaiting
        ? "Observers of BeforeWaiting usually do layout and drawing. Draw less, or less often."
        : "These observers run in each pass. Do less in them, or less often.",
      headline: Finding.Headline(
        .other(Figure.percent("", total, of: mode.busyNs).text), "of the busy time in observers"),
      weight: total, subject: mode.mode)
  }

  /// The program's observers of an activity and mode, by the snapshots of what the loop held.
  private static func observers(of phase: Phase, _ mode: ModeResult, _ analysis: Analysis) -> [String] {
    analysis.inventory.filter { row in
      row.mode == mode.mode && row.loop == mode.loop && !row.name.isEmpty
        && phase.activity.map(row.observes) ?? false
    }.map(\.name).uniqued()
  }
}
