import Foundation
import TestSupport
import Testing
import TraceAnalysis

@testable import TraceComparison

/// The test of long values.
@Suite struct TailTestTests {
  private func distribution(_ values: [UInt64]) -> Distribution {
    var counts: [UInt64: UInt64] = [:]
    for value in values { counts[value, default: 0] += 1 }
    var distribution = Distribution()
    let sorted = values.sorted()
    guard let least = sorted.first, let most = sorted.last else { return distribution }
    distribution.count = UInt64(values.count)
    distribution.sum = values.reduce(0, +)
    (distribution.min, distribution.max) = (least, most)
    func percentile(_ perMille: Int) -> UInt64 {
      sorted[min(sorted.count - 1, sorted.count * perMille / 1000)]
    }
    (distribution.p50, distribution.p90) = (percentile(500), percentile(900))
    (distribution.p99, distribution.p999) = (percentile(990), percentile(999))
    distribution.buckets = counts.sorted { $0.key < $1.key }.map {
      Distribution.Bucket(lowNs: $0.key, highNs: $0.key, count: $0.value)
    }
    return distribution
  }

  private func compare(_ base: [UInt64], _ new: [UInt64]) -> ComparedDistribution {
    ComparedDistribution(.mainQueueWait, isWork: false, distribution(base), distribution(new), .standard)
  }

  private func values(_ short: Int, _ long: Int, of ns: UInt64 = 300_000_000) -> [UInt64] {
    (0..<short).map { 10_000 + UInt64($0 % 7) * 100 } + Array(repeating: ns, count: long)
  }

  /// Calculated by hand: two of ten values are marked, and five are drawn.
  @Test func exactProbabilities() {
    let two = Hypergeometric(marked: 2, others: 8, drawn: 5)
    // Both are drawn with probability 10/45, and none with probability 10/45.
    #expect(abs(two.twoSided(2) - 2 * 10 / 45) < 1e-12 && abs(two.twoSided(0) - 2 * 10 / 45) < 1e-12)
    #expect(two.twoSided(1) == 1)
    // Ten marked values, all on one side of two equal sides of 1000: nearly 2 / 2^10.
    let ten = Hypergeometric(marked: 10, others: 1990, drawn: 1000).twoSided(10)
    #expect(ten > 0.0018 && ten < 2.0 / 1024)
    for impossible in [
      Hypergeometric(marked: 0, others: 9, drawn: 4), Hypergeometric(marked: 9, others: 0, drawn: 4),
    ] {
      #expect(impossible.twoSided(0) == 1 && impossible.twoSided(4) == 1)
    }
    // The normal approximation of many values agrees with the sum.
    let many = Hypergeometric(marked: 1e9, others: 1e9, drawn: 1e9)
    let deviations = (many.twoSided(5e8), many.twoSided(5e8 + 1.96 * 11_180))
    #expect(deviations.0 > 0.99 && abs(deviations.1 - 0.05) < 0.001)
  }

  /// One block in five waits long in BASE, none in NEW. By ranks, that is a small effect.
  @Test func aTailThatIsGone() throws {
    let compared = compare(values(560, 140), values(700, 0))
    #expect(compared.differenceByRanks < .relevant && compared.hasOtherTail && compared.isOfTail)
    #expect(compared.difference == .relevant && !compared.isWorse)
    let tail = try #require(compared.tailTest)
    #expect(tail.longInBase == 140 && tail.longInNew == 0 && tail.pValue < 1e-6)
    let back = compare(values(700, 0), values(560, 140))
    #expect(back.difference == .relevant && back.isWorse && back.isOfTail)
  }

  /// Few long values, however long, never decide; nor do long values that both sides have.
  @Test(arguments: [
    (700, 0, 700, 1), (700, 0, 700, 4), (5000, 0, 20, 1), (100_000, 0, 30, 4), (700, 20, 700, 24),
    (1, 0, 1, 1),
    (600, 30, 60, 3),
  ])
  func tooFewLongValues(short: Int, long: Int, newShort: Int, newLong: Int) {
    #expect(!compare(values(short, long), values(newShort, newLong)).hasOtherTail)
    #expect(!compare(values(newShort, newLong), values(short, long)).hasOtherTail)
  }

