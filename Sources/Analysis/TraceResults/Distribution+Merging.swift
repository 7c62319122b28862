extension Distribution {
  /// Returns the distribution of the values of both. Count, sum and extremes are exact; percentiles are read from the
  /// buckets, so they are within 0.5 %. O(buckets).
  package func merging(_ other: Distribution) -> Distribution {
    guard other.count > 0 else { return self }
    guard count > 0 else { return other }
    var merged = self
    merged.count = count.saturated(adding: other.count)
    merged.sum = sum.saturated(adding: other.sum)
    merged.min = Swift.min(min, other.min)
    merged.max = Swift.max(max, other.max)
    merged.buckets = Distribution.merge(buckets, other.buckets)
    merged.p50 = merged.percentile(0.5)
    merged.p90 = merged.percentile(0.9)
    merged.p99 = merged.percentile(0.99)
    merged.p999 = merged.percentile(0.999)
    return merged
  }

  /// Returns the smallest value that at least `share` of the values do not exceed.
  private func percentile(_ share: Double) -> UInt64 {
    let wanted = share * Double(count)
    var seen: UInt64 = 0
    for bucket in buckets {
      seen = seen.saturated(adding: bucket.count)
      if Double(seen) >= wanted { return Swift.min(Swift.max(bucket.middleNs, min), max) }
    }
    return max
  }

  private static func merge(_ a: [Bucket], _ b: [Bucket]) -> [Bucket] {
    // The sort merges two ordered runs in one step.
    (a + b).ordered { ($0.lowNs, $0.highNs) < ($1.lowNs, $1.highNs) }.reduce(into: []) { merged, bucket in
      if let last = merged.indices.last, merged[last].lowNs == bucket.lowNs,
        merged[last].highNs == bucket.highNs
      {
        merged[last].count = merged[last].count.saturated(adding: bucket.count)
      } else {
        merged.append(bucket)
      }
    }
  }
}
