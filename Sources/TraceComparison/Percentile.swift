import TraceAnalysis

/// Which percentile shows a difference best.
enum Percentile {
  /// The median before rarer ones, then whatever is relevantly apart in the direction of the effect, then the
  /// mean; nil where none is.
  static func telling(
    _ compared: ComparedDistribution, _ relevant: RelevantDifference, isWorse: Bool
  ) -> (name: String, base: UInt64, new: UInt64)? {
    let familiar = [50, 90, 99]
    let all = familiar + (1..<99).filter { !familiar.contains($0) }.sorted { abs($0 - 50) < abs($1 - 50) }
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

  /// The least value that a share of the values does not exceed.
  private static func value(_ percent: Int, _ distribution: Distribution) -> UInt64 {
    switch percent {
    case 50: return distribution.p50
    case 90: return distribution.p90
    case 99: return distribution.p99
    default:
      let wanted = Double(percent) / 100 * Double(distribution.count)
      var seen = 0.0
      for bucket in distribution.buckets {
        seen += Double(bucket.count)
        if seen >= wanted { return bucket.middleNs }
      }
      return distribution.max
    }
  }
}

extension Distribution {
  fileprivate var mean: UInt64 { count == 0 ? 0 : sum / count }
}
