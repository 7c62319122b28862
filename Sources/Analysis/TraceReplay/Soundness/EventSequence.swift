import TraceFormat

/// Checks which events may come next on one thread. Replay accepts events in any order; this type finds sequences that
/// no loop produces.
///
/// It keeps one stack of open items: calls of run functions, runs and callouts. Items that were open before the
/// recording, or before events were lost, are not on the stack and may end at any time. Replay takes the usual steps
/// inline (`takes…`). Everything else, and all of `validate`, goes through `follow`.
package struct EventSequence: ~Copyable {
  /// The rules for all threads of a trace.
  package struct Rules {
    package var hasHigh: Bool
    /// Whether passes have all activities. Imported ones have no BeforeSources.
    package var hasPhases: Bool
    /// Whether the recording may begin inside a callout of a run, which may run the same mode again. This is the case
    /// for a program that records itself.
    package var mayBeginInside: Bool
    /// Whether events of any thread may have been lost at any time.
    package var isBlind: Bool

    package init(_ reader: TraceReader, isBlind: Bool) {
      hasHigh = reader.header.hasHighStamps
      hasPhases = reader.header.captureLevel.seesPhases
      mayBeginInside = !reader.info.contains { $0.key == InfoEntry.recorder }
      self.isBlind = isBlind
    }
  }

  /// A run, callout or call that has begun and not ended, packed into one machine word: the kind of its begin, its mode
  /// and its object. For a run, also its last activity, and whether the high stamp of that activity is still to come.
  package struct Open: Equatable {
    fileprivate var word: UInt64

    fileprivate init(word: UInt64) { self.word = word }

    @inline(__always)
    fileprivate init(_ kind: EventKind, _ mode: ModeID, _ object: ObjectID) {
      word = UInt64(kind.rawValue) | UInt64(mode.rawValue) &<< 8 | UInt64(object.rawValue) &<< 16
    }

    /// Creates the item of a run.
    @inline(__always)
    fileprivate init(run mode: ModeID, _ loop: ObjectID, at activity: EventKind, awaitsHigh: Bool) {
      self.init(.entryLow, mode, loop)
      word |= UInt64(activity.rawValue) &<< 48 | (awaitsHigh ? 1 : 0) &<< 56
    }

    package var kind: EventKind { EventKind(UInt8(truncatingIfNeeded: word)) }
    package var mode: ModeID { ModeID(UInt8(truncatingIfNeeded: word &>> 8)) }
    package var object: ObjectID { ObjectID(UInt32(truncatingIfNeeded: word &>> 16)) }
    /// For a run, the low stamp of its last activity.
    package var activity: EventKind { EventKind(UInt8(truncatingIfNeeded: word &>> 48)) }
    fileprivate var awaitsHigh: Bool { word &>> 56 != 0 }
    /// For a run: all stamps of BeforeWaiting have come, and none of AfterWaiting.
    @inline(__always)
    fileprivate var isWaiting: Bool { word &>> 48 == UInt64(EventKind.beforeWaitingLow.rawValue) }

    /// Returns whether both are the same run, whatever its last activity is: kind, mode and object are equal.
    @inline(__always)
    fileprivate func isSame(as other: Open) -> Bool { (word ^ other.word) &<< 16 == 0 }

    /// Returns whether an end event of the object ends this callout or call, whatever mode the event has.
    @inline(__always)
    fileprivate func isEnded(by kind: EventKind, _ object: ObjectID) -> Bool {
      self.kind == kind.begin && self.object == object
    }
  }

  /// A sequence of events that no loop produces.
  package enum Contradiction: Equatable {
    /// The end of an item that did not begin.
    case withoutBegin
    /// An inner item is still open.
    case whileOpen(Open)
    /// An activity of a run that did not begin.
    case withoutEntry
    /// The high stamp of the last activity is missing.
    case beforeHigh(EventKind)
    /// The activity cannot follow this last activity.
    case behind(EventKind)
    /// A high stamp without its low stamp.
    case withoutLow
    /// A begin while the thread waits in the run.
    case whileWaiting(Open)
  }

  private let rules: Rules
  private var open = Rows<Open>(capacity: EventSequence.firstRoom)
  private var room = EventSequence.firstRoom
  private var count = 0
  /// The loops and modes of runs that were seen: another run of the same loop and mode begins with an Entry. This is a
  /// list, because a thread runs few modes, and the first use of a set costs more than many searches.
  private var known: [UInt64] = []
  /// The loops and modes of runs that were open before the recording and continued later.
  private var resumed: [UInt64] = []
  /// The run that was entered last. It is one of the known runs.
  private var lastEntered = Open(word: .max)
  /// Whether there may be unknown items below the stack.
  private var isBlind: Bool
  /// The number of items searched: open ones besides the innermost, and known runs. The caller charges them to
  /// the budget.
  package var searched = 0

  private static let firstRoom = 16

  package init(_ rules: Rules) {
    self.rules = rules
    isBlind = rules.isBlind
  }

  /// Forgets all items after lost events: any open item may have ended, and others may have begun.
  package mutating func forget() {
    count = 0
    known = []
    lastEntered = Open(word: .max)
    isBlind = true
  }

  /// Takes any event of the thread. Returns the contradiction, if any.
  package mutating func follow(_ kind: EventKind, _ mode: ModeID, _ object: ObjectID) -> Contradiction? {
    guard let role = EventTable.role(of: kind.rawValue) else { return nil }
    switch role {
    case .activity(.entry, isHigh: false): return enter(mode, object)
    case .activity(let activity, let isHigh): return stamp(EventKind(activity), isHigh: isHigh, mode, object)
    case .callBegin, .calloutBegin: return begin(Open(kind, mode, object))
    case .callEnd, .calloutEnd: return end(kind, object)
    case .loss: forget()
    default: break
    }
    return nil
  }

  // MARK: Usual steps

  private var top: Open {
    @inline(__always) get { open[count &- 1] }
    nonmutating set { open[count &- 1] = newValue }
  }

  /// Whether the innermost open item is a run in which the thread waits. Without high stamps this is not known,
  /// because observers may still run before the wait.
  private var isWaiting: Bool {
    @inline(__always) get { rules.hasHigh && count > 0 && top.isWaiting }
  }

  @inline(__always)
  package mutating func takesBegin(_ kind: EventKind, _ mode: ModeID, _ object: ObjectID) -> Bool {
    guard count < room, !isWaiting else { return false }
    open[count] = Open(kind, mode, object)
    count &+= 1
    return true
  }

  @inline(__always)
  package mutating func takesEnd(_ kind: EventKind, _ object: ObjectID) -> Bool {
    guard count > 0, top.isEnded(by: kind, object) else { return false }
    count &-= 1
    return true
  }

  @inline(__always)
  package mutating func takesEntry(_ mode: ModeID, _ loop: ObjectID) -> Bool {
    let run = Open(run: mode, loop, at: .entryLow, awaitsHigh: rules.hasHigh)
    guard count < room, run == lastEntered, !isWaiting else { return false }
    open[count] = run
    count &+= 1
    return true
  }

  /// `kind`: a constant, any activity except Entry.
  @inline(__always)
  package mutating func takesLow(_ kind: EventKind, _ mode: ModeID, _ loop: ObjectID) -> Bool {
    let next = Open(run: mode, loop, at: kind, awaitsHigh: rules.hasHigh)
    guard count > 0, top.isSame(as: next), !top.awaitsHigh, EventSequence.follows(kind, top.activity) else {
      return false
    }
    if kind == .exitLow, !rules.hasHigh {
      count &-= 1
    } else {
      top = next
    }
    return true
  }

  /// `low`: the low stamp of the same activity, a constant.
  @inline(__always)
  package mutating func takesHigh(_ low: EventKind, _ mode: ModeID, _ loop: ObjectID) -> Bool {
    guard count > 0, top == Open(run: mode, loop, at: low, awaitsHigh: true) else { return false }
    if low == .exitLow {
      count &-= 1
    } else {
      top = Open(run: mode, loop, at: low, awaitsHigh: false)
    }
    return true
  }

  /// Returns whether a pass of the mode may begin now.
  @inline(__always)
  package func mayBeginPass(_ mode: ModeID, _ loop: ObjectID) -> Bool {
    count > 0 && top.isSame(as: Open(.entryLow, mode, loop)) && !top.awaitsHigh
      && EventSequence.follows(.beforeTimersLow, top.activity)
  }

  /// Notes that the innermost run has reached an activity, and that everything that began before it has ended.
  package mutating func passed(to activity: EventKind) {
    top = Open(run: top.mode, top.object, at: activity, awaitsHigh: false)
  }

  /// See docs/explanation/runloop-semantics.md, rules 2, 3, 6 and 7. Not all recordings contain the reason why a pass polls.
  @inline(__always)
  private static func follows(_ low: EventKind, _ former: EventKind) -> Bool {
    switch low {
    case .beforeTimersLow, .exitLow:
      former == .afterWaitingLow || former == .beforeSourcesLow || former == .entryLow
    case .beforeSourcesLow: former == .beforeTimersLow
    case .beforeWaitingLow: former == .beforeSourcesLow
    case .afterWaitingLow: former == .beforeWaitingLow
    default: false
    }
  }

  private func follows(_ low: EventKind, _ former: EventKind) -> Bool {
    if EventSequence.follows(low, former) { return true }
    guard !rules.hasPhases else { return false }
    return former == .beforeTimersLow && [.beforeTimersLow, .beforeWaitingLow, .exitLow].contains(low)
  }

  // MARK: Calls and callouts

  private mutating func begin(_ item: Open) -> Contradiction? {
    let wrong: Contradiction? = isWaiting ? .whileWaiting(top) : nil
    push(item)
    return wrong
  }

  private mutating func push(_ item: Open) {
    if count == room {
      guard room < AnalysisLimits.openItems else { return forget() }
      room *= 2
      open.widen(to: room)
    }
    open[count] = item
    count += 1
  }

  /// Returns the innermost open item that satisfies the condition.
  private mutating func find(_ isIt: (Open) -> Bool) -> Int? {
    var at = count - 1
    while at >= 0, !isIt(open[at]) { at -= 1 }
    searched += count - 1 - at
    return at >= 0 ? at : nil
  }

  private mutating func end(_ kind: EventKind, _ object: ObjectID) -> Contradiction? {
    guard let at = find({ $0.isEnded(by: kind, object) }) else { return isBlind ? nil : .withoutBegin }
    defer { count = at }
    return at == count - 1 ? nil : .whileOpen(top)
  }

  // MARK: Runs

  private mutating func enter(_ mode: ModeID, _ loop: ObjectID) -> Contradiction? {
    let run = Open(run: mode, loop, at: .entryLow, awaitsHigh: rules.hasHigh)
    note(run)
    lastEntered = run
    return begin(run)
  }

  /// Takes a stamp of an activity. `low`: the low stamp of the same activity.
  private mutating func stamp(
    _ low: EventKind, isHigh: Bool, _ mode: ModeID, _ loop: ObjectID
  ) -> Contradiction? {
    let next = Open(run: mode, loop, at: low, awaitsHigh: rules.hasHigh && !isHigh)
    let isLast = low == .exitLow && !next.awaitsHigh
    guard let at = find({ $0.isSame(as: next) }) else {
      let isExpected = mayResume(next)
      if !isLast { push(next) }
      return isExpected ? nil : .withoutEntry
    }
    let run = open[at]
    let wrong: Contradiction? =
      if at < count - 1 {
        .whileOpen(top)
      } else if isHigh {
        run.activity == low && run.awaitsHigh ? nil : .withoutLow
      } else if run.awaitsHigh {
        .beforeHigh(run.activity)
      } else {
        follows(low, run.activity) ? nil : .behind(run.activity)
      }
    count = isLast ? at : at + 1
    if !isLast { top = next }
    return wrong
  }

  /// Notes a run of a mode. Returns true if no run of it was seen before.
  @discardableResult
  private mutating func note(_ run: Open) -> Bool {
    guard known.count < AnalysisLimits.openItems else {
      // A mode that is not remembered may or may not have been seen.
      isBlind = true
      return true
    }
    searched += known.count
    return EventSequence.add(run, to: &known)
  }

  /// Adds a run's loop and mode. Returns false if the list already has them.
  private static func add(_ run: Open, to list: inout [UInt64]) -> Bool {
    let key = run.word &<< 16
    guard !list.contains(key) else { return false }
    list.append(key)
    return true
  }

  /// Returns whether a run whose begin was not seen may continue.
  private mutating func mayResume(_ run: Open) -> Bool {
    let isFirst = note(run)
    // Items whose begin was seen are inside this run and must have ended.
    let isAround =
      rules.mayBeginInside && count == 0 && resumed.count < AnalysisLimits.openItems
      && EventSequence.add(run, to: &resumed)
    return isBlind || isFirst || isAround
  }
}
