import Foundation
import TraceAnalysis

/// The size of a difference between two distributions, by the usual thresholds of Cliff's delta.
package enum Effect: Int, Sendable, CaseIterable, Comparable {
  case negligible, small, medium, large

  package init(delta: Double) {
    switch abs(delta) {
    case ..<0.147: self = .negligible
    case ..<0.33: self = .small
    case ..<0.474: self = .medium
    default: self = .large
    }
  }

  package var name: String { "\(self)" }
  package static func < (a: Effect, b: Effect) -> Bool { a.rawValue < b.rawValue }
}

/// The Mann–Whitney U test (normal approximation, corrected for ties and continuity) and Cliff's delta for two
/// distributions. Values in one bucket are ties, and so are values closer than a relevant difference.
///
/// With a relevant difference, delta is the net benefit of generalized pairwise comparisons, and the variance is
/// taken over the permutations of all values. Without one, both have their classic definitions.
package struct RankTest: Sendable, Equatable {
  /// The number of pairs (a value of NEW, one of BASE) in which NEW's is longer. Equal pairs count half.
  package let u: Double
  package let z: Double
  /// Two-sided. The values of one run are not independent, so a small p-value claims more than is known.
  package let pValue: Double
  /// −1…1: the share of pairs in which NEW's value is longer, minus the share in which it is shorter.
  package let delta: Double
  package var effect: Effect { Effect(delta: delta) }

  /// Returns nil if one of the distributions has no values. O(buckets).
  package init?(
    base: [Distribution.Bucket], new: [Distribution.Bucket], relevant: RelevantDifference = .any
  ) {
    let m = base.reduce(0) { $0 + Double($1.count) }
    let n = new.reduce(0) { $0 + Double($1.count) }
    guard m > 0, n > 0 else { return nil }
    let values = Self.together(base, new)
    // For each value, the number of shorter values minus the number of longer ones, among all values.
    let shorter = Self.counts(values) { relevant.separates($0.ns, $1.ns) }
    let longer = Self.counts(values.reversed()) { relevant.separates($1.ns, $0.ns) }
    let scores = zip(shorter, longer.reversed()).map { $0 - $1 }
    // Pairs within NEW cancel out. The rest compares NEW with BASE.
    let net = zip(values, scores).reduce(0) { $0 + $1.0.new * $1.1 }
    let squares = zip(values, scores).reduce(0) { $0 + ($1.0.base + $1.0.new) * $1.1 * $1.1 }
    let all = m + n
    let deviation = (m * n / all / (all - 1) * squares).squareRoot()
    u = (net + m * n) / 2
    delta = net / (m * n)
    // If all values are equal, there is no difference.
    z = deviation > 0 ? max(0, abs(net) - 1) / deviation * (net < 0 ? -1 : 1) : 0
    pValue = erfc(abs(z) / 2.0.squareRoot())
  }

  /// Returns the p-value of distinct values, if all values of one trace are longer than all values of the other.
  static func leastPValue(_ base: UInt64, _ new: UInt64) -> Double {
    let (m, n) = (Double(base), Double(new))
    let z = (m * n / 2 - 0.5) / (m * n * (m + n + 1) / 12).squareRoot()
    return erfc(max(0, z) / 2.0.squareRoot())
  }

  private struct Value {
    var ns: UInt64
    var base = 0.0
    var new = 0.0
  }

  /// Returns the values of both sides in ascending order.
  private static func together(_ base: [Distribution.Bucket], _ new: [Distribution.Bucket]) -> [Value] {
    let all =
      base.map { Value(ns: $0.middleNs, base: Double($0.count)) }
      + new.map { Value(ns: $0.middleNs, new: Double($0.count)) }
    return all.ordered { $0.ns < $1.ns }.reduce(into: []) { values, value in
      guard let last = values.indices.last, values[last].ns == value.ns else { return values.append(value) }
      values[last].base += value.base
      values[last].new += value.new
    }
  }

  /// Returns, for each value, how many values `isCounted` accepts. The order of `values` makes these a prefix of it.
  private static func counts(_ values: [Value], _ isCounted: (Value, Value) -> Bool) -> [Double] {
    var sum = 0.0
    var next = 0
    return values.map { value in
      while next < values.count, isCounted(values[next], value) {
        sum += values[next].base + values[next].new
        next += 1
      }
      return sum
    }
  }
}
