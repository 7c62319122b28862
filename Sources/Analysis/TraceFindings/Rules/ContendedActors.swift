import TraceResults

extension RuleID {
  package static let actorContended: RuleID = "RL039"
  package static let neverResumed: RuleID = "RL040"
}

extension FindingRule {
  /// Reports an actor, or an executor that runs actors, for which tasks wait long.
  static let actorContended = FindingRule(
    .actorContended, "tasks wait long for an actor", needs: [.callouts, .queues], basis: .blockWaits,
    remedy:
      "Do less in the actor: compute outside of it, and divide long work by an await. Or divide its state among several actors.",
    of: { $0.work.queues.filter { $0.kind?.servesActors == true && !$0.isRemainder } }
  ) { actor, analysis in
    let waits = actor.waitNs
    guard waits.count > 0, waits.p99 >= FindingLimits.noticeableNs else { return nil }
    let holder: Sentence =
      actor.holder.isEmpty
      ? ""
      : ". While one of them waited, \(name: actor.holder) was on it for \(ns: actor.longestHoldNs, "longest_hold_ns")"
    let backlog = analysis.work.longestBacklog(of: actor).flatMap { $0.isOccupied ? $0 : nil }
    let isExecutor = actor.kind == .executor
    let kind = isExecutor ? "executor" : "actor"
    var finding = Finding(
      .warning,
      "Tasks waited for \(kind) \(name: actor.name) up to \(ns: waits.max, "max_ns") (p99 \(ns: waits.p99, "p99_ns"), \(count: waits.count, "count", "slice", "slices"))\(holder)\(backlog?.meanwhile ?? "")",
      advice: isExecutor
        ? "Do less on that executor: compute outside of it, and divide long work by an await. Or divide its actors among several executors."
        : "",
      headline: .time(waits.max, "waited for the \(kind)"),
      evidence: [.span(actor.longestWaitStartNs, waits.max, "the longest wait for the \(kind)")],
      weight: waits.max, subject: actor.name)
    if isExecutor { finding.title = "tasks wait long for an executor" }
    finding.blocker = actor.holder
    finding.isAboutQueues = true
    finding.sampled = backlog?.places ?? []
    return finding
  }

  /// Lists the tasks that were suspended when the recording ended.
  static let neverResumed = FindingRule(
    .neverResumed, "tasks were suspended at the end", needs: [.callouts, .queues],
    remedy:
      "If one of them should have continued, look for a continuation that is never resumed, or a stream that never ends."
  ) { analysis in
    let tasks = analysis.work.tasks.filter {
      $0.state == .suspended && $0.stayedNs >= UnservedResult.thresholdNs
    }
    guard let first = tasks.first else { return nil }
    let site: Sentence = first.site.isEmpty ? "" : ", created by \(name: first.site)"
    let named = Phrase.list(tasks.dropFirst().map(\.name), limit: 3, others: "other_tasks")
    let others: Sentence = tasks.count > 1 ? "; further ones: \(named)" : ""
    return Finding(
      .info,
      "\(count: UInt64(tasks.count), "tasks", "task was", "tasks were") suspended when \(Phrase.end(analysis)), for the longest time \(name: first.name)\(site), since \(moment: first.sinceNs, "since_ns")\(others)",
      headline: .time(first.stayedNs, "suspended"),
      evidence: tasks.prefix(8).map {
        .span($0.sinceNs, $0.stayedNs, "suspended", names: [$0.name, $0.site].filter { !$0.isEmpty })
      }, weight: first.stayedNs, subject: first.name)
  }
}
