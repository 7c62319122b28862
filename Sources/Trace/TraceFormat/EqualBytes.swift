/// Counts equal bytes, sixteen at a time.
///
/// SAFETY: Callers have `most` readable bytes.
package enum EqualBytes {
  /// Returns how many bytes from here on equal the first one, including the first.
  @inlinable @inline(__always)
  package static func lengthOfRun(_ bytes: UnsafePointer<UInt8>, most: Int) -> Int {
    1 &+ length(bytes + 1, bytes, most: most &- 1)
  }

  /// Returns how many bytes at the start of both are equal.
  @inlinable @inline(__always)
  package static func length(_ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, most: Int) -> Int {
    func word(_ bytes: UnsafePointer<UInt8>, _ at: Int) -> UInt64 {
      UInt64(littleEndian: UnsafeRawPointer(bytes + at).loadUnaligned(as: UInt64.self))
    }
    var equal = 0
    while equal &+ 16 <= most,
      (word(a, equal) ^ word(b, equal)) | (word(a, equal &+ 8) ^ word(b, equal &+ 8)) == 0
    {
      equal &+= 16
    }
    while equal &+ 8 <= most {
      let difference = word(a, equal) ^ word(b, equal)
      if difference != 0 { return equal &+ difference.trailingZeroBitCount / 8 }
      equal &+= 8
    }
    while equal < most, a[equal] == b[equal] { equal &+= 1 }
    return equal
  }
}
