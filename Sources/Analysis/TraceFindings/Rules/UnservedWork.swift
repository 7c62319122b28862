import TraceResults

extension RuleID {
  package static let unservedWork: RuleID = "RL031"
  package static let waitsForItself: RuleID = "RL032"
}

extension FindingRule {
  /// Reports work that was queued and had not been served when the recording ended.
  static let unservedWork = FindingRule(
    .unservedWork, "queued work never ran", plural: .subjects("pieces of queued work never ran"),
    needs: [.callouts], of: workWithoutOtherRule
  ) { work, analysis in
    let unserved = Unserved(work, analysis)
    return unserved.finding(
      unserved.mayHaveLeftLoop ? .info : SeverityTable.neverRan(work),
      "\(unserved.head)\(unserved.because)", advice: unserved.advice, weight: work.waitedNs)
  }

  /// Other rules report deadlocks, and jobs of a pool that is blocked up to the end.
  @Sendable private static func workWithoutOtherRule(_ analysis: Analysis) -> [UnservedResult] {
    analysis.unserved.filter { work in
      let backlog = work.backlog.map { analysis.work.backlogs[$0] }
      return work.isUnserved && !work.mayBeDeadlock && backlog?.isOfExhaustedPool != true
    }
  }

  /// Reports a thread that waits inside a callout while work is queued for its own loop.
  static let waitsForItself = FindingRule(
    .waitsForItself, "a thread waits while work is queued for its own loop", needs: [.callouts],
    of: {
      $0.work.deadlocks.map(WaitForItself.queues)
        + $0.unserved.filter(\.mayBeDeadlock).map(WaitForItself.loop)
    }
  ) { wait, analysis in
    let work: UnservedResult
    switch wait {
    case .queues(let deadlock): return deadlock.finding(analysis)
    case .loop(let found): work = found
    }
    let unserved = Unserved(work, analysis)
    // The weight ranks this finding before the hang that it explains.
    let behind = work.blockedSinceNs.map { analysis.trace.toNs &- min($0, analysis.trace.toNs) } ?? 0
    return unserved.finding(
      SeverityTable.neverRan(work), "\(unserved.head)\(unserved.deadlock)",
      advice:
        "Do not wait in that callout. Return to the loop and continue in a callback, or wait only for work of another queue.",
      weight: work.waitedNs.addingReportingOverflow(behind).partialValue)
  }
}

/// Threads of queues that wait for each other, or work that waits for the callout of its own loop.
private enum WaitForItself {
  case queues(QueueDeadlock)
  case loop(UnservedResult)
}

/// The sentences about a piece of work.
private struct Unserved {
  private let work: UnservedResult
  private let analysis: Analysis

  init(_ work: UnservedResult, _ analysis: Analysis) {
    self.work = work
    self.analysis = analysis
  }

  func finding(
    _ severity: Finding.Severity, _ sentence: Sentence, advice: Sentence, weight: UInt64
  ) -> Finding {
    var finding = Finding(
      severity, sentence, advice: advice, headline: .time(work.waitedNs, "waiting"),
      evidence: [.span(work.queuedNs, work.waitedNs, "queued and not served")], weight: weight,
      subject: work.name, cause: ", because \(notWaitedFor ?? "\(work.reason.words)")")
    finding.thread = work.thread
    finding.isAboutQueues = work.kind == .work
    return finding
  }

  private var isOfEventLoop: Bool {
    analysis.hasOnlyEventLoops || work.thread.flatMap(analysis.eventLoop(of:)) != nil
  }

  /// Whether an event loop was in a pass at the end. Its thread may have left it.
  var mayHaveLeftLoop: Bool {
    isOfEventLoop && work.kind == .source0 && work.reason == .unknown && work.waitingThread == nil
  }

  /// Event loops have no modes, but wait for some descriptors only.
  private var notWaitedFor: Sentence? {
    isOfEventLoop && [.modeNotRun, .inNoMode].contains(work.reason) ? EventLoopWords.notWaitedFor : nil
  }

  private var isOver: Bool { analysis.trace.toNs < analysis.trace.durationNs }

  /// Such as "Main-queue block "a" was queued at 1.050 s and had not run 3.95 s later, when the recording ended".
  var head: Sentence {
    let what: Sentence =
      switch work.kind {
      case .source0: "Source \(name: work.name) was signalled"
      case .block: "Block \(name: work.name) was queued"
      case .mainQueueBlock: "Main-queue block \(name: work.name) was queued"
      case .work: "Work \(name: work.name) was queued in \(name: work.loop)"
      }
    let others: Sentence =
      work.count > 1 ? " (the first of \(count: work.count, "unserved_count"))" : ""
    let end: Sentence = work.releasedNs == nil ? Phrase.end(analysis) : "it was released with its loop"
    return
      "\(what) at \(moment: work.queuedNs, "queued_ns")\(others) and had not run \(ns: work.waitedNs, "waited_ns") later, when \(end)"
  }

