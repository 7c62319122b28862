/// The beginning of a span that nests with others of its thread.
@usableFromInline package struct SpanBegin: Sendable, Equatable {
  @usableFromInline package enum What: Sendable, Equatable {
    /// `depth`: the number of runs around the run. `loop`: the object of the loop.
    case run(loop: UInt32, depth: Int)
    case pass
    case wait
    /// `kind`: the kind of its begin event; `name`: string id, 0 = none so far; `depth`: the number of callouts around it.
    case callout(kind: UInt8, object: UInt32, name: UInt32, depth: Int)
  }

  @usableFromInline package var thread: UInt32
  /// The mode of the innermost run.
  @usableFromInline package var mode: UInt8
  @usableFromInline package var start: UInt64
  @usableFromInline package var what: What

  @inlinable
  package init(thread: UInt32, mode: UInt8, start: UInt64, what: What) {
    (self.thread, self.mode, self.start, self.what) = (thread, mode, start, what)
  }
}

/// The end of a wait.
@usableFromInline package struct WaitEnd: Sendable, Equatable {
  @usableFromInline package var thread: UInt32
  @usableFromInline package var end: UInt64

  @inlinable
  package init(thread: UInt32, end: UInt64) { (self.thread, self.end) = (thread, end) }
}

/// One complete pass.
@usableFromInline package struct PassFact: Sendable, Equatable {
  @usableFromInline package var thread: UInt32
  @usableFromInline package var mode: UInt8
  @usableFromInline package var start: UInt64
  @usableFromInline package var end: UInt64
  /// Net of nested runs, indexed by `Phase.rawValue`; includes `waiting`.
  @usableFromInline package var phases: PhaseTimes
  @usableFromInline package var nested: UInt64
  @usableFromInline package var suspended: UInt64

  @inlinable
  package init(
    thread: UInt32, mode: UInt8, start: UInt64, end: UInt64, phases: PhaseTimes, nested: UInt64,
    suspended: UInt64 = 0
  ) {
    (self.thread, self.mode, self.start, self.end) = (thread, mode, start, end)
    (self.phases, self.nested, self.suspended) = (phases, nested, suspended)
  }
}

/// Part of a run between one activity and the next. A nested run or a suspension cuts it in two.
@usableFromInline package struct PhaseFact: Sendable, Equatable {
  @usableFromInline package var thread: UInt32
  @usableFromInline package var mode: UInt8
  /// The number of runs around this one.
  @usableFromInline package var depth: Int
  @usableFromInline package var phase: Phase
  /// A suspension inside the phase moves the start forward by its length.
  @usableFromInline package var start: UInt64
  @usableFromInline package var end: UInt64

  @inlinable
  package init(thread: UInt32, mode: UInt8, depth: Int, phase: Phase, start: UInt64, end: UInt64) {
    (self.thread, self.mode, self.depth, self.phase) = (thread, mode, depth, phase)
    (self.start, self.end) = (start, end)
  }
}

/// One run of a loop.
@usableFromInline package struct RunFact: Sendable, Equatable {
  @usableFromInline package var thread: UInt32
  @usableFromInline package var loop: UInt32
  @usableFromInline package var mode: UInt8
  /// The number of runs around this one.
  @usableFromInline package var depth: Int
  @usableFromInline package var start: UInt64
  @usableFromInline package var end: UInt64
  /// Whether the run had not ended at the end of the span.
  @usableFromInline package var isOpen: Bool

  @inlinable
  package init(
    thread: UInt32, loop: UInt32, mode: UInt8, depth: Int, start: UInt64, end: UInt64, isOpen: Bool = false
  ) {
    (self.thread, self.loop, self.mode, self.depth) = (thread, loop, mode, depth)
    (self.start, self.end, self.isOpen) = (start, end, isOpen)
  }
}

