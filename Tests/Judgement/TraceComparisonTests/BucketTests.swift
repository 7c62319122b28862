import TestSupport
import Testing
import TraceAnalysis

/// The buckets from which comparisons are computed.
@Suite struct BucketTests {
  private func distributions() throws -> [Distribution] {
    try ["timer-starvation", "five-causes", "detect-poll-loop", "location-uncached"].flatMap { name in
      let analysis = try TraceAnalyzer(openTrace(SampleTraces.bytes(virtual: name)))
        .analyze()
      return analysis.modes.flatMap { [$0.passNs, $0.wakeToCalloutNs] }
        + analysis.timers.compactMap { $0.ledger?.latenessNs } + analysis.sources.map(\.signalToCalloutNs)
    }.filter { $0.count > 0 }
  }

  @Test func holdAllValuesInOrder() throws {
    let all = try distributions()
    #expect(all.count > 10)
    for distribution in all {
      #expect(distribution.buckets.reduce(0) { $0 + $1.count } == distribution.count)
      for bucket in distribution.buckets {
        #expect(bucket.count > 0 && bucket.lowNs <= bucket.highNs)
        #expect(bucket.highNs - bucket.lowNs <= bucket.lowNs / 128)
      }
      for (a, b) in zip(distribution.buckets, distribution.buckets.dropFirst()) {
        #expect(a.highNs < b.lowNs)
      }
      let first = try #require(distribution.buckets.first)
      let last = try #require(distribution.buckets.last)
      #expect(first.lowNs <= distribution.min && distribution.min <= first.highNs)
      #expect(last.lowNs <= distribution.max && distribution.max <= last.highNs)
    }
  }

  @Test func merging() throws {
    let all = try distributions()
    for (a, b) in zip(all, all.dropFirst()) {
      let both = a.merging(b)
      #expect(both == b.merging(a))
      #expect(both.count == a.count + b.count && both.sum == a.sum + b.sum)
      #expect(both.min == min(a.min, b.min) && both.max == max(a.max, b.max))
      #expect(both.buckets.reduce(0) { $0 + $1.count } == both.count)
      #expect(both.p50 >= min(a.p50, b.p50) * 99 / 100 && both.p50 <= max(a.p50, b.p50) * 101 / 100 + 1)
      // Merging a distribution with itself keeps the percentiles.
      let twice = a.merging(a)
      for key in [\Distribution.p50, \.p90, \.p99] {
        let (former, now) = (Double(a[keyPath: key]), Double(twice[keyPath: key]))
        #expect(abs(former - now) <= 0.01 * max(former, now), "\(former) \(now)")
      }
      #expect(a.merging(Distribution()) == a && Distribution().merging(a) == a)
    }
  }
}
