import TraceFormat

/// What lives at a moment of a recording: objects with their memberships, and each thread's open runs and callouts.
///
/// Blocks of different threads come in any order, so of two events about one object the later one wins by its time, not
/// by its arrival. A thread's own blocks come in order. O(1) an event.
struct LiveState {
  private var objects = LiveObjects()
  private var threads: [UInt32: LiveThread] = [:]
  private var phase: (time: UInt64, value: UInt64)?
  private let hasHigh: Bool
  private let unitNs: Int64

  init(unit: TimeUnit, hasHighStamps: Bool) {
    unitNs = Int64(unit.nanoseconds)
    hasHigh = hasHighStamps
  }

  /// Follows a block. `onGap` is told each stretch between two activities of a run that the thread did not wait in.
  mutating func take(_ events: EventBuffer, thread: UInt32, onGap: (_ units: UInt64) -> Void) {
    var state = threads[thread] ?? LiveThread(hasHigh: hasHigh)
    events.forEach { time, kind, mode, object, arguments in
      switch EventTable.role(of: kind) {
      case .activity: state.activity(kind, mode, object, time, onGap)
      case .callBegin:
        state.begin(LiveThread.Item(kind: kind, mode: mode, object: object, arguments: Array(arguments)))
      case .callEnd: state.end(kind, object)
      case .answersDue:
        state.announced = arguments.first
        objects.setDue(object, time, arguments, isAnswered: true)
      case .loss: state.forget()
      case .setsPhase:
        if let value = arguments.first, phase.map({ time >= $0.time }) ?? true { phase = (time, value) }
      case .calloutBegin: state.beginCallout(kind, mode, object)
      case .calloutEnd(let callout):
        state.end(kind, object)
        if case .timer = callout { objects.ended(object, time) }
        if callout.runsOnce { objects.die(object, time) }
      case let role: objects.take(role, kind, mode, object, time, arguments, thread)
      }
    }
    threads[thread] = state
  }

  /// The thread is gone, and with it what it had open.
  mutating func end(thread: UInt32) { threads[thread] = nil }

  /// Objects that are kept in mind, dead ones included.
  var objectCount: Int { objects.count }

  /// Events that say what lives: by thread, in order of threads. Forgets the dead.
  mutating func restated() -> [(thread: UInt32, events: [RestatedEvent])] {
    objects.buryDead()
    var eventsOfThread = threads.mapValues { $0.restated() }
    for (thread, event) in objects.restatedIntervals() { eventsOfThread[thread, default: []].append(event) }
    var found: [(thread: UInt32, events: [RestatedEvent])] = []
    for (thread, events) in eventsOfThread.sorted(by: { $0.key < $1.key }) where !events.isEmpty {
      found.append((thread, events))
    }
    var shared = objects.restated(unitNs: unitNs)
    if let phase {
      shared.append(
        RestatedEvent(kind: EventKind.lifeCycle.rawValue, mode: 0, object: 0, arguments: [phase.value]))
    }
    guard !shared.isEmpty else { return found }
    // Before what other threads do with them: at one moment the lower thread goes first.
    let first = eventsOfThread.keys.min() ?? 0
    if found.first?.thread == first {
      found[0].events.insert(contentsOf: shared, at: 0)
    } else {
      found.insert((first, shared), at: 0)
    }
    return found
  }
}

/// An event that says what is, not what happens.
struct RestatedEvent {
  var kind: UInt8
  var mode: UInt8
  var object: UInt32
  var arguments: [UInt64]
}
