import TraceResults

extension StallResult {
  /// The thread that held the lock for which this thread waited, if it is known.
  var heldBy: Sentence {
    guard let owner else { return "" }
    let place: Sentence = owner.place.map { " while it was in \(name: $0)" } ?? ""
    if owner.isItself { return ". The thread waits for a lock that it holds itself, which is a deadlock" }
    guard owner.isDeadlock else { return ". Thread \(name: owner.title) held the lock\(place)" }
    return
      ". The thread waits for a lock that thread \(name: owner.title) took\(place). That thread waits for a lock of this one, which is a deadlock"
  }
}
