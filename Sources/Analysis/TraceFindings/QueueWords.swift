import CallStacks
import TraceResults

extension QueueBacklog {
  /// Whether work that waited occupied all threads of the pool of Swift tasks.
  var isOfExhaustedPool: Bool { kind == .cooperativePool && isFull && mayWait }

  /// Whether the threads are known to have waited for a good part of the time.
  private var mayWait: Bool { activity == .waiting || activity == .mixed }

  /// Whether the queue got further threads, as Dispatch gives one about every second to threads that wait.
  var isOfGrowingQueue: Bool {
    (kind == .concurrent || kind == .global) && mayWait && running > runningAtFirst
      && longestWaitNs >= FindingLimits.growthOfPoolNs
  }

  /// The share of the longest wait from which on the queue's own work may be the reason for it.
  private static let explainingShare = 0.5

  /// Whether the queue's own work occupied it for a good part of the longest wait.
  var isOccupied: Bool { isAtLeast(occupiedNs, Self.explainingShare, of: longestWaitNs) }

  /// For an occupied queue: the work that its threads ran, as a sentence: ". Meanwhile, it ran "a" (sleeping in
  /// "f() main.swift:3")".
  var meanwhile: Sentence { ". Meanwhile, it ran \(workList)" }

  /// For a queue that was not occupied: how little of its work ran, and what may have held it, as two sentences.
  var idleness: Sentence {
    let ran: Sentence =
      occupiedNs == 0
      ? "none of its own work ran" : "its own work ran for only \(ns: occupiedNs, "occupied_ns")"
    let reasons: Sentence =
      isShared
      ? "waited for a thread"
      : "been suspended, held by a call such as dispatch_sync, or waiting for a thread or for the queue that it targets"
    return ". Meanwhile, \(ran). It may have \(reasons)"
  }

  /// The remedy for a queue that was not occupied.
  var idlenessAdvice: Sentence {
    isShared
      ? "Look for work of actors and other queues that occupies the threads, and for a busy machine."
      : "If it was not suspended on purpose, look for a long call such as dispatch_sync for it, and for work of other queues with the same target."
  }

  /// Whether it is a queue that programs neither suspend nor hold.
  private var isShared: Bool { kind == .global || kind == .cooperativePool }

  /// The share of a backlog, or of a pool's samples, from which on work or a function is named.
  static let namedShare = 0.05

  /// The work that ran longest, such as: "a" (sleeping in "f() main.swift:3") and 2 others. If the threads waited, the
  /// work that waited. Short pieces are not named.
  var workList: Sentence {
    let long = works.filter {
      isAtLeast($0.durationNs, Self.namedShare, of: occupiedNs)
        && (activity != .waiting || $0.isWait == true)
    }
    guard !long.isEmpty else { return "short pieces of work" }
    let named = long.prefix(3).map(\.sentence)
    let left = UInt64(clamping: long.count - named.count)
    return (left > 0 ? named + ["\(count: left, "other_work", "other", "others")"] : named).listed()
  }

  /// The functions that ran or waited.
  var places: [Finding.Place] {
    works.filter { isAtLeast($0.durationNs, Self.namedShare, of: occupiedNs) }.compactMap(\.function).places
  }
}

extension [StackFrame] {
  /// Those with a file, each once.
  fileprivate var places: [Finding.Place] {
    var seen: Set<String> = []
    return
      self
      .filter { $0.file != nil && seen.insert($0.sourcePlace).inserted }
      .map { Finding.Place(.function, $0) }
  }
}

extension QueueBacklog.Work {
  fileprivate var sentence: Sentence {
    var what: Sentence = ""
    if waitsInLoops {
      what = "waiting in a run loop"
    } else if let cause, cause != .unknown {
      what = "\(cause.words)"
    }
    guard let function else { return what.isEmpty ? "\(name: name)" : "\(name: name) (\(what))" }
    let place: Sentence = "in \(name: function.sourcePlace)"
    return what.isEmpty ? "\(name: name) (\(place))" : "\(name: name) (\(what) \(place))"
  }
}