/// A callout.
@usableFromInline package struct CalloutFact: Sendable, Equatable {
  @usableFromInline package var thread: UInt32
  /// The kind of its begin event.
  @usableFromInline package var kind: UInt8
  @usableFromInline package var object: UInt32
  /// String id, 0 = none.
  @usableFromInline package var name: UInt32
  /// The mode of the innermost run.
  @usableFromInline package var mode: UInt8
  /// The number of callouts around this one.
  @usableFromInline package var depth: Int
  @usableFromInline package var start: UInt64
  @usableFromInline package var end: UInt64
  /// Time in runs that the callout started.
  @usableFromInline package var nested: UInt64
  @usableFromInline package var suspended: UInt64
  /// Whether the callout had not ended at the end of the span.
  @usableFromInline package var isOpen: Bool
  /// For a slice of work whose queue is known, the queue.
  @usableFromInline package var queue: ServingQueue?

  @inlinable
  package init(
    thread: UInt32, kind: UInt8, object: UInt32, name: UInt32, mode: UInt8, depth: Int, start: UInt64,
    end: UInt64, nested: UInt64, suspended: UInt64, isOpen: Bool = false, queue: ServingQueue? = nil
  ) {
    (self.thread, self.kind, self.object, self.name) = (thread, kind, object, name)
    (self.mode, self.depth, self.start, self.end) = (mode, depth, start, end)
    (self.nested, self.suspended, self.isOpen, self.queue) = (nested, suspended, isOpen, queue)
  }
}

/// The queue that ran a slice of work.
@usableFromInline package struct ServingQueue: Sendable, Equatable {
  @usableFromInline package var object: UInt32
  /// String id, 0 = none.
  @usableFromInline package var name: UInt32
  /// How long the work waited in the queue before the slice. 0 if the recording does not know it.
  @usableFromInline package var waited: UInt64

  @inlinable
  package init(object: UInt32, name: UInt32, waited: UInt64) {
    (self.object, self.name, self.waited) = (object, name, waited)
  }
}

/// The number of pieces of work that wait in a queue from a moment on.
@usableFromInline package struct WaitingFact: Sendable, Equatable {
  @usableFromInline package var queue: UInt32
  /// String id, 0 = none.
  @usableFromInline package var queueName: UInt32
  @usableFromInline package var count: UInt32
  @usableFromInline package var time: UInt64

  @inlinable
  package init(queue: UInt32, queueName: UInt32, count: UInt32, time: UInt64) {
    (self.queue, self.queueName, self.count, self.time) = (queue, queueName, count, time)
  }
}

