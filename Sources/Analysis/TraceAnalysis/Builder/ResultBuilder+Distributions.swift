import TraceReplay
import TraceResults

extension ResultBuilder {
  func distribution(_ counts: borrowing DurationCounts) -> Distribution {
    guard counts.count > 0 else { return Distribution() }
    return with(Distribution()) { it in
      it.count = counts.count
      it.sum = ns(counts.total)
      it.min = ns(counts.minimum)
      it.p50 = ns(counts.value(perMille: 500))
      it.p90 = ns(counts.value(perMille: 900))
      it.p99 = ns(counts.value(perMille: 990))
      it.p999 = ns(counts.value(perMille: 999))
      it.max = ns(counts.maximum)
      it.buckets = counts.ranges.map { (low, high, count) in
        Distribution.Bucket(lowNs: ns(low), highNs: ns(high), count: count)
      }
    }
  }
}
