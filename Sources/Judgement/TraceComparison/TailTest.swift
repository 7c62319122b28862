import Foundation
import TraceAnalysis

/// Fisher's exact test of the number of long values in two distributions: whether one trace has a longer tail.
///
/// The thresholds depend on the values of both traces together, not on the trace that a value belongs to. If the
/// values of both traces come from one distribution, the number of long values in NEW is therefore hypergeometric,
/// whatever that distribution and the number of values are. A single long value is equally likely in either trace.
package struct TailTest: Sendable, Equatable {
  /// The minimum length of a long value, in nanoseconds.
  package let thresholdNs: UInt64
  /// The numbers of long values.
  package let longInBase: UInt64
  package let longInNew: UInt64
  /// The shares of long values.
  let shareInBase: Double
  let shareInNew: Double
  /// Two-sided, corrected for the number of thresholds. It treats values as independent.
  package let pValue: Double

  /// The bound on `pValue` for a difference beyond chance. It is stricter than that of `RankTest`, because rare long
  /// values also come from other work on the machine.
  package static let significance = 0.01
  /// The minimum number of long values on the side with more of them.
  static let fewest: UInt64 = 5
  /// The places of the thresholds between the median and the longest value, on a logarithmic scale.
  private static let places = [0.5, 0.75]

  /// Creates the test with the threshold that shows the difference best. Returns nil if one of the distributions has
  /// no values, or if no threshold is relevantly longer than the median of both. O(buckets).
  init?(base: [Distribution.Bucket], new: [Distribution.Bucket], relevant: RelevantDifference) {
    let m = Self.count(base), n = Self.count(new)
    guard m > 0, n > 0, let (median, longest) = Self.medianAndLongest(base, new) else { return nil }
    let thresholds = Self.places.map { place in
      UInt64(
        clamping: min(1e18, pow(Double(max(median, 1)), 1 - place) * pow(Double(max(longest, 1)), place)))
    }.filter { relevant.separates(median, $0) }
    let tests = thresholds.map { threshold in
      let long = (base: Self.count(base, from: threshold), new: Self.count(new, from: threshold))
      let marked = Double(long.base) + Double(long.new)
      let p = Hypergeometric(marked: marked, others: Double(m) + Double(n) - marked, drawn: Double(n))
        .twoSided(Double(long.new))
      return TailTest(
        thresholdNs: threshold, longInBase: long.base, longInNew: long.new,
        shareInBase: Double(long.base) / Double(m), shareInNew: Double(long.new) / Double(n),
        pValue: min(1, p * Double(thresholds.count)))
    }
    guard let telling = tests.min(by: { $0.pValue < $1.pValue }) else { return nil }
    self = telling
  }

  private init(
    thresholdNs: UInt64, longInBase: UInt64, longInNew: UInt64, shareInBase: Double, shareInNew: Double,
    pValue: Double
  ) {
    self.thresholdNs = thresholdNs
    self.longInBase = longInBase
    self.longInNew = longInNew
    self.shareInBase = shareInBase
    self.shareInNew = shareInNew
    self.pValue = pValue
  }

  /// Whether NEW has the larger share of long values.
  package var isWorse: Bool { shareInNew > shareInBase }

  /// Whether one side has at least twice the share of long values, and that is unlikely to be chance.
  var isSignificant: Bool {
    pValue < Self.significance && (isWorse ? longInNew : longInBase) >= Self.fewest
      && max(shareInBase, shareInNew) >= 2 * min(shareInBase, shareInNew)
  }

  private static func count(_ buckets: [Distribution.Bucket], from threshold: UInt64 = 0) -> UInt64 {
    buckets.reduce(0) { $1.middleNs >= threshold ? $0.saturated(adding: $1.count) : $0 }
  }

  /// Returns the median and the longest value of both sides together.
  private static func medianAndLongest(
    _ base: [Distribution.Bucket], _ new: [Distribution.Bucket]
  ) -> (median: UInt64, longest: UInt64)? {
    let values = (base + new).map { (ns: $0.middleNs, count: $0.count) }.ordered { $0.ns < $1.ns }
    let all = values.reduce(0) { $0 + Double($1.count) }
    var seen = 0.0
    let median = values.first { value in
      seen += Double(value.count)
      return seen * 2 >= all
    }
    guard let median, let longest = values.last else { return nil }
    return (median.ns, longest.ns)
  }
}

/// The number of marked values among values that are drawn at random from marked and other ones.
struct Hypergeometric {
  let marked: Double
  let others: Double
  /// At most `marked + others`.
  let drawn: Double

  /// Returns twice the probability of a number that is at least as far from the expected one in the same direction, at
  /// most 1. O(standard deviation).
  func twoSided(_ number: Double) -> Double {
    let all = marked + others
    let (least, most) = (max(0, drawn - others), min(marked, drawn))
    guard least < most else { return 1 }
    let mean = drawn * marked / all
    let deviation = (mean * others / all * (all - drawn) / max(all - 1, 1)).squareRoot()
    if deviation > Self.many { return erfc(max(0, abs(number - mean) - 0.5) / deviation / 2.0.squareRoot()) }
    let mode = min(most, max(least, ((drawn + 1) * (marked + 1) / (all + 2)).rounded(.down)))
    // Weights relative to the most likely number. Weights far from it are negligible.
    var sum = 1.0
    var fewer = mode <= number ? 1.0 : 0.0
    var more = mode >= number ? 1.0 : 0.0
    func add(_ weight: Double, _ at: Double) {
      sum += weight
      if at <= number { fewer += weight }
      if at >= number { more += weight }
    }
    var weight = 1.0
    var at = mode
    while at < most, weight > Self.negligible {
      weight *= (marked - at) * (drawn - at)
      at += 1
      weight /= at * (others - drawn + at)
      add(weight, at)
    }
    (weight, at) = (1, mode)
    while at > least, weight > Self.negligible {
      weight *= at * (others - drawn + at)
      at -= 1
      weight /= (marked - at) * (drawn - at)
      add(weight, at)
    }
    return min(1, 2 * min(fewer, more) / sum)
  }

  private static let negligible = 1e-30
  /// The standard deviation above which the normal distribution is used instead.
  private static let many = 10_000.0
}
