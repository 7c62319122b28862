import CRLTraceShims

/// A number that threads share.
package final class AtomicWord: @unchecked Sendable {
  /// Allocated: a property has no address of its own.
  private let word: Storage<UInt64>

  package init(_ value: UInt64 = 0) { word = Storage(repeating: value, count: 1) }

  /// For C that reads it, as long as this lives.
  package var address: UnsafePointer<UInt64> { UnsafePointer(word.start) }

  package var value: UInt64 {
    get { rlt_atomic_load(word.start) }
    set { rlt_atomic_store(word.start, newValue) }
  }

  /// Stores a number, and returns the one before.
  package func exchange(_ value: UInt64) -> UInt64 { rlt_atomic_exchange(word.start, value) }
  /// Adds, wrapping, and returns the sum.
  package func add(_ value: UInt64) -> UInt64 { rlt_atomic_add(word.start, value) }
  /// Subtracts, wrapping, and returns the difference.
  package func subtract(_ value: UInt64) -> UInt64 { rlt_atomic_add(word.start, 0 &- value) }
}

/// A yes or no that threads share.
package final class AtomicFlag: Sendable {
  private let word: AtomicWord

  package init(_ isSet: Bool = false) { word = AtomicWord(isSet ? 1 : 0) }

  package var isSet: Bool {
    get { word.value != 0 }
    set { word.value = newValue ? 1 : 0 }
  }

  /// Sets it, and says what it was before.
  package func exchange(_ isSet: Bool) -> Bool { word.exchange(isSet ? 1 : 0) != 0 }
}
