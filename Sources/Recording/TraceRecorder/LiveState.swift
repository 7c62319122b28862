import RunLoopVocabulary
import TraceFormat

/// The live state at a moment of a recording: objects with their memberships, each thread's open runs and callouts,
/// and the program's phase and named states.
///
/// Blocks of different threads come in any order. If two events concern one object, the one with the later time wins,
/// not the one that arrives later. Blocks of one thread come in order. O(1) per event.
struct LiveState {
  private var objects = LiveObjects()
  private var threads: [UInt32: LiveThread] = [:]
  private var phase: (time: UInt64, value: UInt64)?
  /// By name: the latest value of each named state, 0 = it ended.
  private var states: [UInt64: (time: UInt64, value: UInt64)] = [:]
  /// When events were last lost.
  private var lostAt: UInt64?
  private let hasHigh: Bool
  private let unitNs: Int64

  init(unit: TimeUnit, hasHighStamps: Bool) {
    unitNs = Int64(unit.nanoseconds)
    hasHigh = hasHighStamps
  }

  /// Takes a block of events. Calls `onGap` with each gap between two activities of a run in which the thread did not
  /// wait.
  mutating func take(_ events: EventBuffer, thread: UInt32, onGap: (_ units: UInt64) -> Void) {
    var state = threads[thread] ?? LiveThread(hasHigh: hasHigh)
    events.forEach { time, kind, mode, object, arguments in
      switch EventTable.role(of: kind) {
      case .activity: state.activity(kind, mode, object, time, onGap)
      case .callBegin:
        state.begin(
          LiveThread.Item(
            kind: kind, mode: mode, object: object, arguments: Array(arguments), since: time))
      case .callEnd: state.end(kind, object)
      case .answersDue:
        state.announced = arguments.first
        objects.setDue(object, time, arguments, isAnswered: true)
      case .loss:
        state.forget()
        lostAt = max(lostAt ?? 0, time)
      case .setsPhase:
        if let value = arguments.first, phase.map({ time >= $0.time }) ?? true { phase = (time, value) }
      case .happens where kind == EventKind.state.rawValue: note(state: arguments, at: time)
      case .calloutBegin: state.beginCallout(kind, mode, object, arguments, time)
      case .calloutEnd(let callout):
        state.end(kind, object)
        if case .timer = callout { objects.ended(object, time) }
        if callout.runsOnce { objects.die(object, time) }
        if callout == .work { objects.sliceEnded(kind, mode, object, time, arguments) }
      case let role: objects.take(role, kind, mode, object, time, arguments, thread)
      }
    }
    threads[thread] = state
  }

  private mutating func note(state arguments: ArraySlice<UInt64>, at time: UInt64) {
    guard arguments.count > EventKind.State.value, let name = arguments.first,
      time >= states[name]?.time ?? 0
    else { return }
    states[name] = (time, arguments[arguments.startIndex + EventKind.State.value])
  }

  /// Notes the mode id of kCFRunLoopCommonModes. Changes of modes have an effect on the common modes only if it is known
  /// when the state is restated.
  mutating func name(commonModes mode: ModeID) { objects.commonModes = mode }

  /// Forgets a thread that ended, with its open runs and callouts.
  mutating func end(thread: UInt32) { threads[thread] = nil }

  /// When the innermost open callout of each thread began. Threads that run a loop inside it are left out.
  var openCallouts: [UInt32: UInt64] { threads.compactMapValues(\.openCalloutSince) }

  /// The number of objects that are remembered, dead ones included.
  var objectCount: Int { objects.count }

  /// Returns the events that restate the live state, by thread, in order of threads. Forgets the dead objects.
  mutating func restated() -> [(thread: UInt32, events: [RestatedEvent])] {
    objects.removeDead()
    if let lostAt { objects.removeWork(waitingAt: lostAt, running: Set(threads.values.flatMap(\.openWork))) }
    var eventsOfThread = threads.mapValues { $0.restated() }
    for (thread, event) in objects.restatedIntervals() { eventsOfThread[thread, default: []].append(event) }
    var found: [(thread: UInt32, events: [RestatedEvent])] = []
    for (thread, events) in eventsOfThread.ordered(by: { $0.key < $1.key }) where !events.isEmpty {
      found.append((thread, events))
    }
    var shared = objects.restated(unitNs: unitNs)
    if let phase {
      shared.append(
        RestatedEvent(kind: EventKind.lifeCycle.rawValue, mode: 0, object: 0, arguments: [phase.value]))
    }
    for (name, state) in states.ordered(by: { $0.key < $1.key }) where state.value != 0 {
      shared.append(
        RestatedEvent(kind: EventKind.state.rawValue, mode: 0, object: 0, arguments: [name, state.value]))
    }
    guard !shared.isEmpty else { return found }
    // The shared events must come before other threads' events about the same objects. At one moment, the thread with
    // the lower index comes first.
    let first = eventsOfThread.keys.min() ?? 0
    if found.first?.thread == first {
      found[0].events.insert(contentsOf: shared, at: 0)
    } else {
      found.insert((first, shared), at: 0)
    }
    return found
  }
}

/// An event that describes a state instead of something that happens.
struct RestatedEvent {
  var kind: UInt8
  var mode: UInt8
  var object: UInt32
  var arguments: [UInt64]
}
