import CRLTraceShims

/// A lock with a condition variable, for threads that wait until guarded state changes. Allocated on the heap,
/// because neither may move in memory.
package final class Condition: @unchecked Sendable {
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  package init() {
    lock.initialize(to: pthread_mutex_t())
    changed.initialize(to: pthread_cond_t())
    pthread_mutex_init(lock, nil)
    #if canImport(Darwin)
    pthread_cond_init(changed, nil)
    #else
    // The monotonic clock, so that setting the wall clock does not end a wait.
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(changed, &attributes)
    pthread_condattr_destroy(&attributes)
    #endif
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(lock)
    changed.deallocate()
    lock.deallocate()
  }

  /// Runs `body` while holding the lock. Calls must not be nested.
  package func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return try body()
  }

  /// Releases the lock until another thread signals. May return without a signal. The caller holds the lock.
  package func wait() { pthread_cond_wait(changed, lock) }

  /// Waits like `wait()`, but for `ns` nanoseconds at most.
  package func wait(ns: UInt64) {
    #if canImport(Darwin)
    var rest = timespec(tv_sec: Int(ns / 1_000_000_000), tv_nsec: Int(ns % 1_000_000_000))
    pthread_cond_timedwait_relative_np(changed, lock, &rest)
    #else
    let end = rlt_monotonic_ns() + ns
    var moment = timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
    pthread_cond_timedwait(changed, lock, &moment)
    #endif
  }

  /// Wakes one waiting thread.
  package func signal() { pthread_cond_signal(changed) }

  /// Wakes all waiting threads.
  package func broadcast() { pthread_cond_broadcast(changed) }
}
