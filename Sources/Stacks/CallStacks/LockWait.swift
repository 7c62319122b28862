/// A lock that a thread waits for; nil = not known.
package struct LockWait: Hashable, Sendable {
  package enum Owner: Hashable, Sendable {
    /// A thread by its id in the system.
    case thread(UInt64)
    case mainThread
    /// The waiting thread itself.
    case itself
  }

  package var address: UInt64?
  /// The lock's name in the source.
  package var name: String?
  package var owner: Owner?
  /// The number of waits from the thread to `owner`, if more than one. Then another thread holds the lock itself and
  /// is waiting in turn.
  package var hops: Int?
  /// Whether the text states that the thread is part of a deadlock.
  package var isDeadlock = false
  /// Whether the thread waits for a dispatch queue, and `owner` runs the queue's blocks.
  package var isQueue = false

  package init(address: UInt64? = nil, name: String? = nil, owner: Owner? = nil, hops: Int? = nil) {
    self.hops = hops
    self.address = address
    self.name = name
    self.owner = owner
  }

  /// The id of the thread that holds the lock; nil = not stated.
  package var ownerID: UInt64? {
    guard case .thread(let id)? = owner else { return nil }
    return id
  }

  /// Returns whether a function waits until the thread that holds a lock releases it. Conditions and semaphores have
  /// no owner.
  package static func waits(in function: String) -> Bool {
    functions.anyMatches(FunctionName.plain(function))
  }

  /// Returns whether a function waits for a dispatch queue. It is on the stack only during the wait.
  package static func waitsForQueue(in function: String) -> Bool {
    FunctionName.plain(function).hasPrefix("DISPATCH_WAIT_FOR_QUEUE")
  }

  private static let functions =
    [
      "pthread_mutex_lock*", "pthread_mutex_timedlock*", "pthread_mutex_clocklock*",
      "pthread_mutex_firstfit_lock*", "pthread_mutex_cond_lock*", "pthread_rwlock_*lock*", "psynch_mutexwait",
      "psynch_rw_*lock*", "lll_*lock_wait*", "lll_mutex_lock*", "os_unfair_lock_lock*",
      "os_unfair_recursive_lock_lock*", "objc_sync_enter", "*[NSLock lock*", "*[NSRecursiveLock lock*",
      "NSLock.lock*", "NSRecursiveLock.lock*", "std::mutex::lock*", "std::recursive_mutex::lock*",
      "g_mutex_lock*", "DISPATCH_WAIT_FOR_QUEUE*", "MutexHandle._lock*",
    ].map(Glob.init(function:)) + syncCalls

  /// Functions that run a block on a queue and wait for it.
  static let syncCalls = ["dispatch_sync*", "dispatch_barrier_sync*", "DispatchQueue.sync*"]
    .map(Glob.init(function:))
}

extension BlameGroup {
  /// Whether the blamed function waits for a lock.
  package var waitsForLock: Bool {
    guard cause == .lock || cause == .queue else { return false }
    return example.frames.prefix(index ?? example.frames.count).contains { frame in
      [frame.symbol, frame.demangled].contains { $0.map(LockWait.waits) ?? false }
    }
  }
}

/// Finds threads that wait for each other.
package struct LockCircles: Sendable {
  /// The indices of threads that each wait for the next, and the last for the first. A single thread waits for
  /// itself.
  package let circles: [[Int]]

  /// `owners`: for each thread, the index of the thread that holds the lock it waits for.
  package init(owners: [Int?]) {
    var circles: [[Int]] = []
    // The thread from which each one was first reached. Each is visited once, because it waits for at most one lock.
    var reached = [Int?](repeating: nil, count: owners.count)
    for start in owners.indices where reached[start] == nil {
      var path: [Int] = []
      var next: Int? = start
      while let at = next, reached[at] == nil {
        reached[at] = start
        path.append(at)
        next = owners[at]
      }
      if let at = next, reached[at] == start, let begin = path.firstIndex(of: at) {
        circles.append(Array(path[begin...]))
      }
    }
    self.circles = circles
  }
}
