import TraceResults

extension RuleID { package static let backgroundTotal: RuleID = "RL030" }

extension FindingRule {
  /// Compares the tasks of one stay in the background with the profile's limit for all of them.
  static let backgroundTotal = FindingRule(
    .backgroundTotal, "background work is near or over the profile's total", needs: [.profile],
    remedy: "Finish the work, or leave the rest to a service or a scheduled task.", of: \.lifeCycle.stays
  ) { stay, analysis in
    guard let profile = analysis.profile, let limit = profile.backgroundTotalNs else { return nil }
    let tasks = analysis.lifeCycle.tasks.map { ($0.startNs, $0.startNs &+ $0.usedNs) }.ordered { $0.0 < $1.0 }
    var covered: UInt64 = 0
    var until = stay.startNs
    for task in tasks {
      let (from, to) = (max(task.0, until), min(task.1, stay.startNs &+ stay.durationNs))
      if to > from {
        covered &+= to - from
        until = to
      }
    }
    guard isAtLeast(covered, 0.5, of: limit) else { return nil }
    return Finding(
      covered >= limit ? .error : .warning,
      "Background tasks of one stay in the background took \(ns: covered, "tasks_ns"), which is \(percent: covered, of: limit, "of_limit_percent") of the \(ns: limit, "limit_ns") that profile \(name: profile.name) allows for all of them together",
      headline: .time(covered, "of background tasks"),
      evidence: [.span(stay.startNs, stay.durationNs, "stay in the background")], weight: covered)
  }
}
