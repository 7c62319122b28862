import RunLoopVocabulary
import TraceFormat

/// What one thread's events may be next. Replay makes the best of any order; this says which orders no loop makes.
///
/// One stack of what is open: calls of run functions, runs, callouts. What was open before the recording, or before
/// events were lost, is not on it, and may end at any time. Replay takes the usual steps in line (`takes…`); everything
/// else, and all of `validate`, goes through `follow`.
package struct EventSequence: ~Copyable {
  /// What holds for all threads of a trace.
  package struct Rules {
    package var hasHigh: Bool
    /// A program that records itself may begin inside a callout of a run, and may run that mode again in there.
    package var mayBeginInside: Bool
    /// Events of any thread may have been lost at any time.
    package var isBlind: Bool

    package init(_ reader: TraceReader, isBlind: Bool) {
      hasHigh = reader.header.hasHighStamps
      mayBeginInside = !reader.info.contains { $0.key == InfoEntry.recorder }
      self.isBlind = isBlind
    }
  }

  /// A run, a callout or a call that has begun and not ended, in one word: kind of the begin, mode and object; of a run,
  /// its last activity as well, and whether that one's high stamp is to come.
  package struct Open: Equatable {
    fileprivate var word: UInt64

    fileprivate init(word: UInt64) { self.word = word }

    @inline(__always)
    fileprivate init(_ kind: EventKind, _ mode: ModeID, _ object: ObjectID) {
      word = UInt64(kind.rawValue) | UInt64(mode.rawValue) &<< 8 | UInt64(object.rawValue) &<< 16
    }

    /// Of a run.
    @inline(__always)
    fileprivate init(run mode: ModeID, _ loop: ObjectID, at activity: EventKind, awaitsHigh: Bool) {
      self.init(.entryLow, mode, loop)
      word |= UInt64(activity.rawValue) &<< 48 | (awaitsHigh ? 1 : 0) &<< 56
    }

    package var kind: EventKind { EventKind(UInt8(truncatingIfNeeded: word)) }
    package var mode: ModeID { ModeID(UInt8(truncatingIfNeeded: word &>> 8)) }
    package var object: ObjectID { ObjectID(UInt32(truncatingIfNeeded: word &>> 16)) }
    /// Of a run: the low stamp of its last activity.
    package var activity: EventKind { EventKind(UInt8(truncatingIfNeeded: word &>> 48)) }
    fileprivate var awaitsHigh: Bool { word &>> 56 != 0 }

    /// The same run, whatever it is at; the same kind, mode and object.
    @inline(__always)
    fileprivate func isSame(as other: Open) -> Bool { (word ^ other.word) &<< 16 == 0 }

    /// A callout or call that an event of the object ends, whatever the event's mode.
    @inline(__always)
    fileprivate func isEnded(by kind: EventKind, _ object: ObjectID) -> Bool {
      self.kind == kind.begin && self.object == object
    }
  }

  /// What no loop does.
  package enum Contradiction: Equatable {
    /// The end of something that did not begin.
    case withoutBegin
    /// Something inside is open.
    case whileOpen(Open)
    /// Activities of a run that did not begin.
    case withoutEntry
    /// The last activity, whose high stamp is missing.
    case beforeHigh(EventKind)
    /// The last activity, which another one follows.
    case behind(EventKind)
    /// A high stamp without its low one.
    case withoutLow
  }

  private let rules: Rules
  private var open = Rows<Open>(capacity: EventSequence.firstRoom)
  private var room = EventSequence.firstRoom
  private var count = 0
  /// Runs of these were seen: another one begins with an Entry.
  private var known: Set<UInt64> = []
  /// Runs of these that were open before the recording have gone on since.
  private var resumed: Set<UInt64> = []
  /// The last one that was entered, which is among the known ones.
  private var lastEntered = Open(word: .max)
  /// What is open below the stack is not known.
  private var isBlind: Bool
  /// How many open ones were looked at to find those that events end, beside the innermost. The caller takes them off.
  package var searched = 0

  private static let firstRoom = 16

  package init(_ rules: Rules) {
    self.rules = rules
    isBlind = rules.isBlind
  }

  /// Events are missing: whatever was open may have ended, and others may have begun.
  package mutating func forget() {
    count = 0
    known = []
    lastEntered = Open(word: .max)
    isBlind = true
  }

  /// Any event of the thread. Returns what is wrong with it.
  package mutating func follow(_ kind: EventKind, _ mode: ModeID, _ object: ObjectID) -> Contradiction? {
    guard let role = EventTable.role(of: kind.rawValue) else { return nil }
    switch role {
    case .activity(.entry, isHigh: false): enter(mode, object)
    case .activity(_, isHigh: false): return low(kind, mode, object)
    case .activity(_, isHigh: true): return high(EventKind(kind.rawValue &- 1), mode, object)
    case .callBegin, .calloutBegin: push(Open(kind, mode, object))
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

  @inline(__always)
  package mutating func takesBegin(_ kind: EventKind, _ mode: ModeID, _ object: ObjectID) -> Bool {
    guard count < room else { return false }
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
    guard count < room, run == lastEntered else { return false }
    open[count] = run
    count &+= 1
    return true
  }

  /// `kind`: a constant, any but Entry.
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

  /// Whether a pass of the mode may begin now.
  @inline(__always)
  package func mayBeginPass(_ mode: ModeID, _ loop: ObjectID) -> Bool {
    count > 0 && top.isSame(as: Open(.entryLow, mode, loop)) && !top.awaitsHigh
      && EventSequence.follows(.beforeTimersLow, top.activity)
  }

  /// The innermost run has passed up to an activity, and all that began in it has ended.
  package mutating func passed(to activity: EventKind) {
    top = Open(run: top.mode, top.object, at: activity, awaitsHigh: false)
  }

  /// docs/runloop-semantics.md: 2, 3, 6 and 7. What makes a pass a poll is not in all recordings.
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

  // MARK: Calls and callouts

  private mutating func push(_ item: Open) {
    if count == room {
      guard room < AnalysisLimits.openItems else { return forget() }
      room *= 2
      open.widen(to: room)
    }
    open[count] = item
    count += 1
  }

  /// The innermost open item like that.
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

  private mutating func enter(_ mode: ModeID, _ loop: ObjectID) {
    let run = Open(run: mode, loop, at: .entryLow, awaitsHigh: rules.hasHigh)
    note(run)
    lastEntered = run
    push(run)
  }

  private mutating func low(_ kind: EventKind, _ mode: ModeID, _ loop: ObjectID) -> Contradiction? {
    let next = Open(run: mode, loop, at: kind, awaitsHigh: rules.hasHigh)
    let isLast = kind == .exitLow && !rules.hasHigh
    guard let at = find({ $0.isSame(as: next) }) else {
      let isExpected = mayResume(next)
      if !isLast { push(next) }
      return isExpected ? nil : .withoutEntry
    }
    let run = open[at]
    let wrong: Contradiction? =
      if at < count - 1 {
        .whileOpen(top)
      } else if run.awaitsHigh {
        .beforeHigh(run.activity)
      } else if !EventSequence.follows(kind, run.activity) {
        .behind(run.activity)
      } else {
        nil
      }
    count = isLast ? at : at + 1
    if !isLast { top = next }
    return wrong
  }

  private mutating func high(_ low: EventKind, _ mode: ModeID, _ loop: ObjectID) -> Contradiction? {
    let next = Open(run: mode, loop, at: low, awaitsHigh: false)
    guard let at = find({ $0.isSame(as: next) }) else {
      let isExpected = mayResume(next)
      if low != .exitLow { push(next) }
      return isExpected ? nil : .withoutEntry
    }
    let run = open[at]
    let wrong: Contradiction? =
      if at < count - 1 {
        .whileOpen(top)
      } else if run.activity != low || !run.awaitsHigh {
        .withoutLow
      } else {
        nil
      }
    count = low == .exitLow ? at : at + 1
    if low != .exitLow { top = next }
    return wrong
  }

  /// Notes that runs of a mode were seen. True: none was before.
  @discardableResult
  private mutating func note(_ run: Open) -> Bool {
    guard known.count < AnalysisLimits.openItems else {
      // What is not remembered may have been seen or not.
      isBlind = true
      return true
    }
    return known.insert(run.word &<< 16).inserted
  }

  /// Whether a run that was not seen to begin may go on.
  private mutating func mayResume(_ run: Open) -> Bool {
    let isFirst = note(run)
    // What was seen to begin is inside of it, and must have ended.
    let isAround =
      rules.mayBeginInside && count == 0 && resumed.count < AnalysisLimits.openItems
      && resumed.insert(run.word &<< 16).inserted
    return isBlind || isFirst || isAround
  }
}
