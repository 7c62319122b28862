import RunLoopVocabulary
import TraceFormat
import TraceResults

/// What one thread's events may be next. Replay makes the best of any order; this says which are no loop's.
///
/// One stack of what is open: calls of run functions, runs, callouts. What was open before the recording, or before
/// events were lost, is not on it, and may end at any time.
struct ThreadOrder {
  /// What holds for all threads of a trace.
  struct Rules {
    let hasHigh: Bool
    /// Before it stands what is restated: not in the order of a loop.
    let beginning: UInt64
    let modes: [UInt8: String]
    /// A program that records itself may begin inside a callout of a run, and may run that mode again in there.
    let mayBeginInside: Bool
    /// Events of any thread may have been lost at any time.
    let isBlind: Bool
  }

  private struct Open {
    /// Of the event that began it; Entry.low of a run.
    let kind: EventKind
    let mode: UInt8
    let object: UInt32
    /// Of a run: the last one, and whether its high stamp is to come.
    var activity = Activity.entry
    var awaitsHigh = false
  }

  private struct Loop: Hashable {
    let object: UInt32
    let mode: UInt8
  }

  private let rules: Rules
  private var open: [Open] = []
  /// Runs of these were seen: another one begins with an Entry.
  private var known: Set<Loop> = []
  /// Runs of these that were open before the recording have gone on since.
  private var resumed: Set<Loop> = []
  /// What is open below the stack is not known.
  private var isBlind: Bool
  private var gapsPassed = 0

  init(_ rules: Rules) {
    self.rules = rules
    isBlind = rules.isBlind
  }

  /// Events are missing: whatever was open may have ended, and others may have begun.
  mutating func forget() {
    open = []
    known = []
    isBlind = true
  }

  mutating func follow(_ events: DecodedEvents, _ gaps: Int, _ problems: inout ProblemList) {
    if gaps > gapsPassed { forget() }
    gapsPassed = gaps
    for i in 0..<events.count {
      let kind = EventKind(events.kinds[i])
      guard let role = EventTable.role(of: kind.rawValue) else { continue }
      let wrong: String?
      switch role {
      case .activity(let activity, isHigh: false): wrong = low(activity, events.modes[i], events.objects[i])
      case .activity(let activity, isHigh: true): wrong = high(activity, events.modes[i], events.objects[i])
      case .callBegin, .calloutBegin:
        open.append(Open(kind: kind, mode: events.modes[i], object: events.objects[i]))
        wrong = nil
      case .callEnd, .calloutEnd: wrong = end(kind, events.objects[i])
      case .loss:
        forget()
        wrong = nil
      default: wrong = nil
      }
      if let wrong, events.times[i] >= rules.beginning { problems.add(events.times[i], wrong) }
    }
  }

  // MARK: Calls and callouts

  private mutating func end(_ kind: EventKind, _ object: UInt32) -> String? {
    guard let at = open.lastIndex(where: { $0.kind == kind.begin && $0.object == object }) else {
      return isBlind ? nil : "\(name(kind)) #\(object) without its begin"
    }
    defer { open.removeLast(open.count - at) }
    return at == open.count - 1
      ? nil : "\(name(kind)) #\(object) while \(words(open[open.count - 1])) is open"
  }

  // MARK: Runs

  private mutating func low(_ activity: Activity, _ mode: UInt8, _ loop: UInt32) -> String? {
    let key = Loop(object: loop, mode: mode)
    guard activity != .entry else {
      known.insert(key)
      open.append(Open(kind: .entryLow, mode: mode, object: loop, awaitsHigh: rules.hasHigh))
      return nil
    }
    guard let at = open.lastIndex(where: { $0.kind == .entryLow && $0.mode == mode && $0.object == loop })
    else {
      let isExpected = mayResume(key)
      open.append(
        Open(
          kind: .entryLow, mode: mode, object: loop, activity: activity, awaitsHigh: rules.hasHigh))
      if activity == .exit, !rules.hasHigh { open.removeLast() }
      return isExpected ? nil : "\(activity.name) in \(name(ofMode: mode)) without an Entry"
    }
    let run = open[at]
    let wrong: String? =
      if at < open.count - 1 {
        "\(activity.name) in \(name(ofMode: mode)) while \(words(open[open.count - 1])) is open"
      } else if run.awaitsHigh {
        "\(activity.name) before \(run.activity.name)'s high stamp"
      } else if !ThreadOrder.follows(activity, run.activity) {
        "\(activity.name) behind \(run.activity.name)"
      } else {
        nil
      }
    open.removeLast(open.count - at - 1)
    open[at].activity = activity
    open[at].awaitsHigh = rules.hasHigh
    if activity == .exit, !rules.hasHigh { open.removeLast() }
    return wrong
  }

  /// Whether a run that was not seen to begin may go on.
  private mutating func mayResume(_ key: Loop) -> Bool {
    let isFirst = known.insert(key).inserted
    // What was seen to begin is inside of it, and must have ended.
    let isAround = rules.mayBeginInside && open.isEmpty && resumed.insert(key).inserted
    return isBlind || isFirst || isAround
  }

  private mutating func high(_ activity: Activity, _ mode: UInt8, _ loop: UInt32) -> String? {
    guard let at = open.lastIndex(where: { $0.kind == .entryLow && $0.mode == mode && $0.object == loop })
    else {
      let isExpected = mayResume(Loop(object: loop, mode: mode))
      if activity != .exit {
        open.append(Open(kind: .entryLow, mode: mode, object: loop, activity: activity))
      }
      return isExpected ? nil : "\(activity.name)'s high stamp in \(name(ofMode: mode)) outside any run of it"
    }
    let run = open[at]
    let wrong: String? =
      if at < open.count - 1 {
        "\(activity.name)'s high stamp while \(words(open[open.count - 1])) is open"
      } else if run.activity != activity || !run.awaitsHigh {
        "\(activity.name)'s high stamp without its low one"
      } else {
        nil
      }
    open.removeLast(open.count - at - (activity == .exit ? 0 : 1))
    if activity != .exit {
      open[at].activity = activity
      open[at].awaitsHigh = false
    }
    return wrong
  }

  /// docs/runloop-semantics.md: 2, 3, 6 and 7. What makes a pass a poll is not in all recordings.
  private static func follows(_ activity: Activity, _ former: Activity) -> Bool {
    switch former {
    case .entry, .afterWaiting: activity == .beforeTimers || activity == .exit
    case .beforeTimers: activity == .beforeSources
    case .beforeSources: activity != .beforeSources && activity != .afterWaiting
    case .beforeWaiting: activity == .afterWaiting
    case .exit: false
    }
  }

  // MARK: Words

  private func words(_ open: Open) -> String {
    switch open.kind {
    case .entryLow: "a run in \(name(ofMode: open.mode))"
    case .runBegin: "a call to run \(name(ofMode: open.mode))"
    default: "\(name(open.kind)) #\(open.object)"
    }
  }

  private func name(_ kind: EventKind) -> String { EventTable.definition(of: kind)?.name ?? "" }

  private func name(ofMode mode: UInt8) -> String {
    rules.modes[mode].map { "mode \"\(harmless($0))\"" } ?? "mode \(mode)"
  }
}
