import Foundation
import TraceAnalysis

/// Says how much of a difference two numbers are.
struct Yardstick {
  let relevant: RelevantDifference
  /// Of the traces, nanoseconds.
  let lengths: (base: UInt64, new: UInt64)

  /// Skipped fires are faults: relevant from one in a hundred of the due ones on.
  static let skippedShare = 0.01
  /// What is neither good nor bad: from one in twenty on.
  static let share = 0.05

  /// Things that happen in time: both in number and in rate relevantly apart, and not by what may be chance.
  func counts(_ base: UInt64, _ new: UInt64) -> Difference {
    guard base != new else { return .none }
    guard isApart(Double(base), Double(new), Double(lengths.base), Double(lengths.new)) else { return .minor }
    // How many of all would be NEW's by its length: a binomial distribution, and its normal approximation.
    let all = Double(base) + Double(new)
    let share = Double(lengths.new) / max(Double(lengths.base) + Double(lengths.new), 1)
    let deviation = (all * share * (1 - share)).squareRoot()
    let z = max(0, abs(Double(new) - all * share) - 0.5) / max(deviation, .leastNormalMagnitude)
    return erfc(z / 2.0.squareRoot()) < ComparedDistribution.significance ? .relevant : .minor
  }

  /// What is part of a whole, by its share of it: from `least` on.
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

  /// Spans above a threshold: any that is more, for they are faults; not those that are only just above it. When the
  /// lengths differ by much, only where the rate differs the same way.
  func spans(_ base: SpanCount, _ new: SpanCount) -> Difference {
    guard base.count != new.count else { return .none }
    let isMore = new.count > base.count
    let (fewer, more) = isMore ? (base, new) : (new, base)
    guard more.count > fewer.nearly, relevant.separates(rate: Double(fewer.count), Double(more.count)) else {
      return .minor
    }
    guard differByMuch(lengths) else { return .relevant }
    return isShareMore(new.count, lengths.new, than: base.count, lengths.base) == isMore ? .relevant : .minor
  }

  /// The longest of something is one value, which no repetition confirms.
  static let singleShare = 0.25

  /// Two lengths of time that stand alone.
  func single(_ base: UInt64, _ new: UInt64) -> Difference {
    guard base != new else { return .none }
    var coarse = relevant
    coarse.share = max(relevant.share, Self.singleShare)
    return coarse.separates(min(base, new), max(base, new)) ? .relevant : .minor
  }

  /// Sums of few lengths of time; when the lengths of the recordings differ by much, only where the rate differs the
  /// same way.
  func sum(_ base: UInt64, _ new: UInt64) -> Difference {
    let difference = single(base, new)
    guard difference == .relevant, differByMuch(lengths) else { return difference }
    return isShareMore(new, lengths.new, than: base, lengths.base) == (new > base) ? .relevant : .minor
  }

  /// The sums, both as they are and as shares of the traces' lengths.
  func times(_ base: CalloutTimes, _ new: CalloutTimes) -> Difference {
    guard base.timeNs != new.timeNs else { return .none }
    let share = shares(
      base.timeNs, of: lengths.base, new.timeNs, of: lengths.new, least: max(relevant.share, 0.01))
    let isApart = isApart(
      Double(base.timeNs), Double(new.timeNs), Double(lengths.base), Double(lengths.new))
    return share == .relevant && isApart ? .relevant : .minor
  }

  /// In number and per length, the same way.
  private func isApart(_ base: Double, _ new: Double, _ baseLength: Double, _ newLength: Double) -> Bool {
    let rates = (base: base / max(baseLength, 1), new: new / max(newLength, 1))
    return new > base
      ? relevant.separates(rate: base, new) && relevant.separates(rate: rates.base, rates.new)
      : relevant.separates(rate: new, base) && relevant.separates(rate: rates.new, rates.base)
  }
}

/// Spans above a threshold.
struct SpanCount {
  var count: UInt64 = 0
  /// With those that are shorter by less than a relevant difference.
  var nearly: UInt64 = 0
}

/// By share, not by count: a longer recording has more of everything.
func isShareMore(_ part: UInt64, _ whole: UInt64, than other: UInt64, _ otherWhole: UInt64) -> Bool {
  Double(part) * Double(max(otherWhole, 1)) > Double(other) * Double(max(whole, 1))
}
