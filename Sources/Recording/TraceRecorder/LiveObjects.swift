import RunLoopVocabulary
import TraceFormat

/// The live objects of a recording: for each, the event that created it, its memberships and its due point.
struct LiveObjects {
  private struct DuePoint {
    var time: UInt64
    var point: UInt64
    /// True if a callout serves the point, false if the point was set.
    var isAnswered: Bool
  }

  private struct Entry {
    /// Nil while only later events about the object have been seen.
    var createdAt: UInt64?
    var creation = RestatedEvent(kind: 0, mode: 0, object: 0, arguments: [])
    /// The changes of its modes, or of a loop's common modes. The modes depend on all of them: leaving the common modes
    /// has an effect only after joining them.
    var changes: [ModeChange] = []
    var due: DuePoint?
    /// For a task: when and how it was queued again or its last slice ended, whichever came last. For a timer: its
    /// declaration as a frame source.
    var state: (time: UInt64, event: RestatedEvent)?
    /// The thread that created the object.
    var thread: UInt32 = 0
    /// The end of the last callout.
    var endedAt: UInt64 = 0

    /// Whether it is a task that waits in no queue.
    var isSuspended: Bool {
      state?.event.kind == EventKind.workEnd.rawValue
        && state?.event.arguments == [SliceEnd.suspended.rawValue]
    }
  }

  private var entries: [UInt32: Entry] = [:]
  /// The time at which the last object with an id died. Its creation may arrive later than its death.
  private var deaths: [UInt32: UInt64] = [:]
  /// The mode id of kCFRunLoopCommonModes; nil = not known.
  var commonModes: ModeID?

  /// The number of objects that are remembered, dead ones included.
  var count: Int { entries.count + deaths.count }

  /// Takes an event that concerns neither a thread's stack nor a due point.
  mutating func take(
    _ role: EventRole?, _ kind: UInt8, _ mode: UInt8, _ object: UInt32, _ time: UInt64,
    _ arguments: ArraySlice<UInt64>, _ thread: UInt32
  ) {
    guard object != 0 else { return }
    switch role {
    case .defines:
      create(
        RestatedEvent(kind: kind, mode: mode, object: object, arguments: Array(arguments)), time, thread)
    case .joins: join(kind, mode, object, time, arguments, joins: true)
    case .leaves: join(kind, mode, object, time, arguments, joins: false)
    case .setsDue: setDue(object, time, arguments, isAnswered: false)
    case .happens where kind == EventKind.workQueue.rawValue || kind == EventKind.timerFrames.rawValue:
      setState(RestatedEvent(kind: kind, mode: mode, object: object, arguments: Array(arguments)), time)
    case .ends:
      if kind == EventKind.loopEnd.rawValue { leaveModes(of: object, time) }
      die(object, time)
    default: return
    }
  }

  /// Handles the end of a loop with its thread: objects in its modes leave them.
  private mutating func leaveModes(of loop: UInt32, _ time: UInt64) {
    entries = entries.mapValues { entry in
      var entry = entry
      entry.changes.removeAll { $0.time <= time && $0.loop == loop }
      return entry
    }
  }

  private mutating func create(_ event: RestatedEvent, _ time: UInt64, _ thread: UInt32) {
    guard isAbout(event.object, time) else { return }
    var entry = entries[event.object] ?? Entry()
    // The id may have belonged to another object. Older events are not about this one.
    entry.changes.removeAll { $0.time < time }
    if let due = entry.due, due.time < time { entry.due = nil }
    if let state = entry.state, state.time < time { entry.state = nil }
    entry.createdAt = time
    entry.creation = event
    entry.thread = thread
    if event.kind == EventKind.timerCreate.rawValue, entry.due == nil,
      event.arguments.count > EventKind.TimerCreate.due
    {
      entry.due = DuePoint(
        time: time, point: event.arguments[EventKind.TimerCreate.due], isAnswered: false)
    }
    entries[event.object] = entry
  }

  /// Returns whether an event at `time` is about the present object of the id, not about an earlier or dead one.
  private func isAbout(_ object: UInt32, _ time: UInt64) -> Bool {
    object != 0 && time >= entries[object]?.createdAt ?? 0 && deaths[object].map { time > $0 } ?? true
  }

  private mutating func join(
    _ kind: UInt8, _ mode: UInt8, _ object: UInt32, _ time: UInt64, _ arguments: ArraySlice<UInt64>,
    joins: Bool
  ) {
    guard !arguments.isEmpty, isAbout(object, time) else { return }
    let change = ModeChange(
      time: time, joins: joins,
      event: RestatedEvent(kind: kind, mode: mode, object: object, arguments: Array(arguments)))
    // The loop may have ended since.
    let ending = change.loop.flatMap { deaths[$0] }
    guard !joins || ending.map({ $0 < time }) ?? true else { return }
    entries[object, default: Entry()].changes.insert(change)
    guard let entry = entries[object], entry.changes.areTooMany else { return }
    let decisive = decisive(entry)
    entries[object]?.changes.compact(keeping: decisive)
  }

  /// Returns the changes that determine the present modes of an object.
  private func decisive(_ entry: Entry) -> [ModeChange] {
    entry.changes.decisive(commonModes: commonModes) { loop, time in
      guard let loop = loop.flatMap({ entries[$0] }), loop.changes.contains(where: { $0.time <= time }) else {
        return nil
      }
      return loop.changes.reduce(into: ModeSet()) { if $1.time <= time { $0.insert($1.mode) } }
    }
  }

