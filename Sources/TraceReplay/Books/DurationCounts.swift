/// Counts durations in logarithmic buckets.
///
/// On the path of every pass, where a library histogram's bookkeeping would cost four times as much. Sum, minimum and
/// maximum are exact.
package struct DurationCounts: ~Copyable {
  /// Made when the first value comes: most tables have rows that get none.
  private var buckets = Rows<UInt64>()
  // Count and sum side by side would be added as a vector, which takes three times the instructions.
  package private(set) var count: UInt64 = 0
  package private(set) var minimum = Length.endless
  package private(set) var sum = Length.zero
  package private(set) var maximum = Length.zero

  @inline(__always)
  mutating func record(_ value: Length) { record(value, bucket: LogBuckets.index(value)) }

  /// `bucket`: the value's.
  @inline(__always)
  mutating func record(_ value: Length, bucket: Int) {
    if buckets.isMissing { allocate() }
    buckets[bucket] &+= 1
    count = count &+ 1
    sum = sum &+ value
    minimum = value < minimum ? value : minimum
    maximum = value > maximum ? value : maximum
  }

  mutating func record(_ values: borrowing BucketedLengths) {
    guard values.count > 0 else { return }
    if buckets.isMissing { allocate() }
    let first = buckets.address(0)
    var (least, most) = (minimum, maximum)
    for i in 0..<values.count {
      first.advanced(by: values.bucket(i)).pointee &+= 1
      least = values[i] < least ? values[i] : least
      most = values[i] > most ? values[i] : most
    }
    count = count &+ UInt64(values.count)
    sum = sum &+ values.sum
    (minimum, maximum) = (least, most)
  }

  @inline(never)
  private mutating func allocate() { buckets = Rows(zeroed: LogBuckets.count) }

  /// What the buckets with values hold, shortest first; nothing bounds the last one but the longest value.
  package var ranges: [(low: Length, high: Length, count: UInt64)] {
    (0..<buckets.count).compactMap { index in
      guard buckets[index] > 0 else { return nil }
      let range = LogBuckets.range(index)
      return (range.low, range.high ?? maximum, buckets[index])
    }
  }

  /// Else it had no room, and came round to a small one.
  package var hasExactSum: Bool {
    // Nearly all have room for as many of the longest.
    if !count.multipliedReportingOverflow(by: maximum.rawValue).overflow { return true }
    return ranges.reduce(0.0) { $0 + Double($1.count) * Double(min($1.high, maximum).rawValue) } < 0x1p64
  }

  /// The sum, or the largest number where it has no room.
  package var total: Length { hasExactSum ? sum : .endless }

  /// Nearest rank: the middle of the bucket that holds the value at rank ⌈count · p⌉.
  package func value(perMille: UInt64) -> Length {
    // Rounded up, and no product that could overflow.
    let rank = count / 1000 * perMille + (count % 1000 * perMille + 999) / 1000
    var passed: UInt64 = 0
    for index in 0..<buckets.count {
      passed &+= buckets[index]
      if passed >= rank { return min(max(LogBuckets.value(index), minimum), maximum) }
    }
    return maximum
  }
}
