import CRLTraceShims

/// A lock with a condition variable, for threads that wait until guarded state changes. Allocated on the heap,
/// because neither may move in memory.
package final class Condition: @unchecked Sendable {
  private let lock = Storage(repeating: pthread_mutex_t(), count: 1)
  private let changed = Storage(repeating: pthread_cond_t(), count: 1)

  package init() {
    pthread_mutex_init(lock.start, nil)
    #if canImport(Darwin)
    pthread_cond_init(changed.start, nil)
    #else
    // The monotonic clock, so that setting the wall clock does not end a wait.
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

  /// Runs `body` while holding the lock. Calls must not be nested.
  package func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
    pthread_mutex_lock(lock.start)
    defer { pthread_mutex_unlock(lock.start) }
    return try body()
  }

  /// Releases the lock until another thread signals. May return without a signal. The caller holds the lock.
  func wait() { pthread_cond_wait(changed.start, lock.start) }

  /// Waits like `wait()`, but for `ns` nanoseconds at most.
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
