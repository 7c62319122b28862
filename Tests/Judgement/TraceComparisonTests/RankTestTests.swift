import TestSupport
import Testing
import TraceAnalysis
import TraceComparison

/// The rank test against values from scipy.stats.mannwhitneyu(method="asymptotic", use_continuity=True) and by hand.
@Suite struct RankTestTests {
  private func buckets(_ values: [Int]) -> [Distribution.Bucket] {
    var counts: [Int: UInt64] = [:]
    for value in values { counts[value, default: 0] += 1 }
    return counts.sorted { $0.key < $1.key }.map {
      Distribution.Bucket(lowNs: UInt64($0.key), highNs: UInt64($0.key), count: $0.value)
    }
  }

  private func test(_ base: [Int], _ new: [Int]) throws -> RankTest {
    try #require(RankTest(base: buckets(base), new: buckets(new)))
  }

  /// By hand: all nine pairs are longer, so U = 9 and delta = 1; variance 3·3·7/12 = 5.25; z = (4.5 − 0.5)/√5.25.
  @Test func apart() throws {
    let result = try test([1, 2, 3], [4, 5, 6])
    #expect(result.u == 9 && result.delta == 1 && result.effect == .large)
    #expect(abs(result.z - 4 / 5.25.squareRoot()) < 1e-12)
    #expect(abs(result.pValue - 0.08085559837005224) < 1e-9)
    let back = try test([4, 5, 6], [1, 2, 3])
    #expect(back.u == 0 && back.delta == -1 && abs(back.z + result.z) < 1e-12 && back.pValue == result.pValue)
  }

  @Test func ties() throws {
    let few = try test([1, 2, 2, 3], [2, 3, 3, 4, 5])
    #expect(few.u == 17 && abs(few.delta - 0.7) < 1e-12)
    #expect(abs(few.pValue - 0.09934224785346528) < 1e-9)
    let near = try test([1, 1, 1, 2, 5, 9, 9], [1, 2, 2, 2, 9])
    #expect(near.u == 18 && near.pValue == 1 && near.effect == .negligible)
  }

  @Test func many() throws {
    let result = try test((0..<200).map { $0 % 17 }, (0..<150).map { $0 * 7 % 23 })
    #expect(result.u == 18928.5 && abs(result.delta - 0.2619) < 1e-9 && result.effect == .small)
    #expect(abs(result.pValue - 2.6879293072144957e-05) < 1e-12)
  }

  @Test func equalDistributions() throws {
    let equal = try test(Array(repeating: 10, count: 5), Array(repeating: 10, count: 7))
    #expect(equal.u == 17.5 && equal.delta == 0 && equal.pValue == 1 && equal.z == 0)
    #expect(RankTest(base: [], new: buckets([1])) == nil)
    #expect(RankTest(base: buckets([1]), new: []) == nil)
    let one = try test([5], [5])
    #expect(one.pValue == 1 && one.delta == 0)
  }

  @Test(arguments: [
    (0.0, Effect.negligible), (0.146, .negligible), (0.147, .small), (-0.329, .small), (0.33, .medium),
    (-0.473, .medium), (0.474, .large), (-1, .large),
  ])
  func thresholds(delta: Double, effect: Effect) { #expect(Effect(delta: delta) == effect) }

  /// Compares the results with those of counting each pair.
  @Test func againstCounting() throws {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<200 {
      let base = (0..<(1 + random.next() % 12)).map { _ in Int(random.next() % 6) }
      let new = (0..<(1 + random.next() % 12)).map { _ in Int(random.next() % 6) }
      var u = 0.0
      for a in base { for b in new { u += b > a ? 1 : b == a ? 0.5 : 0 } }
      let result = try test(base, new)
      #expect(result.u == u)
      #expect(abs(result.delta - (2 * u / Double(base.count * new.count) - 1)) < 1e-12)
      #expect(result.pValue >= 0 && result.pValue <= 1)
    }
  }

  // MARK: With a smallest relevant difference

  private let relevant = RelevantDifference.standard

  /// 1.13 ms against 1.11 ms: always longer, but not relevant.
  @Test func closeValuesCountAsEqual() throws {
    let base = (0..<100).map { 1_110_000 + $0 * 10 }
    let new = (0..<100).map { 1_130_000 + $0 * 10 }
    #expect(try test(base, new).effect == .large)
    let result = try #require(RankTest(base: buckets(base), new: buckets(new), relevant: relevant))
    #expect(result.delta == 0 && result.pValue == 1 && result.u == 5000)
  }

  /// 100 µs are relevant below 2 ms, 5 % above.
  @Test(arguments: [
    (1_000_000, 1_099_999, false), (1_000_000, 1_100_000, true), (2_000_000, 2_100_000, true),
    (10_000_000, 10_499_999, false), (10_000_000, 10_500_000, true), (0, 99_999, false), (0, 100_000, true),
    (5, 5, false),
  ])
  func bounds(shorter: Int, longer: Int, isRelevant: Bool) throws {
    let test = try #require(RankTest(base: buckets([shorter]), new: buckets([longer]), relevant: relevant))
    #expect(test.delta == (isRelevant ? 1 : 0))
    let back = try #require(RankTest(base: buckets([longer]), new: buckets([shorter]), relevant: relevant))
    #expect(back.delta == -test.delta)
  }

  /// Compares delta with counting pairs, and the variance with all ways to divide the values between two sides.
  @Test func againstAllPermutations() throws {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<40 {
      let relevant = RelevantDifference(
        share: Double(random.next() % 3) * 0.2, ns: random.next() % 4, effect: .small)
      let m = 1 + Int(random.next() % 4)
      let n = 1 + Int(random.next() % 4)
      let values = (0..<(m + n)).map { _ in Int(random.next() % 12) }
      func net(_ isNew: (Int) -> Bool) -> Double {
        var net = 0.0
        for a in values.indices where !isNew(a) {
          for b in values.indices where isNew(b) {
            let (x, y) = (Double(values[a]), Double(values[b]))
            let bound = max(Double(relevant.ns), relevant.share * min(x, y))
            if x != y, abs(x - y) >= bound { net += y > x ? 1 : -1 }
          }
        }
        return net
      }
      let nets = (0..<(1 << (m + n))).filter { $0.nonzeroBitCount == n }.map { mask in
        net { mask >> $0 & 1 == 1 }
      }
      let deviation = (nets.reduce(0) { $0 + $1 * $1 } / Double(nets.count)).squareRoot()
      let own = net { $0 >= m }
      let result = try #require(
        RankTest(base: buckets(Array(values[..<m])), new: buckets(Array(values[m...])), relevant: relevant))
      #expect(abs(result.delta - own / Double(m * n)) < 1e-12)
      #expect(abs(nets.reduce(0, +)) < 1e-9)
      let z = deviation > 0 ? max(0, abs(own) - 1) / deviation : 0
      #expect(abs(abs(result.z) - z) < 1e-9, "\(values) \(m) \(n)")
    }
  }
}
