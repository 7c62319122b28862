import Histogram

/// Counts durations in logarithmic buckets: 128 to a power of two, so a bucket is at most 0.8 % wide.
///
/// On the path of every pass, where a library histogram's bookkeeping would cost four times as much; `summary`
/// hands the counts to one for the percentiles. Sum, minimum and maximum are exact.
struct DurationCounts {
  private static let mantissaBits: UInt64 = 7
  /// Values above 2^44 units share the last bucket.
  private static let bucketCount = (44 - 7 + 1) << 7

  /// Made when the first value comes: most tables have rows that get none.
  private var buckets: UnsafeMutablePointer<UInt64>?
  private(set) var count: UInt64 = 0
  private(set) var sum: UInt64 = 0
  private(set) var minimum: UInt64 = .max
  private(set) var maximum: UInt64 = 0

  @inline(never)
  private mutating func allocate() -> UnsafeMutablePointer<UInt64> {
    // SAFETY: `index` is clamped to bucketCount - 1.
    let made = UnsafeMutablePointer<UInt64>.allocate(capacity: DurationCounts.bucketCount)
    made.initialize(repeating: 0, count: DurationCounts.bucketCount)
    buckets = made
    return made
  }

  func deallocate() { buckets?.deallocate() }

  @inline(__always)
  private static func index(_ value: UInt64) -> Int {
    let exponent = UInt64(truncatingIfNeeded: 63 &- (value | 1 << mantissaBits).leadingZeroBitCount)
    let shift = exponent &- mantissaBits
    let index = Int(truncatingIfNeeded: (shift &<< mantissaBits) &+ (value &>> shift))
    return index < bucketCount ? index : bucketCount &- 1
  }

  @inline(__always)
  mutating func record(_ value: UInt64) {
    let at = DurationCounts.index(value)
    let buckets = buckets ?? allocate()
    buckets[at] = buckets[at] &+ 1
    count = count &+ 1
    sum = sum &+ value
    minimum = value < minimum ? value : minimum
    maximum = value > maximum ? value : maximum
  }

  mutating func reset() {
    buckets?.update(repeating: 0, count: DurationCounts.bucketCount)
    count = 0
    sum = 0
    minimum = .max
    maximum = 0
  }

  mutating func add(_ other: DurationCounts) {
    guard let others = other.buckets, other.count > 0 else { return }
    let buckets = buckets ?? allocate()
    for i in 0..<DurationCounts.bucketCount { buckets[i] += others[i] }
    count += other.count
    sum &+= other.sum
    minimum = Swift.min(minimum, other.minimum)
    maximum = Swift.max(maximum, other.maximum)
  }

  /// The middle of a bucket's values.
  private static func value(_ index: Int) -> UInt64 {
    let group = UInt64(index) >> mantissaBits
    guard group > 0 else { return UInt64(index) }
    let shift = group - 1
    let low = (UInt64(index) - (shift << mantissaBits)) << shift
    return low + (1 << shift) / 2
  }

  /// The distribution in nanoseconds.
  func summary(unitNs: UInt64) -> Distribution {
    var result = Distribution()
    guard let buckets, count > 0 else { return result }
    var histogram = Histogram<UInt64>(
      highestTrackableValue: Swift.max(Swift.min(maximum, 1 << 62), 2), numberOfSignificantValueDigits: .three
    )
    for i in 0..<DurationCounts.bucketCount where buckets[i] > 0 {
      histogram.record(Swift.min(Swift.max(DurationCounts.value(i), minimum), maximum), count: buckets[i])
    }
    func percentile(_ p: Double) -> UInt64 {
      Swift.min(Swift.max(histogram.valueAtPercentile(p), minimum), maximum) &* unitNs
    }
    result.count = count
    result.sum = sum &* unitNs
    result.min = minimum &* unitNs
    result.p50 = percentile(50)
    result.p90 = percentile(90)
    result.p99 = percentile(99)
    result.p999 = percentile(99.9)
    result.max = maximum &* unitNs
    return result
  }
}
