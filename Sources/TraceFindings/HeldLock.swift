import TraceResults

extension StallResult {
  /// The thread that held the lock or queue for which this thread waited, if it is known.
  var heldBy: Sentence {
    guard let owner else { return "" }
    let place: Sentence = owner.place.map { " while it was in \(name: $0)" } ?? ""
    if cause == .queue { return heldQueue(owner, place) }
    if owner.isItself { return ". The thread waits for a lock that it holds itself, which is a deadlock" }
    guard owner.isDeadlock else { return ". Thread \(name: owner.title) held the lock\(place)" }
    return
      ". The thread waits for a lock that thread \(name: owner.title) took\(place). That thread waits for a lock of this one, which is a deadlock"
  }

  private func heldQueue(_ owner: LockOwner, _ place: Sentence) -> Sentence {
    let ran: Sentence = ". Thread \(name: owner.title) ran the blocks of that queue\(place)"
    return owner.isDeadlock ? "\(ran). That thread waits for this one, which is a deadlock" : ran
  }
}
