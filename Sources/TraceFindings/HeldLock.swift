import TraceResults

extension StallResult {
  /// The thread that held the lock or queue for which this thread waited, if it is known.
  var heldBy: Sentence {
    guard let owner else { return "" }
    if cause == .queue { return heldQueue(owner) }
    if owner.isItself { return ". The thread waits for a lock that it holds itself, which is a deadlock" }
    let place: Sentence = owner.place.map { " while it was in \(name: $0)" } ?? ""
    guard owner.isDeadlock else { return ". \(owner.subject) held the lock\(place)" }
    return
      ". The thread waits for a lock that \(owner.object) took\(place). That thread waits for a lock that this one holds, which is a deadlock"
  }

  /// Names the function of the block first, because the name of a worker thread does not help.
  private func heldQueue(_ owner: LockOwner) -> Sentence {
    let ran: Sentence =
      owner.place.map { ". The queue was busy with \(name: $0), on \(owner.object)" }
      ?? ". \(owner.subject) ran the blocks of that queue"
    return owner.isDeadlock ? "\(ran). That thread waits for this one, which is a deadlock" : ran
  }

  /// The remedy of the cause, or a more exact one if the owner of the queue is known; nil if no rule gives one.
  var advice: Sentence? {
    guard cause == .queue, let owner, !owner.isDeadlock, let block = owner.place, let place else {
      return remedy.map { "\($0)" }
    }
    return
      "Shorten \(name: block), or move it to another queue. Or replace the sync call in \(name: place) with async."
  }
}

extension LockOwner {
  var subject: Sentence { isDispatchWorker ? "A worker thread of Dispatch" : "Thread \(name: title)" }
  var object: Sentence { isDispatchWorker ? "a worker thread of Dispatch" : "thread \(name: title)" }
}
