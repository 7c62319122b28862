import TraceReplay

extension ResultBuilder {
  func distribution(_ counts: borrowing DurationCounts) -> Distribution {
    guard counts.count > 0 else { return Distribution() }
    return Distribution(
      count: counts.count, sum: ns(counts.sum), min: ns(counts.minimum),
      p50: ns(counts.value(perMille: 500)), p90: ns(counts.value(perMille: 900)),
      p99: ns(counts.value(perMille: 990)), p999: ns(counts.value(perMille: 999)),
      max: ns(counts.maximum),
      buckets: counts.ranges.map { (low, high, count) in
        Distribution.Bucket(lowNs: ns(low), highNs: ns(high), count: count)
      })
  }
}
