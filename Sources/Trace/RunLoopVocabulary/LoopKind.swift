/// The kinds of loops, by how a loop waits.
package enum LoopKind: UInt64, Sendable, CaseIterable, Named {
  /// A CFRunLoop, or the main queue if none serves it.
  case runLoop = 0
  /// An event loop that waits for an epoll set.
  case epoll = 1
  /// An event loop that waits with poll or select for a list of descriptors.
  case list = 2
  /// The threads of a pool, which wait for one epoll set in turn. They also rest elsewhere, so the time between two of
  /// their waits says nothing.
  case pool = 3

  /// Whether one thread waits for descriptors again and again, and serves them.
  package var isEventLoop: Bool { self == .epoll || self == .list }

  package var name: String {
    switch self {
    case .runLoop: "run_loop"
    case .epoll: "epoll"
    case .list: "list"
    case .pool: "pool"
    }
  }
}
