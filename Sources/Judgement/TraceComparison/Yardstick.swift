import Foundation
import TraceAnalysis

/// Judges the difference between two numbers.
struct Yardstick {
  let relevant: RelevantDifference
  /// The lengths of the traces in nanoseconds.
  let lengths: (base: UInt64, new: UInt64)

  /// The smallest relevant difference in the share of skipped fires: one in a hundred due fires.
  static let skippedShare = 0.01
  /// The smallest relevant difference in shares that are neither good nor bad: one in twenty.
  static let share = 0.05

  /// Compares counts of things that happen over time. Relevant if both numbers and rates differ relevantly, and the
  /// difference is unlikely to be chance.
  func counts(_ base: UInt64, _ new: UInt64) -> Difference {
    guard base != new else { return .none }
    guard isApart(Double(base), Double(new), Double(lengths.base), Double(lengths.new)) else { return .minor }
    // Under the null hypothesis, NEW's part of all is binomially distributed by the lengths. Uses the normal
    // approximation.
    let all = Double(base) + Double(new)
    let share = Double(lengths.new) / max(Double(lengths.base) + Double(lengths.new), 1)
    let deviation = (all * share * (1 - share)).squareRoot()
    let z = max(0, abs(Double(new) - all * share) - 0.5) / max(deviation, .leastNormalMagnitude)
    return erfc(z / 2.0.squareRoot()) < ComparedDistribution.significance ? .relevant : .minor
  }

  /// The factor and the difference from which two peaks differ relevantly.
  static let peakFactor = 2.0
  static let peakDifference: UInt64 = 10

  /// Compares the greatest of many numbers. It is a single value that no repetition confirms.
  func peaks(_ base: UInt64, _ new: UInt64) -> Difference {
    guard base != new else { return .none }
    let (less, more) = (min(base, new), max(base, new))
    return more &- less >= Self.peakDifference
      && Double(more) >= Self.peakFactor * Double(less) * relevant.stretch ? .relevant : .minor
  }

  /// Compares shares of a whole. Relevant if they differ by at least `least`.
  func shares(
    _ base: UInt64, of baseWhole: UInt64, _ new: UInt64, of newWhole: UInt64, least: Double
  ) -> Difference {
    let shares = (
      base: Double(base) / Double(max(baseWhole, 1)), new: Double(new) / Double(max(newWhole, 1))
    )
    let (less, more) = (min(shares.base, shares.new), max(shares.base, shares.new))
    if more - less >= least, relevant.separates(rate: less, more) { return .relevant }
    return base == new ? .none : .minor
  }

  /// Compares faults as shares of a whole. Relevant if the shares differ relevantly, and that is unlikely to be chance.
  func faults(_ base: UInt64, of baseWhole: UInt64, _ new: UInt64, of newWhole: UInt64) -> Difference {
    let difference = shares(base, of: baseWhole, new, of: newWhole, least: Self.skippedShare)
    guard difference == .relevant, baseWhole > 0, newWhole > 0 else { return difference }
    let marked = Double(base) + Double(new)
    let chance = Hypergeometric(
      marked: marked, others: max(0, Double(baseWhole) + Double(newWhole) - marked), drawn: Double(newWhole)
    ).twoSided(Double(new))
    return chance < TailTest.significance ? .relevant : .minor
  }

  /// Compares spans above a threshold. They are faults, so any increase is relevant, unless it consists of spans just
  /// above the threshold. If the lengths of the recordings differ greatly, the rate must differ in the same
  /// direction.
  func spans(_ base: SpanCount, _ new: SpanCount) -> Difference {
    guard base.count != new.count else { return .none }
    let isMore = new.count > base.count
    let (fewer, more) = isMore ? (base, new) : (new, base)
    guard more.certain > fewer.nearly, Double(more.certain) >= Double(fewer.count) * (1 + relevant.share)
    else { return .minor }
    // More spans that take less time together are neither better nor worse; their time decides.
    guard fewer.timeNs <= more.timeNs else { return .minor }
    guard differByMuch(lengths) else { return .relevant }
    return isShareMore(new.count, lengths.new, than: base.count, lengths.base) == isMore ? .relevant : .minor
  }

  /// Compares the total times of spans above a threshold, when more of them take less time together.
  func times(_ base: SpanCount, _ new: SpanCount) -> Difference {
    guard base.count > 0, new.count > 0, (new.count > base.count) != (new.timeNs > base.timeNs) else {
      return .none
    }
    return sum(base.timeNs, new.timeNs)
  }

  /// Larger than `share`, because a longest value is a single value that no repetition confirms.
  static let singleShare = 0.25

  /// Compares two single lengths of time.
  func single(_ base: UInt64, _ new: UInt64) -> Difference {
    guard base != new else { return .none }
    var coarse = relevant
    coarse.share = max(relevant.share, Self.singleShare)
    return coarse.separates(min(base, new), max(base, new)) ? .relevant : .minor
  }

  /// Compares sums of a few lengths of time. If the lengths of the recordings differ greatly, the rate must differ in
  /// the same direction.
  func sum(_ base: UInt64, _ new: UInt64) -> Difference {
    let difference = single(base, new)
    guard difference == .relevant, differByMuch(lengths) else { return difference }
    return isShareMore(new, lengths.new, than: base, lengths.base) == (new > base) ? .relevant : .minor
  }

  /// Compares sums of callout times, both directly and as shares of the traces' lengths.
  func times(_ base: CalloutTimes, _ new: CalloutTimes) -> Difference {
    guard base.timeNs != new.timeNs else { return .none }
    let share = shares(
      base.timeNs, of: lengths.base, new.timeNs, of: lengths.new, least: max(relevant.share, 0.01))
    let isApart = isApart(
      Double(base.timeNs), Double(new.timeNs), Double(lengths.base), Double(lengths.new))
    return share == .relevant && isApart ? .relevant : .minor
  }

  /// Returns whether both the numbers and their rates differ relevantly in the same direction.
  private func isApart(_ base: Double, _ new: Double, _ baseLength: Double, _ newLength: Double) -> Bool {
    let rates = (base: base / max(baseLength, 1), new: new / max(newLength, 1))
    return new > base
      ? relevant.separates(rate: base, new) && relevant.separates(rate: rates.base, rates.new)
      : relevant.separates(rate: new, base) && relevant.separates(rate: rates.new, rates.base)
  }
}

/// The number of spans above a threshold.
struct SpanCount {
  var count: UInt64 = 0
  /// Includes spans that are shorter by less than a relevant difference.
  var nearly: UInt64 = 0
  /// Leaves out spans that a lack of processor time may have lengthened beyond the threshold.
  var certain: UInt64 = 0
  /// The total time of the spans that `count` counts.
  var timeNs: UInt64 = 0

  func adding(_ other: SpanCount) -> SpanCount {
    SpanCount(
      count: count &+ other.count, nearly: nearly &+ other.nearly, certain: certain &+ other.certain,
      timeNs: timeNs.saturated(adding: other.timeNs))
  }
}

/// Returns whether the first share is larger. Shares are compared because a longer recording has more of everything.
func isShareMore(_ part: UInt64, _ whole: UInt64, than other: UInt64, _ otherWhole: UInt64) -> Bool {
  Double(part) * Double(max(otherWhole, 1)) > Double(other) * Double(max(whole, 1))
}
