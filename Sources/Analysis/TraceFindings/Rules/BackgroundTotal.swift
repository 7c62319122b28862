import TraceResults

extension RuleID { package static let backgroundTotal: RuleID = "RL030" }

extension FindingRule {
  /// Compares background tasks with the profile's limits: each task, and all tasks of one stay in the background.
  static let backgroundTotal = FindingRule(
    .backgroundTotal, "background work is near or over the profile's limit", needs: [.profile],
    remedy: "Finish the work, or leave the rest to a service or a scheduled task.",
    of: { $0.lifeCycle.stays.map(BackgroundWork.stay) + $0.lifeCycle.tasks.map(BackgroundWork.task) }
  ) { work, analysis in
    guard let profile = analysis.profile else { return nil }
    switch work {
    // A missing event may have ended the task or the stay.
    case .stay where analysis.trace.mayMissEvents: return nil
    case .task(let task) where analysis.trace.mayMissEvents && task.outcome == .open: return nil
    case .stay(let stay):
      return profile.backgroundTotalNs.flatMap { ofStay(stay, $0, profile, analysis.lifeCycle.tasks) }
    case .task(let task): return profile.backgroundTaskNs.flatMap { ofTask(task, $0, profile) }
    }
  }

  private enum BackgroundWork {
    case stay(LifeCycleResult.Stay)
    case task(LifeCycleResult.Task)
  }

  private static func ofStay(
    _ stay: LifeCycleResult.Stay, _ limit: UInt64, _ profile: Profile, _ tasks: [LifeCycleResult.Task]
  ) -> Finding? {
    let tasks = tasks.map { ($0.startNs, $0.startNs &+ $0.usedNs) }.ordered { $0.0 < $1.0 }
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

  /// RL018 reports a task that the system ended at its limit. A task that ends in time is not a fault.
  private static func ofTask(_ task: LifeCycleResult.Task, _ limit: UInt64, _ profile: Profile) -> Finding? {
    guard task.outcome != .expired, isAtLeast(task.usedNs, 0.5, of: limit) else { return nil }
    return Finding(
      task.usedNs >= limit ? .error : .info,
      "Background task \(name: task.name) took \(ns: task.usedNs, "used_ns"), which is \(percent: task.usedNs, of: limit, "of_limit_percent") of the \(ns: limit, "limit_ns") that profile \(name: profile.name) allows for each task",
      headline: .time(task.usedNs, "of a background task"),
      evidence: [.span(task.startNs, task.usedNs, "task")], weight: task.usedNs, subject: task.name)
  }
}