extension QueueCall {
  /// The finding of the rule RL013.
  func finding(about queue: WorkQueueResult, _ analysis: Analysis) -> Finding {
    let waits = queue.callsSoFarNs
    let goesOn = isStuck && waitedNs >= UnservedResult.thresholdNs
    let what: Sentence =
      goesOn
      ? "Thread \(Phrase.thread(analysis.thread(thread))) waited \(ns: waitedNs, "waited_ns") for queue \(name: queue.name) in a call such as dispatch_sync, and still waited when \(Phrase.end(analysis))"
      : "Threads waited up to \(ns: waits.max, "max_ns") for queue \(name: queue.name) in calls such as dispatch_sync (p99 \(ns: waits.p99, "p99_ns"), \(count: waits.count, "count", "wait", "waits"))"
    let lostNs = goesOn ? waitedNs : waits.max
    var finding = Finding(
      goesOn
        ? SeverityTable.neverEnded(waitedNs)
        : SeverityTable.waits(for: waits.p99 >= FindingLimits.noticeableNs ? activity : nil),
      "\(what)\(meanwhile(queue))",
      advice:
        "Shorten the work that holds the queue, and do not wait in it. Or replace the sync call with async.",
      headline: .time(lostNs, "waited for a queue"),
      evidence: [
        .span(
          startNs, min(waitedNs, analysis.trace.toNs &- min(startNs, analysis.trace.toNs)),
          "a thread's longest wait for the queue")
      ], weight: lostNs, subject: queue.name)
    finding.thread = thread
    finding.title = "threads wait long for a queue"
    finding.isAboutQueues = true
    finding.sampled =
      [function].compactMap(\.self).places
      + [owner?.blamed].compactMap(\.self).filter { $0.file != nil }.map { Finding.Place(.holder, $0) }
    return finding
  }

  private var activity: QueueBacklog.Activity {
    guard let owner, owner.waits || owner.cause != .unknown else { return .unknown }
    return owner.waits || owner.cause.isWait ? .waiting : .computing
  }

  /// The thread or work that held the queue.
  private func meanwhile(_ queue: WorkQueueResult) -> Sentence {
    if let owner {
      let isOfItsOwn = owner.cause.isWait && !owner.waits && !owner.isDeadlock
      return isOfItsOwn ? "\(owner.heldQueue): \(owner.cause.words)" : owner.heldQueue
    }
    if !queue.holder.isEmpty {
      return
        ". Meanwhile, work \(name: queue.holder) was on it for \(ns: queue.longestHoldNs, "longest_hold_ns")"
    }
    return firstOwner.map { ". \($0.subject) held it when the wait began" }
      ?? ". The recording does not show what held it"
  }
}

extension QueueDeadlock {
  /// The finding of the rule RL032.
  func finding(_ analysis: Analysis) -> Finding {
    let isAlone = links.count == 1
    let waits = links.enumerated().map { number, link -> Sentence in
      let who = self.thread(link, number + 1, analysis)
      let work: Sentence =
        link.work.isEmpty
        ? ""
        : link.workQueue.isEmpty
          ? ", in work \(name: link.work)," : ", in work \(name: link.work) of queue \(name: link.workQueue),"
      return "thread \(who)\(work) waits for queue \(name: link.queue)"
    }
    let what: Sentence =
      isAlone
      ? "A thread waits for a queue that it holds itself: \(waits.listed())"
      : "\(count: UInt64(links.count), "threads") threads wait for each other's queues: \(waits.listed())"
    var finding = Finding(
      .error,
      "\(what). \(isAlone ? "It" : "None of them") can\(isAlone ? "not" : "") continue. The last wait began \(ns: waitedNs, "waited_ns") before \(Phrase.end(analysis))",
      advice: isAlone
        ? "Do not call sync for a queue from work that runs on it: do the work directly."
        : "Replace a sync call among these queues with async, or let all of them call in one order.",
      headline: .time(waitedNs, "in a deadlock"),
      evidence: links.map {
        .span(
          $0.sinceNs, analysis.trace.toNs &- min($0.sinceNs, analysis.trace.toNs), "one wait for a queue")
      },
      // The order of the links depends on that of the threads, which another run may change.
      weight: analysis.trace.toNs, subject: links.map(\.queue).min() ?? "",
      cause: ", because queues wait for each other")
    finding.thread = links.first?.thread
    finding.sampled = links.compactMap(\.function).places
    finding.title = "threads wait for each other's queues"
    finding.isAboutQueues = true
    return finding
  }

  private func thread(_ link: Link, _ number: Int, _ analysis: Analysis) -> Sentence {
    let thread = analysis.thread(link.thread)
    // Each number needs a name of its own.
    return thread.name.isEmpty && thread.mainName == nil
      ? "\(count: UInt64(thread.index), "thread_\(number)")" : Phrase.thread(thread)
  }
}
