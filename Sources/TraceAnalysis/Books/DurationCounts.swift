/// Counts durations in logarithmic buckets.
///
/// On the path of every pass, where a library histogram's bookkeeping would cost four times as much. Sum, minimum and
/// maximum are exact.
struct DurationCounts {
  /// Made when the first value comes: most tables have rows that get none.
  private var buckets: UnsafeMutablePointer<UInt64>?
  private(set) var count: UInt64 = 0
  private(set) var sum: UInt64 = 0
  private(set) var minimum: UInt64 = .max
  private(set) var maximum: UInt64 = 0

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

  /// The distribution in nanoseconds.
  func summary(unitNs: UInt64) -> Distribution {
    var result = Distribution()
    guard let buckets, count > 0 else { return result }
    for i in 0..<LogBuckets.count where buckets[i] > 0 {
      let range = LogBuckets.range(i)
      result.buckets.append(
        Distribution.Bucket(
          lowNs: range.low &* unitNs, highNs: (range.high ?? maximum) &* unitNs, count: buckets[i]))
    }
    result.count = count
    result.sum = sum &* unitNs
    result.min = minimum &* unitNs
    result.p50 = value(perMille: 500) &* unitNs
    result.p90 = value(perMille: 900) &* unitNs
    result.p99 = value(perMille: 990) &* unitNs
    result.p999 = value(perMille: 999) &* unitNs
    result.max = maximum &* unitNs
    return result
  }

  /// Nearest rank: the middle of the bucket that holds the value at rank ⌈count · p⌉.
  private func value(perMille: UInt64) -> UInt64 {
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
