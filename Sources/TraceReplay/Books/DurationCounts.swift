/// Counts durations in logarithmic buckets.
///
/// On the path of every pass, where a library histogram's bookkeeping would cost four times as much. Sum, minimum and
/// maximum are exact.
package struct DurationCounts {
  /// Made when the first value comes: most tables have rows that get none.
  private var buckets: UnsafeMutablePointer<UInt64>?
  package private(set) var count: UInt64 = 0
  package private(set) var sum: UInt64 = 0
  package private(set) var minimum: UInt64 = .max
  package private(set) var maximum: UInt64 = 0

  @inline(never)
  private mutating func allocate() -> UnsafeMutablePointer<UInt64> {
    // SAFETY: `index` stays below LogBuckets.count.
    let made = UnsafeMutablePointer<UInt64>.allocate(capacity: LogBuckets.count)
    made.initialize(repeating: 0, count: LogBuckets.count)
    buckets = made
    return made
  }

  func deallocate() { buckets?.deallocate() }

  @inline(__always)
  mutating func record(_ value: UInt64) {
    let at = LogBuckets.index(value)
    let buckets = buckets ?? allocate()
    buckets[at] = buckets[at] &+ 1
    count = count &+ 1
    sum = sum &+ value
    minimum = value < minimum ? value : minimum
    maximum = value > maximum ? value : maximum
  }

  mutating func reset() {
    buckets?.update(repeating: 0, count: LogBuckets.count)
    count = 0
    sum = 0
    minimum = .max
    maximum = 0
  }

  mutating func add(_ other: DurationCounts) {
    guard let others = other.buckets, other.count > 0 else { return }
    let buckets = buckets ?? allocate()
    for i in 0..<LogBuckets.count { buckets[i] += others[i] }
    count += other.count
    sum &+= other.sum
    minimum = Swift.min(minimum, other.minimum)
    maximum = Swift.max(maximum, other.maximum)
  }

  /// What the buckets with values hold, shortest first; nothing bounds the last one but the longest value.
  package var ranges: [(low: UInt64, high: UInt64, count: UInt64)] {
    guard let buckets, count > 0 else { return [] }
    return (0..<LogBuckets.count).filter { buckets[$0] > 0 }.map {
      let range = LogBuckets.range($0)
      return (range.low, range.high ?? maximum, buckets[$0])
    }
  }

  /// Nearest rank: the middle of the bucket that holds the value at rank ⌈count · p⌉.
  package func value(perMille: UInt64) -> UInt64 {
    guard let buckets else { return 0 }
    // Rounded up, and no product that could overflow.
    let rank = count / 1000 * perMille + (count % 1000 * perMille + 999) / 1000
    var passed: UInt64 = 0
    for i in 0..<LogBuckets.count {
      passed &+= buckets[i]
      if passed >= rank { return Swift.min(Swift.max(LogBuckets.value(i), minimum), maximum) }
    }
    return maximum
  }
}
