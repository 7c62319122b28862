/// The kinds of queues of work.
package enum QueueKind: UInt64, Sendable, CaseIterable, Named {
  /// A Dispatch queue that runs one block at a time.
  case serial = 0
  /// A Dispatch queue of the program that runs blocks on several threads.
  case concurrent = 1
  /// One of the queues that Dispatch shares among all libraries of a program.
  case global = 2
  /// The pool of threads that runs Swift tasks which belong to no actor.
  case cooperativePool = 3
  /// A Swift actor.
  case actor = 4
  /// An executor of the program, which runs one or several actors on threads of its choice.
  case executor = 5

  /// Whether it runs tasks on actors, one slice at a time.
  package var servesActors: Bool { self == .actor || self == .executor }

  package var name: String {
    switch self {
    case .serial: "serial"
    case .concurrent: "concurrent"
    case .global: "global"
    case .cooperativePool: "cooperative_pool"
    case .actor: "actor"
    case .executor: "executor"
    }
  }
}
