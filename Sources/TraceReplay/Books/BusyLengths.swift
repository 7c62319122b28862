/// How long busy intervals were: enough to say how long an event that arrives at any moment would wait.
///
/// `LogBuckets`, with the sum of what is in them: intervals of one bucket count as of their mean length, which is within 0.4 % of each of them. Allocated when first used.
package struct BusyLengths {
  private var buckets: UnsafeMutablePointer<(count: UInt64, sum: UInt64)>?
  private(set) var count: UInt64 = 0
  package private(set) var sum: UInt64 = 0
  package private(set) var maximum: UInt64 = 0
  /// Of those from the threshold for hangs on.
  package private(set) var hangs: UInt64 = 0
  package private(set) var hangTime: UInt64 = 0

  package init() {}

  package func deallocate() { buckets?.deallocate() }

  @inline(__always)
  mutating func record(_ length: UInt64, hangFrom: UInt64) {
    let buckets = buckets ?? allocate()
    let at = LogBuckets.index(length)
    buckets[at].count &+= 1
    buckets[at].sum &+= length
    count &+= 1
    sum &+= length
    maximum = max(maximum, length)
    if length >= hangFrom {
      hangs &+= 1
      hangTime &+= length
    }
  }

  @inline(never)
  private mutating func allocate() -> UnsafeMutablePointer<(count: UInt64, sum: UInt64)> {
    // SAFETY: `index` stays below LogBuckets.count.
    let made = UnsafeMutablePointer<(count: UInt64, sum: UInt64)>.allocate(capacity: LogBuckets.count)
    made.initialize(repeating: (0, 0), count: LogBuckets.count)
    buckets = made
    return made
  }

  mutating func reset() {
    deallocate()
    self = BusyLengths()
  }

  package mutating func add(_ other: BusyLengths) {
    guard let others = other.buckets else { return }
    let mine = buckets ?? allocate()
    for i in 0..<LogBuckets.count {
      mine[i].count &+= others[i].count
      mine[i].sum &+= others[i].sum
    }
    count &+= other.count
    sum &+= other.sum
    maximum = max(maximum, other.maximum)
    hangs &+= other.hangs
    hangTime &+= other.hangTime
  }

  /// The mean wait of all moments of `span`: half the squares of the lengths.
  package func meanDelay(of span: UInt64) -> Double {
    guard let buckets, span > 0 else { return 0 }
    var squares = 0.0
    for i in 0..<LogBuckets.count where buckets[i].count > 0 {
      let mean = Double(buckets[i].sum) / Double(buckets[i].count)
      squares += Double(buckets[i].count) * mean * mean
    }
    return squares / 2 / Double(span)
  }

  /// The delay that a share `p` of all moments of `span` does not exceed, had an event arrived then: 0 while the loop
  /// waits, what is left of the busy interval while it is busy.
  ///
  /// The share of moments that wait longer than x is the sum of max(0, length - x) over `span`: a line between two
  /// lengths, so it is solved, not sampled.
  package func delay(_ p: Double, of span: UInt64) -> UInt64 {
    guard let buckets, span > 0 else { return 0 }
    let allowed = (1 - p) * Double(span)
    var longer = 0.0
    var longerSum = 0.0
    for i in stride(from: LogBuckets.count - 1, through: 0, by: -1) where buckets[i].count > 0 {
      let mean = Double(buckets[i].sum) / Double(buckets[i].count)
      // At x = mean, with only the longer ones counted.
      if longerSum - longer * mean > allowed { break }
      longer += Double(buckets[i].count)
      longerSum += Double(buckets[i].sum)
    }
    guard longer > 0 else { return 0 }
    let delay = (longerSum - allowed) / longer
    return delay <= 0 ? 0 : min(UInt64(delay.rounded()), maximum)
  }
}
