import TestSupport
import Testing

@testable import TraceReplay

/// Buckets found together are those found one by one.
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
      // Where the bits that count change, and where rounding a Float would carry into them.
      let step = max(power >> 7, 1)
      let values = [0, power - 1, power, power + step - 1, power + step, 2 * power - step, 2 * power - 1]
      expectSame(values.filter { $0 <= UInt64(Int32.max) })
    }
    // All of them, where one is too long for the quick way.
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
