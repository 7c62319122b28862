/// A value that threads share; only one at a time has access to it.
///
/// Synchronization's `Mutex` does the same but requires macOS 15 or iOS 18. Code that apps link runs on older
/// systems.
package final class Locked<Value>: @unchecked Sendable {
  private var value: Value
  private let lock = Condition()

  package init(_ value: Value) { self.value = value }

  /// Calls `body` with the value while no other thread has access to it. Calls must not be nested.
  package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    try lock.withLock { try body(&value) }
  }

  /// Returns the value. The first caller creates it, and others wait for it.
  package func once<Made>(_ make: () -> Made) -> Made where Value == Made? {
    withLock { value in
      let made = value ?? make()
      value = made
      return made
    }
  }
}
