import TraceReplay
import TraceResults

extension ResultBuilder {
  func distribution(_ counts: borrowing DurationCounts) -> Distribution {
    var result = Distribution()
    guard counts.count > 0 else { return result }
    result.buckets = counts.ranges.map {
      Distribution.Bucket(lowNs: ns($0.low), highNs: ns($0.high), count: $0.count)
    }
    result.count = counts.count
    result.sum = ns(counts.sum)
    result.min = ns(counts.minimum)
    result.p50 = ns(counts.value(perMille: 500))
    result.p90 = ns(counts.value(perMille: 900))
    result.p99 = ns(counts.value(perMille: 990))
    result.p999 = ns(counts.value(perMille: 999))
    result.max = ns(counts.maximum)
    return result
  }
}
