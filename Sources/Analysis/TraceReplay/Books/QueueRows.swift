import TraceFormat

/// The work of the queues of one name and kind.
package struct QueueRow: ~Copyable {
  package struct Key: Hashable, Sendable {
    package var name: StringID
    /// The code of a `QueueKind`; nil = the recording does not introduce the queue.
    package var kind: UInt64?
    /// The queue, if it has no name; otherwise `none`.
    package var object: ObjectID
  }

  /// Nil = all queues beyond the limit.
  package let key: Key?
  /// The queues that share the row, and the greatest number of threads that one of them may use; 0 = not known.
  package var queues: UInt64 = 0
  package var width: UInt64 = 0
  /// The pieces of work that were queued, the slices that began and ended, and the pieces that were discarded.
  package var queued: UInt64 = 0
  package var begun: UInt64 = 0
  package var ended: UInt64 = 0
  package var discarded: UInt64 = 0
  /// From the moment at which work is queued, or may run, to the start of its slice.
  package var waits = WaitCounts()
  package var runs = WaitCounts()
  /// The name of the work with the longest slice.
  package var longestRun = StringID.none
  /// The work that was on the queue for the longest part of a long wait, and the length of that part: a wait for an actor,
  /// or of a thread for its turn.
  package var holder = StringID.none
  package var longestHold = Length.zero
  /// The waits of threads for their turn, as in dispatch_sync.
  package var calls = WaitCounts()
  /// The longest of them; nil = all were short.
  package var longestCall: FoundQueueCall?
  /// Whether one of the queues ran handlers of dispatch sources, or operations, whose waits are not known.
  package var hasHandlers = false
  package var hasOperations = false
  /// The waits, slices and calls that had not ended at the end of the span, with their length so far. Empty if events
  /// were lost, because they may have ended unseen.
  package var openWaits = DurationCounts()
  package var openRuns = DurationCounts()
  package var openCalls = DurationCounts()
  /// The most pieces that waited in one queue at once, and when. Delayed work is not among them.
  package var depth: UInt32 = 0
  package var depthAt = Moment.origin
  /// The most slices that ran on one queue at once. For a pool, those of actors are among them.
  package var atOnce: UInt32 = 0
  /// The pieces that waited, and the slices that ran, at the end of the span.
  package var waitingAtEnd: UInt64 = 0
  package var runningAtEnd: UInt64 = 0
  /// When the oldest of that work began to wait.
  package var oldestWait = Moment.never
  /// The lanes that ran slices.
  package var lanes: Set<Int32> = []

  init(key: Key?) { self.key = key }
}

/// A queue.
struct QueueState: RowOfObject {
  var object = ObjectID.none
  /// The index of its row in the book.
  var row: Int32 = 0
  /// Nil = not known.
  var kind: QueueKind?
  var width: UInt32 = 0
  var waiting: UInt32 = 0
  var running: UInt32 = 0
  /// When a slice last began, or a thread last got its turn.
  var lastBegin = Moment.origin
  /// The place of its backlog; -1 = no work waits, or events were lost.
  var backlog: Int32 = -1
  /// The name and the extent of the slice that ended last.
  var lastName = StringID.none
  var lastSlice = (begin: Moment.origin, end: Moment.origin)
}

/// The last waits of a queue that were known only when they ended.
struct LateWaits {
  private static let kept = 64
  private var waits: [(since: Moment, begin: Moment)] = []
  private var next = 0

  /// Adds a wait. Returns how many of the kept ones, itself included, were under way when it began.
  mutating func add(since: Moment, begin: Moment) -> UInt32 {
    let others = waits.count { $0.since <= since && since < $0.begin }
    if waits.count < Self.kept {
      waits.append((since, begin))
    } else {
      waits[next] = (since, begin)
      next = (next + 1) % Self.kept
    }
    return UInt32(others + 1)
  }
}

/// A piece of work that exists.
struct WorkRow: RowOfObject {
  var object = ObjectID.none
  /// The code of a `WorkKind`; `.max` = its creation was not seen.
  var kind: UInt64 = .max
  var name = StringID.none
  var site = StringID.none
  var parent = StringID.none
  var created = Moment.origin
  /// Since when the work waits, and in which queue; never = it does not wait. `none` = the next slice will tell.
  var since = Moment.never
  var queue = ObjectID.none
  /// Whether it is among those that wait in the queue. Delayed work is not.
  var isCounted = false
  /// The indexes of its open slices, -1 = none. A task may begin on a thread before the other one has stored that
  /// the slice before it ended.
  var slice: Int32 = -1
  var former: Int32 = -1
  var slices: UInt64 = 0
  var ran = Length.zero
  var waited = Length.zero
  /// When the last slice ended.
  var lastEnd = Moment.origin

  var isCreated: Bool { kind != .max }
  /// Whether the work may have several slices: it is a task, or its kind is not known.
  var mayRunAgain: Bool { kind == WorkKind.task.rawValue || kind == .max }
  var runs: Bool { slice >= 0 }
}

/// A slice that has begun and not ended.
package struct OpenSlice {
  package var work: ObjectID
  package var queue: ObjectID
  package var lane: Int
  package var begin: Moment
  /// How long the work waited for the slice.
  var waited: Length
  /// Whether the recording has the moment at which the work was queued for the slice.
  var isQueued: Bool
  /// How long run loops in the slice waited, in runs that have ended.
  var loopWait = Length.zero
  /// For an actor: when the next slice began on it. A task that leaves a free actor does not leave its thread, so its
  /// slice goes on.
  var left = Moment.never
}

/// A thread's wait for its turn on a queue.
package struct FoundQueueCall {
  package var lane: Int
  package var queue: ObjectID
  /// The operating system's id of the thread that holds the queue; 0 = not known.
  package var holder: UInt64
  package var start: Moment
  /// At the end of the span, the length so far.
  package var length: Length
  /// Whether it had not ended at the end of the span, and the queue began nothing for a while.
  package var isStuck = false
}

/// A task that had not ended at the end of the span.
package struct FoundTask {
  package enum State: Sendable { case running, queued, suspended }

  package var name: StringID
  package var site: StringID
  package var parent: StringID
  package var object: ObjectID
  package var created: Moment
  package var slices: UInt64
  package var ran: Length
  package var waited: Length
  package var state: State
  package var since: Moment
  /// How long the task has been in the state, without suspension of the process.
  package var stayed: Length
  /// The queue in which it waits or on which it runs; `none` = not known.
  package var queue: ObjectID
}

/// Work of one name that waited in a queue at the end of the span.
package struct FoundWaitingWork {
  package var queue: ObjectID
  package var name: StringID
  package var count: UInt64
  /// When the piece that waited longest was queued or came due, and how long it waited.
  package var since: Moment
  package var waited: Length
  /// The slice that ran on the queue then; nil = none, or several.
  package var behind: OpenSlice?
  /// The number of slices that ran on the queue.
  package var running: UInt32
}
