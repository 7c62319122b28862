/// The beginning of a span that nests with others of its thread.
public struct SpanBegin: Sendable, Equatable {
  public enum What: Sendable, Equatable {
    /// `depth`: the number of runs around the run. `loop`: the object of the loop.
    case run(loop: UInt32, depth: Int)
    case pass
    case wait
    /// `kind`: the kind of its begin event; `name`: string id, 0 = none so far; `depth`: the number of callouts around it.
    case callout(kind: UInt8, object: UInt32, name: UInt32, depth: Int)
  }

  public var thread: UInt32
  /// The mode of the innermost run.
  public var mode: UInt8
  public var start: UInt64
  public var what: What

  @inlinable
  public init(thread: UInt32, mode: UInt8, start: UInt64, what: What) {
    (self.thread, self.mode, self.start, self.what) = (thread, mode, start, what)
  }
}

/// The end of a wait.
public struct WaitEnd: Sendable, Equatable {
  public var thread: UInt32
  public var end: UInt64

  @inlinable
  public init(thread: UInt32, end: UInt64) { (self.thread, self.end) = (thread, end) }
}

/// One complete pass.
public struct PassFact: Sendable, Equatable {
  public var thread: UInt32
  public var mode: UInt8
  public var start: UInt64
  public var end: UInt64
  /// Net of nested runs, indexed by `Phase.rawValue`; includes `waiting`.
  public var phases: PhaseTimes
  public var nested: UInt64
  public var suspended: UInt64

  @inlinable
  public init(
    thread: UInt32, mode: UInt8, start: UInt64, end: UInt64, phases: PhaseTimes, nested: UInt64,
    suspended: UInt64 = 0
  ) {
    (self.thread, self.mode, self.start, self.end) = (thread, mode, start, end)
    (self.phases, self.nested, self.suspended) = (phases, nested, suspended)
  }
}

/// Part of a run between one activity and the next. A nested run or a suspension cuts it in two.
public struct PhaseFact: Sendable, Equatable {
  public var thread: UInt32
  public var mode: UInt8
  /// The number of runs around this one.
  public var depth: Int
  public var phase: Phase
  /// A suspension inside the phase moves the start forward by its length.
  public var start: UInt64
  public var end: UInt64

  @inlinable
  public init(thread: UInt32, mode: UInt8, depth: Int, phase: Phase, start: UInt64, end: UInt64) {
    (self.thread, self.mode, self.depth, self.phase) = (thread, mode, depth, phase)
    (self.start, self.end) = (start, end)
  }
}

/// One run of a loop.
public struct RunFact: Sendable, Equatable {
  public var thread: UInt32
  public var loop: UInt32
  public var mode: UInt8
  /// The number of runs around this one.
  public var depth: Int
  public var start: UInt64
  public var end: UInt64
  /// Whether the run had not ended at the end of the span.
  public var isOpen: Bool

  @inlinable
  public init(
    thread: UInt32, loop: UInt32, mode: UInt8, depth: Int, start: UInt64, end: UInt64, isOpen: Bool = false
  ) {
    (self.thread, self.loop, self.mode, self.depth) = (thread, loop, mode, depth)
    (self.start, self.end, self.isOpen) = (start, end, isOpen)
  }
}

/// A callout.
public struct CalloutFact: Sendable, Equatable {
  public var thread: UInt32
  /// The kind of its begin event.
  public var kind: UInt8
  public var object: UInt32
  /// String id, 0 = none.
  public var name: UInt32
  /// The mode of the innermost run.
  public var mode: UInt8
  /// The number of callouts around this one.
  public var depth: Int
  public var start: UInt64
  public var end: UInt64
  /// Time in runs that the callout started.
  public var nested: UInt64
  public var suspended: UInt64
  /// Whether the callout had not ended at the end of the span.
  public var isOpen: Bool

  @inlinable
  public init(
    thread: UInt32, kind: UInt8, object: UInt32, name: UInt32, mode: UInt8, depth: Int, start: UInt64,
    end: UInt64, nested: UInt64, suspended: UInt64, isOpen: Bool = false
  ) {
    (self.thread, self.kind, self.object, self.name) = (thread, kind, object, name)
    (self.mode, self.depth, self.start, self.end) = (mode, depth, start, end)
    (self.nested, self.suspended, self.isOpen) = (nested, suspended, isOpen)
  }
}

/// The outcome of one due point, or of several that were skipped in a row for one reason.
public struct PointFact: Sendable, Equatable {
  /// The `id` of the timer's class in the results.
  public var timer: Int
  /// The timer.
  public var object: UInt32
  /// The string ids of the timer's name and creation site, 0 = none.
  public var name: UInt32
  public var site: UInt32
  /// The timer's object id if it was created before the recording, otherwise 0.
  public var createdBefore: UInt32
  public var outcome: DueOutcome
  /// 1, or the number of skipped points.
  public var count: UInt64
  /// The (first) point; nil = not in the recording.
  public var due: UInt64?
  /// The last skipped point, otherwise `due`.
  public var lastDue: UInt64?
  /// When the callout began, the point was withdrawn, or the span ended. Nil for skipped points.
  public var end: UInt64?
  /// For a fire; 0 if it was early.
  public var lateness: UInt64
  /// For a fire: the lateness, indexed by `Cause.rawValue`.
  public var causes: CauseAmounts
  /// The cause in force when the point came due; nil = not known.
  public var cause: Cause?
  /// The mode that ran when the point came due, 0 outside any run.
  public var mode: UInt8

  @inlinable
  public init(
    timer: Int, object: UInt32, name: UInt32, site: UInt32, createdBefore: UInt32, outcome: DueOutcome,
    count: UInt64, due: UInt64?, lastDue: UInt64?, end: UInt64?, lateness: UInt64, causes: CauseAmounts,
    cause: Cause?, mode: UInt8
  ) {
    (self.timer, self.object, self.name, self.site) = (timer, object, name, site)
    (self.createdBefore, self.outcome, self.count) = (createdBefore, outcome, count)
    (self.due, self.lastDue, self.end, self.lateness) = (due, lastDue, end, lateness)
    (self.causes, self.cause, self.mode) = (causes, cause, mode)
  }
}

/// A mark of the program, or one end of an interval.
public struct MarkFact: Sendable, Equatable {
  public enum What: Sendable { case mark, intervalBegin, intervalEnd }

  public var thread: UInt32
  public var what: What
  /// The interval, 0 for a mark.
  public var object: UInt32
  /// String id, 0 = none. The end of an interval has none.
  public var name: UInt32
  public var time: UInt64

  @inlinable
  public init(thread: UInt32, what: What, object: UInt32, name: UInt32, time: UInt64) {
    (self.thread, self.what, self.object, self.name, self.time) = (thread, what, object, name, time)
  }
}

/// A span in which the process did not run.
public struct SuspensionFact: Sendable, Equatable {
  public var start: UInt64
  public var end: UInt64

  @inlinable
  public init(start: UInt64, end: UInt64) { (self.start, self.end) = (start, end) }
}

/// A span of a thread whose events were lost.
public struct LossFact: Sendable, Equatable {
  public var thread: UInt32
  public var start: UInt64
  public var end: UInt64
  /// The number of lost events.
  public var count: UInt64

  @inlinable
  public init(thread: UInt32, start: UInt64, end: UInt64, count: UInt64) {
    (self.thread, self.start, self.end, self.count) = (thread, start, end, count)
  }
}
