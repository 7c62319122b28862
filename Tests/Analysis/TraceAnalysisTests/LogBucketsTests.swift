import TestSupport
import Testing

@testable import TraceReplay

/// Finding the buckets of many values together must give the same result as finding them one by one.
@Suite struct LogBucketsTests {
  private func expectSame(_ values: [UInt64]) {
    var lengths = BucketedLengths()
    lengths.take(values.count) { Length(values[$0]) }
    for (i, value) in values.enumerated() {
      #expect(lengths.bucket(i) == LogBuckets.index(Length(value)), "of \(value) \(TestSeed.note)")
      #expect(lengths[i] == Length(value))
    }
    #expect(lengths.sum == Length(values.reduce(0, &+)))
  }

  @Test func borders() {
    for bit in 0..<31 as Range<UInt64> {
      let power = (1 as UInt64) << bit
      // Values where the bucket's bits change, and where rounding to a Float would carry into them.
      let step = max(power >> 7, 1)
      let values = [0, power - 1, power, power + step - 1, power + step, 2 * power - step, 2 * power - 1]
      expectSame(values.filter { $0 <= UInt64(Int32.max) })
    }
    // One value too long for the fast path sends all of them to the slow path.
    expectSame([5, 200, UInt64(Int32.max) + 1, 1 << 40, .max, 127, 128])
  }

  @Test func anyLengths() {
    var random = SeededGenerator(named: "lengths and buckets")
    for _ in 0..<TestRounds.value(2_000) {
      let shift = random.pick([33, 36, 40, 48, 56] as [UInt64])
      expectSame((0..<Int(random.next() % 65)).map { _ in random.next() >> shift })
    }
  }
}
