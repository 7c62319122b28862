/// A batch of lengths and their buckets. Finding the buckets for a whole batch takes a third of the time.
struct BucketedLengths: ~Copyable {
  /// The maximum number of lengths in a batch.
  static let most = 64

  private let lengths = Rows(repeating: Length.zero, count: BucketedLengths.most)
  /// The same lengths in 32 bits, used if all of them fit.
  private let small = Rows<Int32>(repeating: 0, count: BucketedLengths.most)
  private let buckets = Rows<Int32>(repeating: 0, count: BucketedLengths.most)
  private(set) var count = 0
  private(set) var sum = Length.zero

  subscript(index: Int) -> Length { @inline(__always) get { lengths[index] } }

  /// Returns the bucket of a length, below `LogBuckets.count`.
  @inline(__always)
  func bucket(_ index: Int) -> Int { Int(buckets[index]) }

  /// Replaces the batch with `number` lengths, at most `most`.
  @inline(__always)
  mutating func take(_ number: Int, findBuckets: Bool = true, _ length: (Int) -> Length) {
    assert(number <= BucketedLengths.most)
    let (place, small) = (lengths.address(0), small.address(0))
    var all = Length.zero
    var bits: UInt64 = 0
    for i in 0..<number {
      let length = length(i)
      place.advanced(by: i).pointee = length
      all &+= length
      guard findBuckets else { continue }
      small.advanced(by: i).pointee = Int32(truncatingIfNeeded: length.rawValue)
      bits |= length.rawValue
    }
    (count, sum) = (number, all)
    if findBuckets { self.findBuckets(areSmall: bits <= UInt64(Int32.max)) }
  }

  @inline(never)
  private func findBuckets(areSmall: Bool) {
    // SAFETY: each has room for `most` elements, a multiple of eight.
    let (lengths, small, buckets) = unsafe (lengths.pointer(0), small.pointer(0), buckets.pointer(0))
    if areSmall {
      // Batches of eight without branches, so that the compiler vectorizes the loop.
      for i in 0..<(count &+ 7) & ~7 { unsafe buckets[i] = LogBuckets.index(small[i]) }
    } else {
      for i in 0..<count { unsafe buckets[i] = Int32(truncatingIfNeeded: LogBuckets.index(lengths[i])) }
    }
  }
}