  mutating func setDue(_ object: UInt32, _ time: UInt64, _ arguments: ArraySlice<UInt64>, isAnswered: Bool) {
    guard let point = arguments.first, isAbout(object, time) else { return }
    guard entries[object]?.due.map({ time >= $0.time }) ?? true else { return }
    entries[object, default: Entry()].due = DuePoint(time: time, point: point, isAnswered: isAnswered)
  }

  /// Notes that a timer's callout ended.
  mutating func ended(_ object: UInt32, _ time: UInt64) {
    guard let entry = entries[object], time >= entry.endedAt else { return }
    entries[object]?.endedAt = time
  }

  /// Notes that a slice of work ended. The work exists afterwards only if the event says so.
  mutating func sliceEnded(
    _ kind: UInt8, _ mode: UInt8, _ object: UInt32, _ time: UInt64, _ arguments: ArraySlice<UInt64>
  ) {
    guard let why = arguments.first, why != SliceEnd.done.rawValue else { return die(object, time) }
    setState(RestatedEvent(kind: kind, mode: mode, object: object, arguments: [why]), time)
  }

  private mutating func setState(_ event: RestatedEvent, _ time: UInt64) {
    guard isAbout(event.object, time), time >= entries[event.object]?.state?.time ?? 0 else { return }
    entries[event.object, default: Entry()].state = (time, event)
  }

  mutating func die(_ object: UInt32, _ time: UInt64) {
    guard object != 0, time >= deaths[object] ?? 0 else { return }
    deaths[object] = time
    guard var entry = entries[object] else { return }
    // Younger entries are about the id's next object.
    if let created = entry.createdAt, created <= time { entry.createdAt = nil }
    entry.changes.removeAll { $0.time <= time }
    if let due = entry.due, due.time <= time { entry.due = nil }
    if let state = entry.state, state.time <= time { entry.state = nil }
    let isEmpty =
      entry.createdAt == nil && entry.changes.isEmpty && entry.due == nil && entry.state == nil
    entries[object] = isEmpty ? nil : entry
  }

  /// Forgets the dead objects. Call it only when all events up to a moment were taken.
  mutating func removeDead() {
    entries = entries.filter { $0.value.createdAt != nil }
    deaths = [:]
  }

  /// Forgets work that waited when events were lost, because it may have begun and ended unseen since. `running`: the
  /// work whose slices are known to run.
  mutating func removeWork(waitingAt loss: UInt64, running: Set<UInt32>) {
    entries = entries.filter { object, entry in
      guard entry.creation.kind == EventKind.workCreate.rawValue, let created = entry.createdAt,
        !running.contains(object)
      else { return true }
      return max(created, entry.state?.time ?? 0) > loss || entry.isSuspended
    }
  }

  /// Loops and queues, which other objects refer to.
  private static let referredTo = [EventKind.loopCreate.rawValue, EventKind.queueCreate.rawValue]

  /// Returns the events that restate the live objects: loops and queues before the objects that refer to them,
  /// memberships and states after their objects.
  func restated(unitNs: Int64) -> [RestatedEvent] {
    let living = entries.ordered { $0.key < $1.key }.map(\.value)
    let referredTo = living.filter { Self.referredTo.contains($0.creation.kind) }
    var events = referredTo.map(\.creation)
    events += referredTo.flatMap { entry in
      decisive(entry).ordered { $0.mode < $1.mode }.map(\.event)
    }
    for entry in living
    where !(Self.referredTo + [EventKind.intervalBegin.rawValue]).contains(entry.creation.kind) {
      var creation = entry.creation
      if creation.kind == EventKind.timerCreate.rawValue,
        creation.arguments.count > EventKind.TimerCreate.due
      {
        creation.arguments[EventKind.TimerCreate.due] = pointInForce(entry, unitNs: unitNs)
      }
      events.append(creation)
      events += decisive(entry).map(\.event)
      if let state = entry.state { events.append(state.event) }
    }
    return events
  }

  /// Returns the open intervals, each with the thread that began it.
  func restatedIntervals() -> [(thread: UInt32, event: RestatedEvent)] {
    entries.ordered { $0.key < $1.key }.compactMap { _, entry in
      guard entry.creation.kind == EventKind.intervalBegin.rawValue else { return nil }
      return (entry.thread, entry.creation)
    }
  }

  /// Returns the due point that a timer waits for or serves. After a callout this is the first grid point after the
  /// callout's end, as in CFRunLoop.
  private func pointInForce(_ entry: Entry, unitNs: Int64) -> UInt64 {
    guard let due = entry.due else { return entry.creation.arguments[EventKind.TimerCreate.due] }
    let interval = Int64(clamping: entry.creation.arguments[EventKind.TimerCreate.intervalNs])
    guard due.isAnswered, entry.endedAt >= due.time, interval > 0 else { return due.point }
    let point = Int64(bitPattern: due.point) &* unitNs
    let end = Int64(clamping: entry.endedAt) &* unitNs
    return UInt64(bitPattern: TimerGrid.next(after: end, from: point, interval) / unitNs)
  }
}