/// The outcome of one due point, or of several that were skipped in a row for one reason.
@usableFromInline package struct PointFact: Sendable, Equatable {
  /// The `id` of the timer's class in the results.
  @usableFromInline package var timer: Int
  /// The timer.
  @usableFromInline package var object: UInt32
  /// The string ids of the timer's name and creation site, 0 = none.
  @usableFromInline package var name: UInt32
  @usableFromInline package var site: UInt32
  /// The timer's object id if it was created before the recording, otherwise 0.
  @usableFromInline package var createdBefore: UInt32
  @usableFromInline package var outcome: DueOutcome
  /// 1, or the number of skipped points.
  @usableFromInline package var count: UInt64
  /// The (first) point; nil = not in the recording.
  @usableFromInline package var due: UInt64?
  /// The last skipped point, otherwise `due`.
  @usableFromInline package var lastDue: UInt64?
  /// When the callout began, the point was withdrawn, or the span ended. Nil for skipped points.
  @usableFromInline package var end: UInt64?
  /// For a fire; 0 if it was early.
  @usableFromInline package var lateness: UInt64
  /// For a fire: the lateness, indexed by `Cause.rawValue`.
  @usableFromInline package var causes: CauseAmounts
  /// The cause in force when the point came due; nil = not known.
  @usableFromInline package var cause: Cause?
  /// The mode that ran when the point came due, 0 outside any run.
  @usableFromInline package var mode: UInt8

  @inlinable
  package init(
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

/// A frame: a callout that answered a due point of a timer that is, or may be, a frame source.
@usableFromInline package struct FrameFact: Sendable, Equatable {
  /// As in `PointFact`.
  @usableFromInline package var timer: Int
  @usableFromInline package var object: UInt32
  @usableFromInline package var name: UInt32
  @usableFromInline package var site: UInt32
  @usableFromInline package var createdBefore: UInt32
  /// Whether the program had declared the timer a frame source by then. The results choose among the others at the
  /// end (`FrameSourceResult.choice`).
  @usableFromInline package var isDeclared: Bool
  @usableFromInline package var outcome: FrameOutcome
  @usableFromInline package var due: UInt64
  /// When the callout ended.
  @usableFromInline package var ready: UInt64
  /// The point of the timer's grid at which the frame was presented; it may be after the end of the span.
  @usableFromInline package var presented: UInt64

  @inlinable
  package init(
    timer: Int, object: UInt32, name: UInt32, site: UInt32, createdBefore: UInt32, isDeclared: Bool,
    outcome: FrameOutcome, due: UInt64, ready: UInt64, presented: UInt64
  ) {
    (self.timer, self.object, self.name, self.site) = (timer, object, name, site)
    (self.createdBefore, self.isDeclared, self.outcome) = (createdBefore, isDeclared, outcome)
    (self.due, self.ready, self.presented) = (due, ready, presented)
  }
}

/// A mark of the program, or one end of an interval.
@usableFromInline package struct MarkFact: Sendable, Equatable {
  @usableFromInline package enum What: Sendable { case mark, intervalBegin, intervalEnd }

  @usableFromInline package var thread: UInt32
  @usableFromInline package var what: What
  /// The interval, 0 for a mark.
  @usableFromInline package var object: UInt32
  /// String id, 0 = none. The end of an interval has none.
  @usableFromInline package var name: UInt32
  @usableFromInline package var time: UInt64

  @inlinable
  package init(thread: UInt32, what: What, object: UInt32, name: UInt32, time: UInt64) {
    (self.thread, self.what, self.object, self.name, self.time) = (thread, what, object, name, time)
  }
}

/// The value of a named state of the program from a moment on.
@usableFromInline package struct StateFact: Sendable, Equatable {
  /// String id.
  @usableFromInline package var name: UInt32
  /// String id, 0 = the state has no value.
  @usableFromInline package var value: UInt32
  @usableFromInline package var time: UInt64

  @inlinable
  package init(name: UInt32, value: UInt32, time: UInt64) {
    (self.name, self.value, self.time) = (name, value, time)
  }
}

/// A time in which a frame of a timer was overdue, at most up to the end of the span. In nanoseconds, because an interval
/// need not be a whole number of time units.
@usableFromInline package struct HitchFact: Sendable, Equatable {
  /// The id of the timer's class.
  @usableFromInline package var timer: Int
  @usableFromInline package var startNs: UInt64
  /// The frame may be presented after the moment of the report, or after the end of the span.
  @usableFromInline package var endNs: UInt64

  @inlinable
  package init(timer: Int, startNs: UInt64, endNs: UInt64) {
    (self.timer, self.startNs, self.endNs) = (timer, startNs, endNs)
  }
}

/// A time in which a timer could make frames.
@usableFromInline package struct FrameTimeFact: Sendable, Equatable {
  /// The id of the timer's class.
  @usableFromInline package var timer: Int
  @usableFromInline package var start: UInt64
  @usableFromInline package var end: UInt64
  /// The part of that time in which the process was suspended.
  @usableFromInline package var suspended: UInt64

  @inlinable
  package init(timer: Int, start: UInt64, end: UInt64, suspended: UInt64) {
    (self.timer, self.start, self.end, self.suspended) = (timer, start, end, suspended)
  }
}

/// A gap or busy interval that is long enough to be listed.
@usableFromInline package struct LongSpanFact: Sendable, Equatable {
  @usableFromInline package enum What: Sendable { case gap, busy }

  @usableFromInline package var thread: UInt32
  @usableFromInline package var what: What
  @usableFromInline package var mode: UInt8
  @usableFromInline package var start: UInt64
  /// Without suspension.
  @usableFromInline package var length: UInt64
  /// For a busy interval: the part that counts as a hang, 0 if it is uncertain.
  @usableFromInline package var hang: UInt64

  @inlinable
  package init(thread: UInt32, what: What, mode: UInt8, start: UInt64, length: UInt64, hang: UInt64) {
    (self.thread, self.what, self.mode) = (thread, what, mode)
    (self.start, self.length, self.hang) = (start, length, hang)
  }
}

/// A span in which the process did not run.
@usableFromInline package struct SuspensionFact: Sendable, Equatable {
  @usableFromInline package var start: UInt64
  @usableFromInline package var end: UInt64

  @inlinable
  package init(start: UInt64, end: UInt64) { (self.start, self.end) = (start, end) }
}

/// A span of a thread whose events were lost.
@usableFromInline package struct LossFact: Sendable, Equatable {
  @usableFromInline package var thread: UInt32
  @usableFromInline package var start: UInt64
  @usableFromInline package var end: UInt64
  /// The number of lost events.
  @usableFromInline package var count: UInt64

  @inlinable
  package init(thread: UInt32, start: UInt64, end: UInt64, count: UInt64) {
    (self.thread, self.start, self.end, self.count) = (thread, start, end, count)
  }
}
