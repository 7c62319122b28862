/// A value that threads share, one at a time.
///
/// Synchronization's `Mutex` does the same and asks for macOS 15 and iOS 18; what an app links runs on older systems.
package final class Locked<Value>: @unchecked Sendable {
  private var value: Value
  /// Allocated: a lock must stay where it is.
  private let lock: UnsafeMutablePointer<pthread_mutex_t>

  package init(_ value: Value) {
    self.value = value
    lock = .allocate(capacity: 1)
    lock.initialize(to: pthread_mutex_t())
    pthread_mutex_init(lock, nil)
  }

  deinit {
    pthread_mutex_destroy(lock)
    lock.deallocate()
  }

  /// Calls `body` with the value while no other thread has it. Not to be nested.
  package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return try body(&value)
  }
}
