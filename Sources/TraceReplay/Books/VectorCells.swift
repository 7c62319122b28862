extension SIMD where Scalar == UInt64 {
  /// Adds to one element in memory. The subscript takes the whole vector through registers, and the next reader waits
  /// for it.
  @inline(__always)
  mutating func add(_ value: UInt64, at index: Int) {
    withUnsafeMutableBytes(of: &self) {
      // SAFETY: a vector of UInt64 is its elements in order; the index is in it.
      let cell = $0.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt64.self) + index
      cell.pointee &+= value
    }
  }
}
