import CRLTraceShims

/// A number that several threads share.
package final class AtomicWord: @unchecked Sendable {
  /// Allocated on the heap, because a stored property has no stable address.
  private let word = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)

  package init(_ value: UInt64 = 0) { word.initialize(to: value) }

  deinit { word.deallocate() }

  /// The address for C code that reads the number; valid while this object lives.
  package var address: UnsafePointer<UInt64> { UnsafePointer(word) }

  package var value: UInt64 {
    get { rlt_atomic_load(word) }
    set { rlt_atomic_store(word, newValue) }
  }

  /// Stores a number and returns the previous one.
  package func exchange(_ value: UInt64) -> UInt64 { rlt_atomic_exchange(word, value) }
  /// Adds with wrap-around and returns the sum.
  package func add(_ value: UInt64) -> UInt64 { rlt_atomic_add(word, value) }
  /// Subtracts with wrap-around and returns the difference.
  package func subtract(_ value: UInt64) -> UInt64 { rlt_atomic_add(word, 0 &- value) }
}

/// A flag that several threads share.
package final class AtomicFlag: Sendable {
  private let word: AtomicWord

  package init(_ isSet: Bool = false) { word = AtomicWord(isSet ? 1 : 0) }

  package var isSet: Bool {
    get { word.value != 0 }
    set { word.value = newValue ? 1 : 0 }
  }

  /// Sets the flag and returns its previous value.
  package func exchange(_ isSet: Bool) -> Bool { word.exchange(isSet ? 1 : 0) != 0 }
}
