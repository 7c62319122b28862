/// The kinds of work on queues other than the main queue.
package enum WorkKind: UInt64, Sendable, CaseIterable, Named {
  /// A block or function on a Dispatch queue. It runs once.
  case block = 0
  /// A Swift task. It runs in slices, and is suspended between them.
  case task = 1
  /// A job of Swift's global executor whose task is not known. It runs once.
  case job = 2
  /// The handler of a dispatch source, or the notification of a group. It is created when it begins: how long it waited
  /// is not known.
  case handler = 3
  /// An operation of an OperationQueue, which puts it on a Dispatch queue when its turn comes. How long it waited before
  /// that is not known.
  case operation = 4

  package var name: String {
    switch self {
    case .block: "block"
    case .task: "task"
    case .job: "job"
    case .handler: "handler"
    case .operation: "operation"
    }
  }
}

/// The reasons why a slice of work ends.
package enum SliceEnd: UInt64, Sendable, CaseIterable, Named {
  /// The work is done, and its object ends.
  case done = 0
  /// The task awaits something, and is not queued.
  case suspended = 1
  /// The task is queued for another executor from this moment on.
  case queued = 2

  package var name: String {
    switch self {
    case .done: "done"
    case .suspended: "suspended"
    case .queued: "queued"
    }
  }
}
