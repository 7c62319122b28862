import TraceResults

extension StallResult {
  /// The thread that held the lock for which this thread waited, if it is known.
  var heldBy: Sentence {
    guard let owner else { return "" }
    let place: Sentence = owner.place.map { ", in \(name: $0)" } ?? ""
    if owner.isItself { return ". It waits for a lock that it holds itself: a deadlock" }
    guard owner.isDeadlock else { return ". Thread \(name: owner.title) held the lock\(place)" }
    return
      ". It waits for a lock that thread \(name: owner.title) holds\(place), and that thread for a lock of this one: a deadlock"
  }
}
