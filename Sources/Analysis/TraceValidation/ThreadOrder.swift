import TraceFormat
import TraceReplay
import TraceResults

/// Checks the order of events on one thread, and describes events that may not come next. The rules are those of
/// `EventSequence`, which replay also uses.
final class ThreadOrder {
  private var sequence: EventSequence
  private let modes: [UInt8: String]
  /// Events before this time restate the state, in no particular order.
  private let beginning: UInt64
  private var gapsPassed = 0

  init(_ rules: EventSequence.Rules, modes: [UInt8: String], beginning: UInt64) {
    sequence = EventSequence(rules)
    self.modes = modes
    self.beginning = beginning
  }

  /// Forgets the state, because events are missing.
  func forget() { sequence.forget() }

  /// Returns the number of extra steps, besides one per event: one for every eight open items searched.
  func follow(_ events: DecodedEvents, _ gaps: Int, _ problems: inout ProblemList) -> Int {
    if gaps > gapsPassed { forget() }
    gapsPassed = gaps
    for i in 0..<events.count {
      let (kind, mode) = (EventKind(events.kinds[i]), ModeID(events.modes[i]))
      let object = ObjectID(events.objects[i])
      guard let wrong = sequence.follow(kind, mode, object), events.times[i] >= beginning else { continue }
      problems.add(events.times[i], words(wrong, kind, mode, object))
    }
    defer { sequence.searched = 0 }
    return sequence.searched / 8
  }

  // MARK: Words

  private func words(
    _ wrong: EventSequence.Contradiction, _ kind: EventKind, _ mode: ModeID, _ object: ObjectID
  ) -> String {
    guard case .activity(let activity, let isHigh) = EventTable.role(of: kind.rawValue) else {
      let event = "\(name(kind)) #\(object.rawValue)"
      return switch wrong {
      case .whileOpen(let open): "\(event) while \(words(open)) is open"
      case .whileWaiting(let run): "\(event) while the thread waits in \(words(run))"
      default: "\(event) without its begin"
      }
    }
    let high = "\(activity.name)'s high stamp"
    return switch wrong {
    case .whileOpen(let open) where isHigh: "\(high) while \(words(open)) is open"
    case .whileOpen(let open): "\(activity.name) in \(name(ofMode: mode)) while \(words(open)) is open"
    case .withoutEntry where isHigh: "\(high) in \(name(ofMode: mode)) outside any run of that mode"
    case .withoutEntry, .withoutBegin: "\(activity.name) in \(name(ofMode: mode)) without an Entry"
    case .beforeHigh(let former): "\(activity.name) before \(name(ofActivity: former))'s high stamp"
    case .behind(let former): "\(activity.name) after \(name(ofActivity: former))"
    case .withoutLow: "\(high) without its low stamp"
    case .whileWaiting(let run): "\(activity.name) while the thread waits in \(words(run))"
    }
  }

  private func words(_ open: EventSequence.Open) -> String {
    switch open.kind {
    case .entryLow: "a run in \(name(ofMode: open.mode))"
    case .runBegin: "a call to run \(name(ofMode: open.mode))"
    default: "\(name(open.kind)) #\(open.object.rawValue)"
    }
  }

  private func name(_ kind: EventKind) -> String { EventTable.definition(of: kind)?.name ?? "" }

  private func name(ofActivity kind: EventKind) -> String {
    if case .activity(let activity, _) = EventTable.role(of: kind.rawValue) {
      activity.name
    } else {
      name(kind)
    }
  }

  private func name(ofMode mode: ModeID) -> String {
    modes[mode.rawValue].map { "mode \"\(harmless($0))\"" } ?? "mode \(mode.rawValue)"
  }
}
