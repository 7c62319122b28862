extension Distribution {
  /// The distribution of both's values. Count, sum and extremes are exact; percentiles are read from the buckets, so
  /// they are within 0.5 %. O(buckets).
  public func merging(_ other: Distribution) -> Distribution {
    guard other.count > 0 else { return self }
    guard count > 0 else { return other }
    var merged = Distribution()
    merged.count = count &+ other.count
    merged.sum = sum &+ other.sum
    merged.min = Swift.min(min, other.min)
    merged.max = Swift.max(max, other.max)
    merged.buckets = Distribution.merge(buckets, other.buckets)
    merged.p50 = merged.percentile(0.5)
    merged.p90 = merged.percentile(0.9)
    merged.p99 = merged.percentile(0.99)
    merged.p999 = merged.percentile(0.999)
    return merged
  }

  /// The least value that a share of the values does not exceed.
  private func percentile(_ share: Double) -> UInt64 {
    let wanted = share * Double(count)
    var seen: UInt64 = 0
    for bucket in buckets {
      seen &+= bucket.count
      if Double(seen) >= wanted { return Swift.min(Swift.max(bucket.middleNs, min), max) }
    }
    return max
  }

  private static func merge(_ a: [Bucket], _ b: [Bucket]) -> [Bucket] {
    var merged: [Bucket] = []
    merged.reserveCapacity(Swift.max(a.count, b.count))
    var i = 0
    var j = 0
    while i < a.count || j < b.count {
      if j == b.count || i < a.count && (a[i].lowNs, a[i].highNs) < (b[j].lowNs, b[j].highNs) {
        merged.append(a[i])
        i += 1
      } else if i < a.count, a[i].lowNs == b[j].lowNs, a[i].highNs == b[j].highNs {
        merged.append(Bucket(lowNs: a[i].lowNs, highNs: a[i].highNs, count: a[i].count &+ b[j].count))
        i += 1
        j += 1
      } else {
        merged.append(b[j])
        j += 1
      }
    }
    return merged
  }
}
