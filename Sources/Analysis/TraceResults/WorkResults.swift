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
  /// Whether all queues were to be recorded.
  package var isRequested = false
  /// Whether the recorder saw only jobs of that executor, and no tasks.
  package var hasJobsOnly = false
  /// Those with the longest waits, in time order.
  package var backlogs: [QueueBacklog] = []
  /// If work waited for the pool of Swift tasks, the functions in which its threads were sampled, the most samples
  /// first. The work of all requests of a server may have one name, but not one function.
  package var functionsOfPool: [QueueBacklog.Function] = []
  /// When the trace begins. It restates what exists then, so that work may have waited, and slices may have run, longer.
  package var beginningNs: UInt64 = 0
  /// The circles of threads that waited for each other at the end of the span.
  package var deadlocks: [QueueDeadlock] = []
  package init() {}

  /// Whether the recording has tasks, or work of other queues than the main queue.
  package var isRecorded: Bool { !queues.isEmpty || hasTasks }

  /// Returns the backlog of the queues of a row that has the longest wait.
  package func longestBacklog(of queue: WorkQueueResult) -> QueueBacklog? {
    backlogs.filter { $0.queue == queue.name && $0.kind == queue.kind }
      .max { $0.longestWaitNs < $1.longestWaitNs }
  }
}

/// The queues of one name and kind.
package struct WorkQueueResult: Sendable {
  package var name: String = ""
  /// Whether the name is that of the program. Otherwise it is the number of an object in this recording.
  package var hasName = true
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
  /// The work that was on it for the longest part of a wait of 100 ms or more, for an actor or of a thread for its turn,
  /// and how long; empty = not known.
  package var holder: String = ""
  package var longestHoldNs: UInt64 = 0
  /// The time that threads waited for their turn, as in dispatch_sync.
  package var callNs = Distribution()
  /// The longest of these waits, or one that was stuck at the end; nil = all were shorter than 100 ms.
  package var longestCall: QueueCall?
  /// Whether it ran handlers of dispatch sources, or notifications of groups. The recording has no waits of these.
  package var hasHandlers = false
  /// Whether it ran operations of an OperationQueue. Their waits there are not in the recording.
  package var hasOperations = false
  /// The waits, slices and calls that had not ended at the end of the span, with their length so far. Empty if events
  /// were lost.
  package var openWaitNs = Distribution()
  package var openRunNs = Distribution()
  package var openCallNs = Distribution()
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
  /// When the oldest of that work began to wait; meaningless if none waits.
  package var oldestWaitStartNs: UInt64 = 0
  /// The first of those slices, the oldest first. For the pool of Swift tasks, those of actors are among them.
  package var runningSlices: [RunningSlice] = []
  /// Whether the row combines all queues beyond those with a row of their own.
  package var isRemainder = false
  package init() {}

  /// The label of the main queue. Slices of tasks are on it if the task also runs elsewhere. They have no length, and
  /// their waits are those of the main queue's blocks.
  package static let mainQueue = "com.apple.main-thread"
  package var isMainQueue: Bool { name == Self.mainQueue }

  /// The times by which queues are judged. They include what had not ended, with its length so far: work that still
  /// waited must not look as if nothing had waited.
  package var waitsSoFarNs: Distribution { waitNs.merging(openWaitNs) }
  package var runsSoFarNs: Distribution { runNs.merging(openRunNs) }
  package var callsSoFarNs: Distribution { callNs.merging(openCallNs) }
}

/// A wait of a thread for its turn on a queue, as in dispatch_sync.
package struct QueueCall: Sendable {
  package var thread: UInt32 = 0
  package var startNs: UInt64 = 0
  package var waitedNs: UInt64 = 0
  /// Whether it had not ended at the end of the span, and the queue began nothing for a while.
  package var isStuck = false
  /// The program's function in which the thread waited; nil = it was not sampled.
  package var function: StackFrame?
  /// The thread that held the queue meanwhile, by sampled stacks; nil = not known.
  package var owner: LockOwner?
  /// The thread that held the queue when the wait began; nil = not known.
  package var firstOwner: LockOwner?
  package init() {}
}

