/// A value that threads share, one at a time.
///
/// Synchronization's `Mutex` does the same and asks for macOS 15 and iOS 18; what an app links runs on older systems.
package final class Locked<Value>: @unchecked Sendable {
  private var value: Value
  /// Allocated: a lock must stay where it is.
  private let lock = Storage(repeating: pthread_mutex_t(), count: 1)

  package init(_ value: Value) {
    self.value = value
    pthread_mutex_init(lock.start, nil)
  }

  deinit { pthread_mutex_destroy(lock.start) }

  /// Calls `body` with the value while no other thread has it. Not to be nested.
  package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(lock.start)
    defer { pthread_mutex_unlock(lock.start) }
    return try body(&value)
  }
}
