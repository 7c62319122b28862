import TraceFormat

/// Events of queues other than the main queue, and of their work.
extension ThreadReplay {
  /// Handles an event other than the begin or end of a slice. `name`: for a definition, the name of the object.
  func queue(
    _ kind: EventKind, _ events: DecodedEvents, _ ordinal: Int, _ object: ObjectID, name: StringID,
    _ time: Moment
  ) {
    func argument(_ position: Int) -> UInt64 {
      events.argument(position, kind: kind.rawValue, ordinal: ordinal) ?? 0
    }
    func reference(_ position: Int) -> ObjectID { ObjectID(UInt32(truncatingIfNeeded: argument(position))) }
    let book = books.queues
    switch kind {
    case .queueCreate:
      book.create(
        object, name: name, kind: argument(EventKind.QueueCreate.kind),
        width: argument(EventKind.QueueCreate.width), at: time)
    case .queueEnd: book.end(queue: object)
    case .workCreate:
      typealias Work = EventKind.WorkCreate
      // An absent time is before the recording, and so is one before the origin.
      let due = Int64(bitPattern: argument(Work.due))
      book.create(
        object, name: name, kind: argument(Work.kind), queue: reference(Work.queue),
        parent: reference(Work.parent),
        site: books.names.id(StringID(UInt32(truncatingIfNeeded: argument(Work.site)))),
        due: Moment(UInt64(clamping: due)), at: time)
    case .workQueue: book.queue(object, in: reference(EventKind.WorkQueue.queue), at: time)
    case .workDiscard: book.discard(object, at: time)
    case .queueWaitBegin:
      book.beginCall(object, holder: argument(EventKind.QueueWaitBegin.holder), lane: lane, at: time)
    case .queueWaitEnd: book.endCall(object, lane: lane, at: time)
    default: break
    }
  }
}
