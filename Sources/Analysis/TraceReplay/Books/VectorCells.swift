extension SIMD where Scalar == UInt64 {
  /// Adds to one element in memory. The subscript would move the whole vector through registers, and the next reader
  /// would wait for it.
  @inline(__always)
  mutating func add(_ value: UInt64, at index: Int) {
    unsafe withUnsafeMutableBytes(of: &self) {
      // SAFETY: a vector of UInt64 stores its elements in order, and the index is in range.
      let cell = unsafe $0.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt64.self) + index
      unsafe cell.pointee &+= value
    }
  }

  // MARK: Lengths of time by phase, by cause, by the column of a clock

  @inline(__always)
  mutating func add(_ length: Length, at index: Int) { add(length.rawValue, at: index) }
  @inline(__always)
  mutating func add(_ length: Length, at cause: Cause) { add(length.rawValue, at: cause.rawValue) }
  mutating func move(_ length: Length, from cause: Cause, to other: Cause) {
    self[cause.rawValue] &-= length.rawValue
    self[other.rawValue] &+= length.rawValue
  }
  package func length(_ index: Int) -> Length { Length(self[index]) }
  package func length(_ phase: Phase) -> Length { length(phase.rawValue) }
  package func length(_ cause: Cause) -> Length { length(cause.rawValue) }
  package var lengthInAll: Length { Length(wrappedSum()) }
}
