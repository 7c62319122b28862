import CallStacks
import RunLoopVocabulary

/// Queues other than the main queue, and their work. Empty if the recording has none.
package struct WorkResults: Sendable {
  /// One row for each name and kind of queues, those with work, the most time first.
  package var queues: [WorkQueueResult] = []
  /// The tasks that had not ended at the end of the span, those that stayed longest in their state first.
  package var tasks: [WorkTaskResult] = []
  package var tasksOmitted: UInt64 = 0
  /// Whether the recording has Swift tasks, or jobs of their executor.
  package var hasTasks = false
  /// Whether the recorder saw only jobs of that executor, and no tasks.
  package var hasJobsOnly = false
  /// The longest times in which a queue neither began nor ended a slice although work waited, in time order.
  package var stalls: [QueueStall] = []
  package var stallsOmitted = 0
  /// The circles of threads that waited for each other at the end of the span.
  package var deadlocks: [QueueDeadlock] = []
  package init() {}

  /// Whether the recording has work of other queues than the main queue.
  package var isRecorded: Bool { !queues.isEmpty }

  /// Returns the longest stall of the queues of a row, those without an explanation last.
  package func longestStall(of queue: WorkQueueResult) -> QueueStall? {
    stalls.filter { $0.queue == queue.name && $0.kind == queue.kind }.max { $0.durationNs < $1.durationNs }
  }
}

/// The queues of one name and kind.
package struct WorkQueueResult: Sendable {
  package var name: String = ""
  /// Nil = the recording does not know it.
  package var kind: QueueKind?
  /// The number of queues with the name; 0 = the recording does not introduce the queue.
  package var queues: UInt64 = 0
  /// The greatest number of threads that one of them may use; 0 = not known.
  package var width: UInt64 = 0
  /// How often work was queued, the slices that began and ended in the span, and the pieces that were discarded.
  package var queued: UInt64 = 0
  package var begun: UInt64 = 0
  package var ended: UInt64 = 0
  package var discarded: UInt64 = 0
  /// The time from the moment at which work was queued, or might run, to its start.
  package var waitNs = Distribution()
  /// When the longest wait began; meaningless without one.
  package var longestWaitStartNs: UInt64 = 0
  /// The time of a slice.
  package var runNs = Distribution()
  /// The name and the start of the longest slice; meaningless without one.
  package var longestRun: String = ""
  package var longestRunStartNs: UInt64 = 0
  /// The time that threads waited for their turn, as in dispatch_sync.
  package var callNs = Distribution()
  /// The most pieces that waited in one queue at once, and when. Delayed work is not among them.
  package var depth: UInt64 = 0
  package var depthNs: UInt64 = 0
  /// The most slices that ran on one queue at once. For a pool, slices of actors are among them.
  package var atOnce: UInt64 = 0
  /// The number of threads that ran its slices.
  package var threads: UInt64 = 0
  /// The pieces that waited, and the slices that ran, at the end of the span.
  package var waiting: UInt64 = 0
  package var running: UInt64 = 0
  /// Whether the row combines all queues beyond those with a row of their own.
  package var isRemainder = false
  package init() {}
}

/// A Swift task that had not ended at the end of the span.
package struct WorkTaskResult: Sendable {
  package enum State: String, Sendable, Named {
    case running, queued, suspended
    package var name: String { rawValue }
  }

  package var name: String = ""
  /// The place that created it; empty = not known.
  package var site: String = ""
  /// The name of the work that created it; empty = none, or not known.
  package var parent: String = ""
  package var createdNs: UInt64 = 0
  package var slices: UInt64 = 0
  /// The sums of its slices and of its waits in queues.
  package var ranNs: UInt64 = 0
  package var waitedNs: UInt64 = 0
  package var state = State.suspended
  /// When the task entered the state, and how long it stayed in it, without suspension of the process.
  package var sinceNs: UInt64 = 0
  package var stayedNs: UInt64 = 0
  /// The queue or actor in which it waits, or which it left last; empty = not known.
  package var queue: String = ""
  package init() {}
}

/// A time in which a queue neither began nor ended a slice although work waited.
package struct QueueStall: Sendable {
  /// A slice that ran throughout.
  package struct Slice: Sendable {
    /// The name of the work.
    package var name: String = ""
    package var thread: UInt32 = 0
    package var startNs: UInt64 = 0
    /// What the thread did, by its samples in the stall; nil = it was not sampled.
    package var cause: StallCause?
    /// The program's function in which it did so.
    package var function: StackFrame?
    package init() {}
  }

  package var queue: String = ""
  package var kind: QueueKind?
  package var startNs: UInt64 = 0
  /// Without suspension.
  package var durationNs: UInt64 = 0
  /// The most pieces that waited at once.
  package var waiting: UInt64 = 0
  /// The number of slices that ran throughout, and the first of them.
  package var running: UInt64 = 0
  package var slices: [Slice] = []
  /// As many slices ran as threads were ever seen, or as the queue may use.
  package var isFull = false
  /// It ended because another slice began beside those that ran.
  package var hasGrown = false
  package var isOpen = false
  package init() {}

  /// What the threads did throughout.
  package enum Activity: Sendable { case waiting, computing, mixed, unknown }

  package var activity: Activity {
    let causes = slices.map(\.cause)
    guard !causes.isEmpty, causes.count == running, !causes.contains(nil), !causes.contains(.unknown) else {
      return .unknown
    }
    let waiting = causes.count { $0?.isWait == true }
    return waiting == causes.count ? .waiting : waiting == 0 ? .computing : .mixed
  }
}

/// Threads that waited for each other, each for a queue that the next one held.
package struct QueueDeadlock: Sendable {
  package struct Link: Sendable {
    package var thread: UInt32 = 0
    /// The queue for which the thread waits.
    package var queue: String = ""
    /// The name of the work that the thread runs, and the queue of that work; empty = not known.
    package var work: String = ""
    package var workQueue: String = ""
    package var sinceNs: UInt64 = 0
    package init() {}
  }

  /// Each waits for the next, and the last for the first.
  package var links: [Link] = []
  /// How long the last of them has waited.
  package var waitedNs: UInt64 = 0
  package init() {}

  /// When the circle closed.
  package var closedNs: UInt64 { links.map(\.sinceNs).max() ?? 0 }
}
