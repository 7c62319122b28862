import Foundation
import TraceAnalysis

/// How big a difference between two distributions is, by the usual thresholds of Cliff's delta.
public enum Effect: Int, Sendable, CaseIterable, Comparable {
  case negligible, small, medium, large

  public init(delta: Double) {
    switch abs(delta) {
    case ..<0.147: self = .negligible
    case ..<0.33: self = .small
    case ..<0.474: self = .medium
    default: self = .large
    }
  }

  public var name: String { "\(self)" }
  public static func < (a: Effect, b: Effect) -> Bool { a.rawValue < b.rawValue }
}

/// The Mann–Whitney U test (normal approximation, corrected for ties and continuity) and Cliff's delta, of two
/// distributions whose values within one bucket are ties.
public struct RankTest: Sendable, Equatable {
  /// Pairs (a value of NEW, one of BASE) in which NEW's is longer; equal ones count half.
  public let u: Double
  public let z: Double
  /// Two-sided. The values of one run depend on each other, so a small one claims more than is known.
  public let pValue: Double
  /// −1…1: the share of pairs in which NEW's value is longer less that in which it is shorter.
  public let delta: Double
  public var effect: Effect { Effect(delta: delta) }

  /// Nil when one of them has no values. O(buckets).
  public init?(base: [Distribution.Bucket], new: [Distribution.Bucket]) {
    let m = base.reduce(0) { $0 + Double($1.count) }
    let n = new.reduce(0) { $0 + Double($1.count) }
    guard m > 0, n > 0 else { return nil }
    var u = 0.0
    var ties = 0.0
    var shorterInBase = 0.0
    var i = 0
    var j = 0
    while i < base.count || j < new.count {
      let value = min(
        i < base.count ? base[i].middleNs : .max, j < new.count ? new[j].middleNs : .max)
      var a = 0.0
      var b = 0.0
      while i < base.count, base[i].middleNs == value {
        a += Double(base[i].count)
        i += 1
      }
      while j < new.count, new[j].middleNs == value {
        b += Double(new[j].count)
        j += 1
      }
      u += b * (shorterInBase + a / 2)
      shorterInBase += a
      let equal = a + b
      ties += equal * (equal * equal - 1)
    }
    let all = m + n
    let variance = m * n / 12 * (all + 1 - (all > 1 ? ties / (all * (all - 1)) : 0))
    let distance = u - m * n / 2
    self.u = u
    delta = 2 * u / (m * n) - 1
    // All values equal: nothing to tell apart.
    z = variance > 0 ? max(0, abs(distance) - 0.5) / variance.squareRoot() * (distance < 0 ? -1 : 1) : 0
    pValue = erfc(abs(z) / 2.0.squareRoot())
  }
}
