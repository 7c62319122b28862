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

  /// Whether it runs one slice of work at a time.
  package var isSerial: Bool { self == .serial || self == .actor }

  package var name: String {
    switch self {
    case .serial: "serial"
    case .concurrent: "concurrent"
    case .global: "global"
    case .cooperativePool: "cooperative_pool"
    case .actor: "actor"
    }
  }
}
