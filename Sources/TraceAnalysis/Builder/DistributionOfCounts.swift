import TraceReplay
import TraceResults

extension DurationCounts {
  /// The distribution in nanoseconds.
  func summary(unitNs: UInt64) -> Distribution {
    var result = Distribution()
    guard count > 0 else { return result }
    result.buckets = ranges.map {
      Distribution.Bucket(lowNs: $0.low &* unitNs, highNs: $0.high &* unitNs, count: $0.count)
    }
    result.count = count
    result.sum = sum &* unitNs
    result.min = minimum &* unitNs
    result.p50 = value(perMille: 500) &* unitNs
    result.p90 = value(perMille: 900) &* unitNs
    result.p99 = value(perMille: 990) &* unitNs
    result.p999 = value(perMille: 999) &* unitNs
    result.max = maximum &* unitNs
    return result
  }
}
