/// Logarithmic buckets of durations: 128 to a power of two, so a bucket is at most 0.8 % wide.
enum LogBuckets {
  private static let mantissaBits: UInt64 = 7
  /// Values above 2^44 units share the last bucket.
  static let count = (44 - 7 + 1) << 7

  /// Below `count` for any value.
  @inline(__always)
  static func index(_ value: UInt64) -> Int {
    let exponent = UInt64(truncatingIfNeeded: 63 &- (value | 1 << mantissaBits).leadingZeroBitCount)
    let shift = exponent &- mantissaBits
    let index = Int(truncatingIfNeeded: (shift &<< mantissaBits) &+ (value &>> shift))
    return index < count ? index : count &- 1
  }

  /// The middle of a bucket's values.
  static func value(_ index: Int) -> UInt64 {
    let group = UInt64(index) >> mantissaBits
    guard group > 0 else { return UInt64(index) }
    let shift = group - 1
    let low = (UInt64(index) - (shift << mantissaBits)) << shift
    return low + (1 << shift) / 2
  }
}
