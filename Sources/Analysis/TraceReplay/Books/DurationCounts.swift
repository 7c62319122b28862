/// Counts durations in logarithmic buckets. Sum, minimum and maximum are exact.
///
/// Every pass updates these counts. The bookkeeping of a library histogram would cost four times as much.
package struct DurationCounts: ~Copyable {
  /// Allocated with the first value, because most tables have rows without values.
  private var buckets = Rows<UInt64>()
  // Count and sum are not adjacent: the compiler would add them as a vector, which takes three times the
  // instructions.
  package private(set) var count: UInt64 = 0
  package private(set) var minimum = Length.endless
  package private(set) var sum = Length.zero
  package private(set) var maximum = Length.zero

  @inline(__always)
  mutating func record(_ value: Length) { record(value, bucket: LogBuckets.index(value)) }

  /// Records a value whose bucket is known.
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

  mutating func record(_ other: borrowing DurationCounts) {
    guard other.count > 0 else { return }
    if buckets.isMissing { allocate() }
    other.forEachBucket { index, count in
      buckets[index] &+= count
      return true
    }
    count = count &+ other.count
    sum = sum &+ other.sum
    minimum = min(minimum, other.minimum)
    maximum = max(maximum, other.maximum)
  }

  @inline(never)
  private mutating func allocate() { buckets = Rows(zeroed: LogBuckets.count) }

  /// The buckets that hold values, shortest first. The last bucket's upper bound is the longest value.
  package var ranges: [(low: Length, high: Length, count: UInt64)] {
    var found: [(low: Length, high: Length, count: UInt64)] = []
    forEachBucket { index, count in
      let range = LogBuckets.range(index)
      found.append((range.low, range.high ?? maximum, count))
      return true
    }
    return found
  }

  /// Calls `body` with each bucket that holds values, shortest first, until it returns false.
  ///
  /// It visits only the buckets between the shortest and the longest value, by pointer. Most of them are empty, and in a
  /// debug build, an index into a table costs more than all the rest.
  private func forEachBucket(_ body: (Int, UInt64) -> Bool) {
    guard count > 0 else { return }
    let first = unsafe buckets.pointer(0)
    var index = LogBuckets.index(minimum)
    let last = LogBuckets.index(maximum)
    while index <= last {
      let count = unsafe first[index]
      if count > 0, !body(index, count) { return }
      index += 1
    }
  }

  /// Whether `sum` is exact. Otherwise it has overflowed.
  package var hasExactSum: Bool {
    // A quick check that nearly all pass: the sum cannot overflow even if all values equal the maximum.
    if !count.multipliedReportingOverflow(by: maximum.rawValue).overflow { return true }
    return ranges.reduce(0.0) { $0 + Double($1.count) * Double(min($1.high, maximum).rawValue) } < 0x1p64
  }

  /// The sum, or the largest number if it overflows.
  package var total: Length { hasExactSum ? sum : .endless }

  /// Returns the value at rank ⌈count · p⌉ (nearest rank): the middle of the bucket that holds it.
  package func value(perMille: UInt64) -> Length {
    // The rank is rounded up, without a product that could overflow.
    let rank = count / 1000 * perMille + (count % 1000 * perMille + 999) / 1000
    var passed: UInt64 = 0
    var value = maximum
    forEachBucket { index, count in
      passed &+= count
      guard passed >= rank else { return true }
      value = min(max(LogBuckets.value(index), minimum), maximum)
      return false
    }
    return value
  }
}
