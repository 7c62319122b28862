import CallStacks
import TraceResults

extension QueueStall {
  /// Whether all threads of the pool of Swift tasks were occupied.
  var isOfExhaustedPool: Bool { kind == .cooperativePool && isFull }

  /// Whether the queue waited about a second, as it does until Dispatch gives it another thread.
  var isOfGrowingQueue: Bool {
    (kind == .concurrent || kind == .global) && running > 0 && activity != .computing
      && (hasGrown || isOpen) && durationNs >= FindingLimits.growthOfPoolNs
  }

  /// What its threads ran, as the continuation of a sentence: ", while it ran "a" (sleeping in "f() main.swift:3")".
  var work: Sentence {
    guard !slices.isEmpty else { return "" }
    return ", while it ran \(workList)"
  }

  /// The work that ran throughout, such as: "a" (sleeping in "f() main.swift:3") and 2 others.
  var workList: Sentence {
    let named = slices.prefix(3).map(\.sentence)
    let left = running &- min(running, UInt64(named.count))
    return (left > 0 ? named + ["\(count: left, "other_slices", "other", "others")"] : named).listed()
  }

  /// The functions that ran or waited, each once.
  var places: [Finding.Place] {
    var seen: Set<String> = []
    return slices.compactMap(\.function).filter { $0.file != nil && seen.insert($0.sourcePlace).inserted }
      .map { Finding.Place(.function, $0) }
  }
}

extension QueueStall.Slice {
  fileprivate var sentence: Sentence {
    guard let cause else { return "\(name: name)" }
    let what: Sentence = cause == .unknown ? "" : "\(cause.words)"
    guard let function else { return what.isEmpty ? "\(name: name)" : "\(name: name) (\(what))" }
    let place: Sentence = "in \(name: function.sourcePlace)"
    return what.isEmpty ? "\(name: name) (\(place))" : "\(name: name) (\(what) \(place))"
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
