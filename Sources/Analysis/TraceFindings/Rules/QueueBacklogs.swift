import TraceResults

extension RuleID {
  package static let poolExhausted: RuleID = "RL037"
  package static let poolGrows: RuleID = "RL038"
}

extension FindingRule {
  /// Reports a pool of Swift tasks whose jobs waited long, because all of its threads were occupied by work that did not
  /// compute. Backlogs with one kind of activity share a finding.
  static let poolExhausted = FindingRule(
    .poolExhausted, "the threads of the cooperative pool are all occupied", needs: [.callouts, .queues],
    of: { QueueBacklogs.all($0, where: \.isOfExhaustedPool) }
  ) { backlogs, analysis in
    backlogs.exhausted(analysis)
  }

  /// Reports a queue whose work waited for the threads that Dispatch adds, about one a second.
  static let poolGrows = FindingRule(
    .poolGrows, "work waits for further threads of a queue", needs: [.callouts, .queues],
    of: { QueueBacklogs.all($0, where: \.isOfGrowingQueue) }
  ) { backlogs, analysis in
    backlogs.grows()
  }
}

/// The backlogs of one queue in which its threads did the same.
private struct QueueBacklogs {
  var queue: String
  var activity: QueueBacklog.Activity
  /// Those with the longest waits first.
  var backlogs: [QueueBacklog]

  private var longest: QueueBacklog { backlogs[0] }

  static func all(_ analysis: Analysis, where isWanted: (QueueBacklog) -> Bool) -> [QueueBacklogs] {
    var found: [QueueBacklogs] = []
    let wanted = analysis.work.backlogs.filter(isWanted)
    for backlog in wanted.ordered(by: { $1.longestWaitNs < $0.longestWaitNs }) {
      if let at = found.firstIndex(where: { $0.queue == backlog.queue && $0.activity == backlog.activity }) {
        found[at].backlogs.append(backlog)
      } else {
        found.append(QueueBacklogs(queue: backlog.queue, activity: backlog.activity, backlogs: [backlog]))
      }
    }
    return found
  }

  private func finding(
    _ severity: Finding.Severity, _ sentence: Sentence, advice: Sentence, label: String
  ) -> Finding {
    var finding = Finding(
      severity, sentence, advice: advice, headline: .time(longest.longestWaitNs, label),
      evidence: backlogs.prefix(4).map { .span($0.startNs, $0.durationNs, "work always waited") },
      weight: backlogs.map(\.durationNs).saturatedSum, subject: queue, times: UInt64(backlogs.count))
    finding.sampled = longest.places
    finding.blocker = longest.works.first.map { $0.function?.sourcePlace ?? $0.name } ?? ""
    return finding
  }

  func exhausted(_ analysis: Analysis) -> Finding {
    let threads: Sentence = "\(count: longest.threads, "threads", "thread", "threads")"
    let what: Sentence =
      activity == .waiting
      ? "its \(threads) slept or waited in \(longest.workList)"
      : "its \(threads) were occupied by \(longest.workList)"
    let others = otherFunctions(analysis)
    let besides: Sentence =
      others.isEmpty
      ? ""
      : ". In the whole recording, its threads were also sampled in \(others.map(\.sentence).listed())"
    let end: Sentence = longest.isOpen ? ", until \(Phrase.end(analysis))" : ""
    let times: Sentence =
      backlogs.count > 1 ? ". Jobs waited so \(count: UInt64(backlogs.count), "times", "time", "times")" : ""
    var finding = finding(
      SeverityTable.exhausted(longest.longestWaitNs),
      "A job waited \(ns: longest.longestWaitNs, "longest_wait_ns") for the pool of Swift tasks, and up to \(count: longest.waiting, "waiting", "job", "jobs") at once\(end): \(what)\(besides)\(times)",
      advice:
        "Do not block in a task: no semaphore, sleep, nested run loop, lock held for long, or synchronous read. Use await, or run the call on a Dispatch queue and resume a continuation.",
      label: "waited for the pool")
    finding.sampled += others.filter { $0.frame.file != nil }.map { Finding.Place(.function, $0.frame) }
    return finding
  }

  /// The functions with a good part of the pool's samples that the work of the longest backlog does not name: up to
  /// three.
  private func otherFunctions(_ analysis: Analysis) -> [QueueBacklog.Function] {
    let functions = analysis.work.functionsOfPool
    let all = functions.map(\.samples).saturatedSum
    let named = Set(longest.works.compactMap { $0.function?.name })
    return Array(
      functions.filter {
        isAtLeast($0.samples, QueueBacklog.namedShare, of: all) && !named.contains($0.frame.name)
      }
      .prefix(3))
  }

  func grows() -> Finding {
    let state: Sentence =
      activity == .waiting ? ", which slept or waited" : ", which waited for a part of the time"
    return finding(
      .warning,
      "Work of queue \(name: queue) waited up to \(ns: longest.longestWaitNs, "longest_wait_ns"), and up to \(count: longest.waiting, "waiting", "piece", "pieces") at once. The queue used \(count: longest.runningAtFirst, "running_at_first", "thread", "threads") at first and \(count: longest.running, "running", "thread", "threads") later\(state): Dispatch adds about one a second. They ran \(longest.workList)",
      advice:
        "Do not block in many blocks at once: use asynchronous calls, or limit the number of blocks that wait.",
      label: "waited for threads")
  }
}

extension QueueBacklog.Function {
  fileprivate var sentence: Sentence {
    cause == .unknown ? "\(name: frame.sourcePlace)" : "\(name: frame.sourcePlace) (\(cause.words))"
  }
}