/// A slice of work that ran at the end of the span.
package struct RunningSlice: Sendable {
  /// The name of the work.
  package var name: String = ""
  package var thread: UInt32 = 0
  package var startNs: UInt64 = 0
  package var ranNs: UInt64 = 0
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
  /// The queue or actor in which it waits, or which it left last; empty = not known, or only the main queue.
  package var queue: String = ""
  package init() {}

  /// Whether the main queue ran its last slice.
  package var isOnMainQueue: Bool { queue.isEmpty || queue == WorkQueueResult.mainQueue }
}

/// A time in which work always waited in a queue, and a piece of it waited long.
package struct QueueBacklog: Sendable {
  /// The slices of one name that occupied the queue meanwhile.
  package struct Work: Sendable {
    package var name: String = ""
    /// The sum of their times in the backlog.
    package var durationNs: UInt64 = 0
    /// The activity of their threads, by the samples of the longest slices; nil = they were not sampled.
    package var cause: StallCause?
    /// The program's function in which they did so.
    package var function: StackFrame?
    /// Whether the threads waited in run loops for most of the time. Then the cause is nil, and the function ran the
    /// loops.
    package var waitsInLoops = false
    package init() {}

    /// Whether the threads slept or waited; nil = not known.
    package var isWait: Bool? {
      if waitsInLoops { return true }
      return cause.flatMap { $0 == .unknown ? nil : $0.isWait }
    }
  }

  /// A function of the program in which threads of the queue were sampled.
  package struct Function: Sendable {
    package var frame: StackFrame
    package var cause: StallCause
    package var samples: UInt64

    package init(frame: StackFrame, cause: StallCause, samples: UInt64) {
      self.frame = frame
      self.cause = cause
      self.samples = samples
    }
  }

  package var queue: String = ""
  package var kind: QueueKind?
  package var startNs: UInt64 = 0
  /// Without suspension.
  package var durationNs: UInt64 = 0
  package var longestWaitNs: UInt64 = 0
  /// The most pieces that waited at once.
  package var waiting: UInt64 = 0
  /// The most slices that ran at once: soon after the start, and later.
  package var runningAtFirst: UInt64 = 0
  package var running: UInt64 = 0
  /// The sum of the times of all slices.
  package var occupiedNs: UInt64 = 0
  /// The most time first.
  package var works: [Work] = []
  /// The threads that the queue may use, or as many as it had used at once by then.
  package var threads: UInt64 = 0
  /// The sum of the times in which it had them. A pool gets a thread later if its process may use few processors.
  package var threadTimeNs: UInt64 = 0
  package var isOpen = false
  package init() {}

  /// The activity of the threads for most of the time.
  package enum Activity: Sendable { case waiting, computing, mixed, unknown }

  /// The share of a time that counts as most of it.
  package static let most = 0.8

  package var activity: Activity {
    let known = works.filter { $0.isWait != nil }
    let waiting = known.filter { $0.isWait == true }.map(\.durationNs).saturatedSum
    let all = known.map(\.durationNs).saturatedSum
    if occupiedNs == 0 || !isAtLeast(all, Self.most, of: occupiedNs) { return .unknown }
    if isAtLeast(waiting, Self.most, of: occupiedNs) { return .waiting }
    return isAtLeast(all - waiting, Self.most, of: occupiedNs) ? .computing : .mixed
  }

  /// Whether slices occupied all threads.
  package var isFull: Bool {
    threadTimeNs > 0 && isAtLeast(occupiedNs, Self.most, of: threadTimeNs)
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
    /// The program's function in which it waits; nil = it was not sampled.
    package var function: StackFrame?
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
