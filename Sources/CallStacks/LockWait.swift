/// A lock that a thread waits for, as far as it is known.
public struct LockWait: Hashable, Sendable {
  public enum Owner: Hashable, Sendable {
    /// By its id in the system.
    case thread(UInt64)
    case mainThread
    /// The thread that waits.
    case itself
  }

  public var address: UInt64?
  /// In the source.
  public var name: String?
  public var owner: Owner?
  /// The number of waits from the thread to `owner`, if more than one: then the lock itself is held by another thread,
  /// which waits as well.
  public var hops: Int?
  /// The text says that the thread is part of a deadlock.
  public var isDeadlock = false

  public init(address: UInt64? = nil, name: String? = nil, owner: Owner? = nil, hops: Int? = nil) {
    self.hops = hops
    self.address = address
    self.name = name
    self.owner = owner
  }

  /// Of the thread that holds it, where that is said.
  public var ownerID: UInt64? {
    guard case .thread(let id)? = owner else { return nil }
    return id
  }

  /// Whether a function waits until the thread that holds a lock lets go of it. Conditions and semaphores have no owner.
  public static func waits(in function: String) -> Bool { functions.anyMatches(FunctionName.plain(function)) }

  private static let functions = [
    "pthread_mutex_lock*", "pthread_mutex_timedlock*", "pthread_mutex_clocklock*",
    "pthread_mutex_firstfit_lock*", "pthread_mutex_cond_lock*", "pthread_rwlock_*lock*", "psynch_mutexwait",
    "psynch_rw_*lock*", "lll_*lock_wait*", "lll_mutex_lock*", "os_unfair_lock_lock*",
    "os_unfair_recursive_lock_lock*", "objc_sync_enter", "*[NSLock lock*", "*[NSRecursiveLock lock*",
    "NSLock.lock*", "NSRecursiveLock.lock*", "std::mutex::lock*", "std::recursive_mutex::lock*",
    "g_mutex_lock*", "dispatch_sync*", "dispatch_barrier_sync*", "DISPATCH_WAIT_FOR_QUEUE*",
    "DispatchQueue.sync*", "MutexHandle._lock*",
  ].map(Glob.init(function:))
}

extension BlameGroup {
  /// What was blamed waits for a lock.
  public var waitsForLock: Bool {
    guard cause == .lock else { return false }
    return example.frames.prefix(index ?? example.frames.count).contains { frame in
      [frame.symbol, frame.demangled].contains { $0.map(LockWait.waits) ?? false }
    }
  }
}

/// Which threads wait for each other.
public struct LockCircles: Sendable {
  /// Places of threads, each waiting for the next, and the last for the first. Of one thread: it waits for itself.
  public let circles: [[Int]]

  /// `owners`: by thread, the place of the one that holds the lock that it waits for.
  public init(owners: [Int?]) {
    var circles: [[Int]] = []
    // From which thread it was reached first; each is met once, as it waits for one lock at most.
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
