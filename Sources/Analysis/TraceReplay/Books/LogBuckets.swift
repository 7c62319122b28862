/// Logarithmic buckets of durations: 128 per power of two, so a bucket is at most 0.8 % wide.
enum LogBuckets {
  private static let mantissaBits: UInt64 = 7
  /// Values above 2^44 units share the last bucket.
  static let count = (44 - 7 + 1) << 7

  /// Returns the bucket of a length, below `count` for any value.
  @inline(__always)
  static func index(_ length: Length) -> Int {
    let value = length.rawValue
    let exponent = UInt64(truncatingIfNeeded: 63 &- (value | 1 << mantissaBits).leadingZeroBitCount)
    let shift = exponent &- mantissaBits
    let index = Int(truncatingIfNeeded: (shift &<< mantissaBits) &+ (value &>> shift))
    return index < count ? index : count &- 1
  }

  /// Returns the bucket of a value that is not negative, without a branch or an operation that vector units lack.
  ///
  /// A Float has its exponent and the bits below the leading one next to each other. It has only 24 bits of mantissa.
  /// Bits 8 places below a set bit are therefore cleared first, so that rounding up never changes the bits that
  /// count.
  @inline(__always)
  static func index(_ value: Int32) -> Int32 {
    let float = Int32(bitPattern: Float(value & ~(value &>> 8)).bitPattern)
    let index = (float &>> 16) &- (127 &+ 6) &<< 7
    // Below 128 there are no seven bits after the leading one: the bucket is the value itself.
    return index ^ ((index ^ value) & (value < 128 ? -1 : 0))
  }

  /// Returns the middle of a bucket's values.
  static func value(_ index: Int) -> Length { Length(low(index) + (1 << shift(index)) / 2) }

  /// Returns the smallest and the largest value of a bucket. `high` is nil for the last bucket, which has no upper
  /// bound.
  static func range(_ index: Int) -> (low: Length, high: Length?) {
    let low = low(index)
    return (Length(low), index == count - 1 ? nil : Length(low + (1 << shift(index)) - 1))
  }

  private static func shift(_ index: Int) -> UInt64 {
    let group = UInt64(index) >> mantissaBits
    return group > 0 ? group - 1 : 0
  }

  private static func low(_ index: Int) -> UInt64 {
    (UInt64(index) - (shift(index) << mantissaBits)) << shift(index)
  }
}