  /// Whether neither a run loop nor dispatchMain() served the main queue.
  private var isOfUnservedMainQueue: Bool {
    work.kind == .mainQueueBlock && work.reason == .loopNotRunning && work.thread == nil
  }

  private var blocker: Sentence { Phrase.callout(work.blockerKind, work.blocker) }

  private var at: Sentence {
    work.blockedSinceNs.map { " at \(moment: $0, "blocked_since_ns")" } ?? ""
  }

  private var since: Sentence {
    work.blockedSinceNs.map { " since \(moment: $0, "blocked_since_ns")" } ?? ""
  }

  var because: Sentence {
    if work.isUncertain { return ". Events were lost, so it may have run after all" }
    if let notWaitedFor { return ": \(notWaitedFor)" }
    if isOfUnservedMainQueue {
      return ": neither the main run loop nor dispatchMain() served the queue in the recording"
    }
    switch work.reason {
    case .drainUnderWay:
      return
        ": a drain of the main queue was already running, and \(blocker) runs a nested loop inside that drain\(since)"
    case .calloutUnderWay: return ": \(blocker) has been running\(since)"
    case .otherWork: return ": its queue ran other work on several threads"
    case .modeNotRun where work.ranModes.isEmpty: return ": the loop did not run in \(modes) again"
    case .modeNotRun:
      return
        ": it can run only in \(modes), but the loop ran \(Phrase.list(work.ranModes, limit: 3, others: "other_modes"))"
    case .notWoken: return ": its loop has been asleep\(since), and nothing has woken it"
    case .loopNotRunning:
      return work.blockedSinceNs == nil
        ? ": its loop never ran in the recording" : ": its loop has not run\(since)"
    case .loopEnded:
      return ": the thread of its loop ended\(at)"
    case .inNoMode: return ": the source is in no mode of any loop"
    case .unknown where mayHaveLeftLoop: return EventLoopWords.mayHaveLeft(analysis)
    case .unknown:
      guard let thread = work.waitingThread else { return ". The recording does not show why" }
      return
        ". The recording does not show why. Thread \(Phrase.thread(analysis.thread(thread))) has waited for this queue as well, since \(moment: work.waitingSinceNs, "waiting_since_ns")"
    }
  }

  private var modes: Sentence {
    if work.isOfCommonModes { return "the common modes" }
    return work.modes.isEmpty
      ? "its mode" : Phrase.list(work.modes, limit: 3, others: "other_own_modes", conjunction: "or")
  }

  /// States the certain part first, then the possible consequence.
  var deadlock: Sentence {
    if work.reason != .drainUnderWay, let holder = work.holder {
      let chain: Sentence =
        "\(blocker) returns. That callout waits in \(name: work.waitsIn ?? "") for what \(name: holder) holds, which waits itself"
      return work.isDeadlock
        ? ": it cannot run before \(chain), for the thread of that callout. Neither can continue"
        : ": it cannot run before \(chain). If one of them waits for this work, neither can continue"
    }
    let wait: Sentence =
      work.reason == .drainUnderWay
      ? "\(blocker) returns. That callout began\(at) and runs a nested loop inside the drain of the main queue"
      : "\(blocker) returns. That callout waits in \(name: work.waitsIn ?? "")"
    return
      ": it cannot run before \(wait). If it waits for this work, neither can continue"
  }

  var advice: Sentence {
    if work.isUncertain { return "" }
    if isOfEventLoop, work.reason == .notWoken || notWaitedFor != nil { return EventLoopWords.wake }
    if isOfUnservedMainQueue {
      return
        "Do not let the main thread wait for this work. Run the main loop or call dispatchMain() as long as work is queued for it."
    }
    switch work.reason {
    case .drainUnderWay: return "Do not run a nested loop inside a block of the main queue."
    case .calloutUnderWay where work.kind == .work:
      return "Let that work end sooner, or use another queue for work that must not wait for it."
    case .calloutUnderWay: return "Make that callout return sooner, or move its work off the thread."
    case .otherWork: return "Let the work of that queue end sooner, and let it not wait for other threads."
    case .modeNotRun:
      return
        "Queue it for a mode that the loop runs, or for the common modes if that mode is one of them, or return to its mode."
    case .notWoken:
      return "Call CFRunLoopWakeUp after signalling a source or queueing a block from another thread."
    case .loopNotRunning, .loopEnded:
      return "Keep the loop running as long as work is queued for it, or queue the work for another loop."
    case .inNoMode: return "Add the source to a mode that its loop runs, before it is signalled."
    case .unknown where work.waitingThread != nil:
      return
        "If that thread is inside a sync call for the same queue, it waits for itself: do the work directly in the block."
    case .unknown: return ""
    }
  }
}