  /// Long values are not relevant if they are not much longer than the others, or if they are rarer than one in a
  /// hundred.
  @Test func irrelevantTails() {
    #expect(!compare(values(560, 140, of: 60_000), values(700, 0)).hasOtherTail)
    #expect(!compare(values(560, 140, of: 900_000), values(700, 0)).hasOtherTail)
    #expect(compare(values(560, 140, of: 1_300_000), values(700, 0)).hasOtherTail)
    #expect(!compare(values(20_000, 60), values(20_000, 0)).hasOtherTail)
  }

  /// Both sides of each comparison are drawn from the same distribution, so each discovery is false. Sizes differ, and
  /// the tails are heavy.
  @Test(.optimizedBuild) func discoveriesBetweenHalvesOfOneProcess() {
    var random = SeededGenerator(seed: 42)
    func uniform() -> Double { Double(random.next() >> 11) / Double(1 << 53) }
    let shapes: [(Double) -> Double] = [
      // Pareto with an infinite mean; lognormal with a wide body; one value in 50 hangs.
      { 10_000 / (1 - $0) }, { 20_000 * exp(3 * ($0 + uniform() + uniform() + uniform() - 2) * 1.7) },
      { $0 < 0.98 ? 10_000 + 5000 * $0 : 300_000_000 * (1 + uniform()) },
    ]
    let sizes = [(5, 5), (20, 20), (200, 200), (300, 30), (1000, 12), (1000, 1000)]
    let repetitions = 150
    for (number, shape) in shapes.enumerated() {
      var discoveries = 0
      var significant = 0
      for (m, n) in sizes {
        for _ in 0..<repetitions {
          func side(_ count: Int) -> [UInt64] {
            (0..<count).map { _ in UInt64(min(1e18, max(1, shape(uniform())))) }
          }
          let compared = compare(side(m), side(n))
          discoveries += compared.hasOtherTail ? 1 : 0
          significant += (compared.tailTest?.pValue ?? 1) < TailTest.significance ? 1 : 0
        }
      }
      let level = TailTest.significance * Double(sizes.count * repetitions)
      // By chance, significant tests may exceed the level by up to three standard deviations. Discoveries must not.
      #expect(
        Double(significant) <= level + 3 * level.squareRoot(), "shape \(number): \(significant) of \(level)")
      #expect(Double(discoveries) <= level, "shape \(number): \(discoveries) of \(level)")
    }
  }

  // MARK: Too few values

  @Test(arguments: [
    (1, 1, true), (1, 1000, true), (2, 2, true), (3, 3, true), (4, 4, false), (20, 20, false),
  ])
  func tooFewValues(base: Int, new: Int, isTooFew: Bool) {
    let compared = compare(
      (0..<base).map { 1_000_000 + UInt64($0) * 50_000 },
      (0..<new).map { 900_000_000 + UInt64($0) * 90_000_000 })
    #expect(compared.isTooFew == isTooFew && (compared.difference == .none) == isTooFew)
    let none = compare([], [1])
    #expect(!none.isTooFew && none.tailTest == nil)
  }
}

/// Missed fires as shares of the due points.
@Suite struct FaultTests {
  @Test(arguments: [
    (15, 184, 12, 181, Difference.minor), (10, 181, 21, 184, .minor), (0, 600, 2, 600, .minor),
    (17, 181, 59, 181, .relevant), (0, 20, 10, 20, .relevant), (0, 0, 5, 20, .relevant),
  ])
  func sharesThatMayBeChance(
    base: UInt64, baseDue: UInt64, new: UInt64, newDue: UInt64, expected: Difference
  ) {
    let yardstick = Yardstick(relevant: .standard, lengths: (1, 1))
    #expect(yardstick.faults(base, of: baseDue, new, of: newDue) == expected)
    #expect(yardstick.faults(new, of: newDue, base, of: baseDue) == expected)
  }
}
