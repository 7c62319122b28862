import TraceResults

extension RuleID {
  package static let poolExhausted: RuleID = "RL037"
  package static let poolGrows: RuleID = "RL038"
}

extension FindingRule {
  /// Reports a pool of Swift tasks that began nothing although jobs waited, because all of its threads were occupied.
  /// Stalls of one pool with one kind of activity share a finding.
  static let poolExhausted = FindingRule(
    .poolExhausted, "the threads of the cooperative pool are all occupied", needs: [.callouts, .queues],
    of: { StalledQueue.all($0, where: \.isOfExhaustedPool) }
  ) { stalled, analysis in
    stalled.exhausted(analysis)
  }

  /// Reports a queue whose work waited for the threads that Dispatch adds, about one a second.
  static let poolGrows = FindingRule(
    .poolGrows, "work waits for further threads of a queue", needs: [.callouts, .queues],
    of: { StalledQueue.all($0, where: \.isOfGrowingQueue) }
  ) { stalled, analysis in
    stalled.grows(analysis)
  }
}

/// The stalls of one queue in which its threads did the same.
private struct StalledQueue {
  var queue: String
  var activity: QueueStall.Activity
  /// The longest first.
  var stalls: [QueueStall]

  private var longest: QueueStall { stalls[0] }
  private var total: UInt64 { stalls.map(\.durationNs).saturatedSum }

  static func all(_ analysis: Analysis, where isWanted: (QueueStall) -> Bool) -> [StalledQueue] {
    var found: [StalledQueue] = []
    for stall in analysis.work.stalls.filter(isWanted).ordered(by: { $1.durationNs < $0.durationNs }) {
      if let at = found.firstIndex(where: { $0.queue == stall.queue && $0.activity == stall.activity }) {
        found[at].stalls.append(stall)
      } else {
        found.append(StalledQueue(queue: stall.queue, activity: stall.activity, stalls: [stall]))
      }
    }
    return found
  }

  private var times: Sentence {
    stalls.count > 1
      ? ". This happened \(count: UInt64(stalls.count), "times", "time", "times"), for \(ns: total, "total_ns") in all"
      : ""
  }

  private func finding(
    _ severity: Finding.Severity, _ sentence: Sentence, advice: Sentence, label: String
  ) -> Finding {
    var finding = Finding(
      severity, sentence, advice: advice, headline: .time(longest.durationNs, label),
      evidence: stalls.prefix(4).map { .span($0.startNs, $0.durationNs, "no work began, and some waited") },
      weight: total, subject: queue, times: UInt64(stalls.count))
    finding.sampled = longest.places
    finding.blocker = longest.slices.first.map { $0.function?.sourcePlace ?? $0.name } ?? ""
    return finding
  }

  func exhausted(_ analysis: Analysis) -> Finding {
    let threads: Sentence = "\(count: longest.running, "running", "thread", "threads")"
    let what: Sentence =
      switch activity {
      case .waiting: "its \(threads) slept or waited in \(longest.workList)"
      case .computing: "its \(threads) computed: \(longest.workList)"
      case .mixed: "its \(threads) were occupied by \(longest.workList)"
      case .unknown:
        "its \(threads) ran \(longest.workList). The recording does not show whether they waited or computed"
      }
    let end: Sentence = longest.isOpen ? ", when \(Phrase.end(analysis))" : ""
    var finding = finding(
      SeverityTable.exhausted(longest.durationNs, activity),
      "Nothing began on the pool of Swift tasks for \(ns: longest.durationNs, "stall_ns")\(end), while up to \(count: longest.waiting, "waiting", "job", "jobs") waited: \(what)\(times)",
      advice: activity == .computing
        ? "Divide long computations by await Task.yield(), or run them on a Dispatch queue of their own."
        : "Do not block in a task: no semaphore, sleep, lock held for long, or synchronous read. Use await, or run the call on a Dispatch queue and resume a continuation.",
      label: "without a start")
    if activity == .computing { finding.title = "the threads of the cooperative pool are all busy" }
    return finding
  }

  func grows(_ analysis: Analysis) -> Finding? {
    // One such wait may have another reason.
    guard stalls.count > 1 else { return nil }
    let most = stalls.map(\.running).max() ?? 0
    let state: Sentence =
      activity == .waiting
      ? " Its threads slept or waited meanwhile"
      : " The recording does not show for all of its threads whether they waited or computed"
    return finding(
      .warning,
      "Work of queue \(name: queue) waited \(count: UInt64(stalls.count), "times", "time", "times") for another thread, for \(ns: total, "total_ns") in all: Dispatch adds about one a second, and \(count: most, "running", "was", "were") occupied at last, among them by \(longest.workList).\(state)",
      advice:
        "Do not block in many blocks at once: use asynchronous calls, or limit the number of blocks that wait.",
      label: "for another thread")
  }
}
