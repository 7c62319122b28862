import CRLTraceShims

/// A lock, and threads that wait for what it guards to change. Allocated: it must stay where it is.
package final class Condition: @unchecked Sendable {
  private let lock = Storage(repeating: pthread_mutex_t(), count: 1)
  private let changed = Storage(repeating: pthread_cond_t(), count: 1)

  package init() {
    pthread_mutex_init(lock.start, nil)
    #if canImport(Darwin)
    pthread_cond_init(changed.start, nil)
    #else
    // A wall clock that is set must not end a wait.
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(changed.start, &attributes)
    pthread_condattr_destroy(&attributes)
    #endif
  }

  deinit {
    pthread_cond_destroy(changed.start)
    pthread_mutex_destroy(lock.start)
  }

  /// Not to be nested.
  package func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
    pthread_mutex_lock(lock.start)
    defer { pthread_mutex_unlock(lock.start) }
    return try body()
  }

  /// Lets go of the lock until another thread signals, or for no reason.
  func wait() { pthread_cond_wait(changed.start, lock.start) }

  /// The same, and at most for so long.
  package func wait(ns: UInt64) {
    #if canImport(Darwin)
    var rest = timespec(tv_sec: Int(ns / 1_000_000_000), tv_nsec: Int(ns % 1_000_000_000))
    pthread_cond_timedwait_relative_np(changed.start, lock.start, &rest)
    #else
    let end = rlt_monotonic_ns() + ns
    var moment = timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
    pthread_cond_timedwait(changed.start, lock.start, &moment)
    #endif
  }

  package func signal() { pthread_cond_signal(changed.start) }
}
