/// The distribution of the lengths of busy intervals. It determines how long an event that arrives at a random moment
/// has to wait.
///
/// Uses `LogBuckets` and keeps the sum of each bucket. All intervals of a bucket count with the bucket's mean length.
/// A bucket is at most 0.8 % wide.
package struct BusyLengths: ~Copyable {
  private struct Bucket {
    var count: UInt64 = 0
    var sum = Length.zero
    var mean: Double { Double(sum.rawValue) / Double(count) }
  }

  /// Allocated with the first interval.
  private var buckets = Rows<Bucket>()
  package private(set) var sum = Length.zero
  package private(set) var maximum = Length.zero
  /// The number of intervals that reach the threshold for hangs.
  package private(set) var hangs: UInt64 = 0
  package private(set) var hangTime = Length.zero

  package init() {}

  /// `hang` is the part that counts if it reaches `hangFrom`.
  @inline(__always)
  mutating func record(_ length: Length, hang: Length, hangFrom: Length) {
    if buckets.isMissing { allocate() }
    let at = LogBuckets.index(length)
    buckets[at].count &+= 1
    buckets[at].sum &+= length
    sum &+= length
    maximum = max(maximum, length)
    if hang >= hangFrom {
      hangs &+= 1
      hangTime &+= hang
    }
  }

  mutating func record(_ lengths: borrowing BucketedLengths, hangFrom: Length) {
    guard lengths.count > 0 else { return }
    if buckets.isMissing { allocate() }
    let first = buckets.address(0)
    var most = Length.zero
    for i in 0..<lengths.count {
      let bucket = first.advanced(by: lengths.bucket(i))
      bucket.pointee.count = bucket.pointee.count &+ 1
      bucket.pointee.sum = bucket.pointee.sum &+ lengths[i]
      most = lengths[i] > most ? lengths[i] : most
    }
    sum &+= lengths.sum
    maximum = max(maximum, most)
    guard most >= hangFrom else { return }
    for i in 0..<lengths.count where lengths[i] >= hangFrom {
      hangs &+= 1
      hangTime &+= lengths[i]
    }
  }

  @inline(never)
  private mutating func allocate() { buckets = Rows(zeroed: LogBuckets.count) }

  package mutating func add(_ other: borrowing BusyLengths) {
    guard !other.buckets.isMissing else { return }
    if buckets.isMissing { allocate() }
    other.forEachBucket { i, bucket in
      buckets[i].count &+= bucket.count
      buckets[i].sum &+= bucket.sum
      return true
    }
    sum &+= other.sum
    maximum = max(maximum, other.maximum)
    hangs &+= other.hangs
    hangTime &+= other.hangTime
  }

  /// Calls `body` with each bucket that holds intervals of some length, longest first, until it returns false.
  ///
  /// It visits only the buckets from the longest interval to the shortest, by pointer: see `DurationCounts`.
  private func forEachBucket(_ body: (Int, Bucket) -> Bool) {
    guard !buckets.isMissing else { return }
    let first = unsafe buckets.pointer(0)
    var index = LogBuckets.index(maximum)
    var rest = sum
    while index >= 0, rest != .zero {
      if unsafe first[index].count > 0 {
        let bucket = unsafe first[index]
        guard body(index, bucket) else { return }
        rest = rest &- bucket.sum
      }
      index -= 1
    }
  }

  /// Returns the mean wait over all moments of `span`, in time units: half the sum of the squared lengths, divided by
  /// `span`.
  package func meanDelay(of span: Length) -> Double {
    guard span > .zero else { return 0 }
    var squares = 0.0
    forEachBucket { _, bucket in
      squares += Double(bucket.count) * bucket.mean * bucket.mean
      return true
    }
    return squares / 2 / Double(span.rawValue)
  }

  /// Returns the delay that an event would not exceed in a share `p` of all moments of `span`. The delay is 0 while
  /// the loop waits, and the rest of the busy interval while it is busy.
  ///
  /// The share of moments that wait longer than x is the sum of max(0, length - x) over `span`. This function is
  /// linear between two lengths, so the result is computed, not sampled.
  package func delay(_ p: Double, of span: Length) -> Length {
    guard span > .zero else { return .zero }
    let allowed = (1 - p) * Double(span.rawValue)
    var longer = 0.0
    var longerSum = 0.0
    forEachBucket { _, bucket in
      // The value at x = mean, counting only the longer intervals.
      if longerSum - longer * bucket.mean > allowed { return false }
      longer += Double(bucket.count)
      longerSum += Double(bucket.sum.rawValue)
      return true
    }
    guard longer > 0 else { return .zero }
    let delay = (longerSum - allowed) / longer
    return delay <= 0 ? .zero : min(Length(UInt64(clamping: delay.rounded())), maximum)
  }
}
