import TraceFormat

/// A run loop that never ran, and the items in its modes at the end of the span or of its thread.
package struct UnrunLoop {
  package var items: [BoundItem]
  /// When the first of the items was added.
  package var since: Moment
  /// The time from there to the end, without suspension.
  package var waited: Length
  /// When the loop's thread ended; nil = it did not.
  package var ended: Moment?
  /// Whether due points of its timers were skipped.
  package var hasSkippedPoints: Bool
}

extension Replay {
  /// Returns the items of a loop that never ran; nil if the recording shows none. `end`: the end of the span.
  package func items(ofUnrun loop: LoopID, until end: Moment) -> UnrunLoop? {
    let (timed, hasSkippedPoints) = timers.items(of: loop)
    // A source in several loops may be served by another one.
    var items =
      books.sourceLives.items(of: loop).filter { books.workPlaces.places(of: $0.object).count == 1 } + timed
    // Only this snapshot has observers. When a thread ends, its loop's items leave before the event of its end.
    if let last = books.topology.snapshots.last(where: { $0.loop == loop && $0.reason == .end }) {
      let known = Dictionary(items.map { ($0.object, $0.since) }) { first, _ in first }
      let created = books.objects.row(loop.object)?.pointee.created ?? last.time
      items = last.items.map {
        BoundItem(object: $0.object, kind: $0.kind, name: $0.name, since: known[$0.object] ?? created)
      }
    }
    guard let since = items.map(\.since).min() else { return nil }
    let ended = books.endedLoops[loop]
    return UnrunLoop(
      items: items, since: since, waited: (ended ?? end).since(books.objects.since(since)), ended: ended,
      hasSkippedPoints: hasSkippedPoints)
  }
}
