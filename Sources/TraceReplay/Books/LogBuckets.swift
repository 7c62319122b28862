/// Logarithmic buckets of durations: 128 to a power of two, so a bucket is at most 0.8 % wide.
enum LogBuckets {
  private static let mantissaBits: UInt64 = 7
  /// Values above 2^44 units share the last bucket.
  static let count = (44 - 7 + 1) << 7

  /// Below `count` for any value.
  @inline(__always)
  static func index(_ length: Length) -> Int {
    let value = length.rawValue
    let exponent = UInt64(truncatingIfNeeded: 63 &- (value | 1 << mantissaBits).leadingZeroBitCount)
    let shift = exponent &- mantissaBits
    let index = Int(truncatingIfNeeded: (shift &<< mantissaBits) &+ (value &>> shift))
    return index < count ? index : count &- 1
  }

  /// Of a value that is not negative, without a branch or a step that vectors do not have.
  ///
  /// A Float has the exponent and the bits below the leading one side by side. It has 24 bits: of longer values, bits 8 below
  /// a set one are cleared before, so that rounding up never reaches those that count.
  @inline(__always)
  static func index(_ value: Int32) -> Int32 {
    let float = Int32(bitPattern: Float(value & ~(value &>> 8)).bitPattern)
    let index = (float &>> 16) &- (127 &+ 6) &<< 7
    // Below 128 there are no seven bits behind the leading one: the value itself is there.
    return index ^ ((index ^ value) & (value < 128 ? -1 : 0))
  }

  /// The middle of a bucket's values.
  static func value(_ index: Int) -> Length { Length(low(index) + (1 << shift(index)) / 2) }

  /// The least and the greatest of a bucket's values; nil: the last bucket has no greatest.
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
