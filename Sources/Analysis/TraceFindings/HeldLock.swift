import CallStacks
import TraceResults

extension StallResult {
  /// The thread that held the lock or queue for which this thread waited, if it is known.
  var heldBy: Sentence {
    guard let owner else {
      return mayWaitForItself
        ? ". It waits inside a block that the same function runs with a sync call. If both calls use one queue, the thread waits for itself and cannot continue"
        : ""
    }
    if cause == .queue { return owner.heldQueue }
    if owner.isItself { return ". The thread waits for a lock that it holds itself, which is a deadlock" }
    let loop: Sentence = owner.isInLoop ? ", where it waited for events in a run loop" : ""
    let place: Sentence = owner.place.map { " while it was in \(name: $0)" } ?? ""
    guard owner.isDeadlock else { return ". \(owner.subject) held the lock\(place)\(loop)" }
    let awaited: Sentence = owner.cause == .queue ? "queue" : "lock"
    return
      ". The thread waits for a lock that \(owner.object) took\(place). That thread waits for a \(awaited) that this one holds, which is a deadlock"
  }

  private var mayWaitForItself: Bool {
    guard cause == .queue, let blamed else { return false }
    return CallStack.waitsInsideOwnSync(stack, function: blamed)
  }

  /// The remedy of the cause, or a more exact one if the owner of the queue is known; nil if no rule gives one.
  var advice: Sentence? {
    if processorLack != nil { return ProcessorShare.advice }
    if mayWaitForItself, owner == nil {
      return "Do not call sync for a queue from a block that runs on it: do the work directly in the block."
    }
    guard cause == .queue, let owner, !owner.isDeadlock, let block = owner.place, let place else {
      return remedy.map { "\($0)" }
    }
    if owner.waits {
      return
        "Do not wait in \(name: block) while other threads need its queue: continue in a callback. Or replace the sync call in \(name: place) with async."
    }
    return
      "Shorten \(name: block), or move it to another queue. Or replace the sync call in \(name: place) with async."
  }
}

extension LockOwner {
  /// The activity of the thread while it held a queue. Names the function of the block first, because the name of a
  /// worker thread does not help.
  var heldQueue: Sentence {
    if isItself { return ". The thread waits for a queue that it holds itself, which is a deadlock" }
    let ran: Sentence =
      place.map { ". The queue was busy with \(name: $0), on \(object)" }
      ?? ". \(subject) ran the blocks of that queue"
    if isDeadlock { return "\(ran). That thread waits for this one, which is a deadlock" }
    if isInLoop { return "\(ran). That thread waits for events in a run loop" }
    return waits ? "\(ran). That thread is waiting itself: \(cause.words)" : ran
  }

  var subject: Sentence { isDispatchWorker ? "A worker thread of Dispatch" : "Thread \(name: title)" }
  var object: Sentence { isDispatchWorker ? "a worker thread of Dispatch" : "thread \(name: title)" }
}
