import TraceResults

extension RuleID { package static let mainQueueWaits: RuleID = "RL013" }

extension FindingRule {
  static let mainQueueWaits = FindingRule(
    .mainQueueWaits, "blocks of the main queue wait long", needs: [.callouts], basis: .blockWaits,
    remedy:
      "Look for long callouts and for sources that signal themselves. Both keep the loop from serving the queue.",
    of: longWaits
  ) { (wait: LongWait, analysis: Analysis) in
    switch wait {
    case .inMainQueue: break
    case .ofWork(let queue): return finding(about: queue, analysis)
    case .ofThread(let call, let queue): return call.finding(about: queue, analysis)
    }
    let waits = analysis.queues.mainQueueWaitNs
    guard waits.count > 0, waits.p99 >= FindingLimits.noticeableNs else { return nil }
    let isServedByQueue = analysis.loops.contains { $0.thread.isMainQueue }
    let held = heldNs(analysis)
    let nested = held == nil ? runsDuringLongestWait(analysis) : nil
    let loop: Sentence =
      nested.map {
        ". For \(ns: $0.ns, "nested_ns") of the longest wait, the thread ran a nested loop in mode \(name: $0.mode)"
      } ?? ""
    let meanwhile: Sentence =
      held.map {
        ". A hang (RL002) accounts for \(ns: $0, "behind_hang_ns") of the longest wait"
      } ?? loop
    return Finding(
      .warning,
      "Blocks of the main queue waited up to \(ns: waits.max, "max_ns") (p99 \(ns: waits.p99, "p99_ns"), \(count: waits.count, "count", "block", "blocks"))\(meanwhile)",
      advice: advice(isServedByQueue: isServedByQueue, isHeld: held != nil, isNested: nested != nil),
      headline: .time(waits.max, isServedByQueue ? "waited for their turn" : "waited for the loop"),
      evidence: [
        .span(analysis.queues.longestMainQueueWaitStartNs, waits.max, "the longest wait of a block")
      ], weight: waits.max)
  }

  /// Other rules report actors, and pools that begin nothing.
  @Sendable private static func longWaits(_ analysis: Analysis) -> [LongWait] {
    let queues = analysis.work.queues.filter { $0.kind?.servesActors != true && !$0.isRemainder }
    let calls = queues.compactMap { queue -> LongWait? in
      guard let call = queue.longestCall, !isReported(call, analysis) else { return nil }
      return .ofThread(call, queue)
    }
    return [LongWait.inMainQueue] + queues.filter { !$0.isMainQueue }.map(LongWait.ofWork) + calls
  }

  /// Whether another rule reports that the thread waits: as a part of a hang, of a deadlock, or of what work waits for.
  private static func isReported(_ call: QueueCall, _ analysis: Analysis) -> Bool {
    let thread = call.thread
    let hangs = analysis.busy.filter { $0.isHang && $0.thread == thread }
    if hangs.contains(where: { $0.startNs <= call.startNs && call.startNs < $0.endNs }) { return true }
    guard call.isStuck else { return false }
    let links = analysis.work.deadlocks.flatMap(\.links)
    return links.contains { $0.thread == thread }
      || analysis.unserved.contains { $0.isUnserved && $0.waitingThread == thread }
  }

  private static func finding(about queue: WorkQueueResult, _ analysis: Analysis) -> Finding? {
    let waits = queue.waitNs
    let longest = analysis.work.longestBacklog(of: queue)
    guard waits.count > 0, waits.p99 >= FindingLimits.noticeableNs,
      longest.map({ !$0.isOfExhaustedPool && !$0.isOfGrowingQueue }) ?? true
    else { return nil }
    let idle = longest.flatMap { $0.isOccupied ? nil : $0 }
    let backlog = idle == nil ? longest : nil
    let isUnknown = backlog.map { $0.activity == .unknown } ?? true
    let doubt: Sentence =
      isUnknown ? ". The recording does not show whether its threads waited or computed" : ""
    let meanwhile: Sentence = idle?.idleness ?? "\(backlog?.meanwhile ?? "")\(doubt)"
    var finding = Finding(
      SeverityTable.waits(for: backlog?.activity),
      "Work of queue \(name: queue.name) waited up to \(ns: waits.max, "max_ns") (p99 \(ns: waits.p99, "p99_ns"), \(count: waits.count, "count", "slice", "slices"))\(meanwhile)",
      advice: idle?.idlenessAdvice ?? "Shorten the work of that queue, or divide it among queues.",
      headline: .time(waits.max, "waited for their turn"),
      evidence: [.span(queue.longestWaitStartNs, waits.max, "the longest wait of the queue's work")],
      weight: waits.max, subject: queue.name)
    finding.title = "work of a queue waits long"
    finding.isAboutQueues = true
    finding.sampled = backlog?.places ?? []
    return finding
  }

  /// Empty = the usual remedy of the rule.
  private static func advice(isServedByQueue: Bool, isHeld: Bool, isNested: Bool) -> Sentence {
    if isHeld { return "Shorten that hang first: the blocks wait until it ends." }
    if isNested {
      return
        "A nested loop serves the main queue only in a common mode, and not if a block of that queue runs the loop. Return instead, and continue in a completion handler."
    }
    return isServedByQueue
      ? "Look for long callouts and for a thread pool in which all threads are busy. Both delay the queue."
      : ""
  }

  /// Returns the part of the longest wait during which the main thread or main queue hung, if it is most of the wait.
  private static func heldNs(_ analysis: Analysis) -> UInt64? {
    let start = analysis.queues.longestMainQueueWaitStartNs, wait = analysis.queues.mainQueueWaitNs.max
    let end = start &+ wait
    let parts = analysis.busy.filter { $0.isHang && analysis.thread($0.thread).isMain }.map {
      interval -> UInt64 in
      let from = max(interval.startNs, start), to = min(interval.endNs, end)
      return to > from ? to - from : 0
    }
    return parts.max().flatMap { isMost($0, of: wait) ? $0 : nil }
  }

  /// Returns the mode of nested runs in which the main thread spent most of the longest wait, and at least how long.
  /// The wait ended after these runs.
  private static func runsDuringLongestWait(_ analysis: Analysis) -> (mode: String, ns: UInt64)? {
    let start = analysis.queues.longestMainQueueWaitStartNs, wait = analysis.queues.mainQueueWaitNs.max
    let parts = analysis.callouts.compactMap { callout -> (mode: String, ns: UInt64)? in
      guard let mode = callout.longestNestedMode, mode != ModeName.eventLoop,
        analysis.thread(callout.thread).isMain, callout.longestNestedEndNs <= start &+ wait
      else { return nil }
      // All of the callout's time before the wait may be time in its runs.
      let before = start &- min(start, callout.longestNestedStartNs)
      return (mode, callout.longestNestedNs &- min(before, callout.longestNestedNs))
    }
    return parts.max { ($0.ns, $1.mode) < ($1.ns, $0.mode) }.flatMap { isMost($0.ns, of: wait) ? $0 : nil }
  }

  /// Whether a time is most of a wait.
  private static func isMost(_ ns: UInt64, of wait: UInt64) -> Bool { ns > 0 && isAtLeast(ns, 0.5, of: wait) }
}

private enum LongWait {
  case inMainQueue
  case ofWork(WorkQueueResult)
  case ofThread(QueueCall, WorkQueueResult)
}
