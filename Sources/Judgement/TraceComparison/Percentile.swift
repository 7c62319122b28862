import TraceAnalysis

/// Selects the percentile that shows a difference best.
enum Percentile {
  /// The percentiles that a distribution stores.
  private static let familiar: [(percent: Int, value: KeyPath<Distribution, UInt64> & Sendable)] = [
    (50, \.p50), (90, \.p90), (99, \.p99),
  ]

  /// Returns the first relevantly different percentile in the direction of the effect: the median, then p90 and p99,
  /// then all others, then the mean. Returns nil if there is none.
  static func telling(
    _ compared: ComparedDistribution, _ relevant: RelevantDifference, isWorse: Bool
  ) -> (name: String, base: UInt64, new: UInt64)? {
    let first = familiar.map(\.percent)
    let all = first + (1..<99).filter { !first.contains($0) }.ordered { abs($0 - 50) < abs($1 - 50) }
    for percent in all {
      let (base, new) = (value(percent, compared.base), value(percent, compared.new))
      if isWorse ? relevant.separates(base, new) : relevant.separates(new, base) {
        return (percent == 50 ? "median" : "p\(percent)", base, new)
      }
    }
    let means = (compared.base.mean, compared.new.mean)
    return (isWorse ? relevant.separates(means.0, means.1) : relevant.separates(means.1, means.0))
      ? ("mean", means.0, means.1) : nil
  }

  /// Returns the smallest value that the given share of the values does not exceed.
  private static func value(_ percent: Int, _ distribution: Distribution) -> UInt64 {
    if let known = familiar.first(where: { $0.percent == percent }) {
      return distribution[keyPath: known.value]
    }
    let wanted = Double(percent) / 100 * Double(distribution.count)
    var seen = 0.0
    for bucket in distribution.buckets {
      seen += Double(bucket.count)
      if seen >= wanted { return bucket.middleNs }
    }
    return distribution.max
  }
}

extension Distribution {
  fileprivate var mean: UInt64 { count == 0 ? 0 : sum / count }
}
