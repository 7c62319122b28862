@testable import TraceReplay
import TraceFacts
import TraceReplay
import Testing

@testable import PageReport

@Suite struct TimeBinsTests {
  @Test(arguments: [
    (0, 1, 10), (5, 5, 10), (100, 1099, 10), (0, 1 << 56, 2048), (7, 20_000, 2048), (0, .max, 10),
    (0, .max, 1), (3, .max, 2048),
  ])
  func partsAddUp(from: UInt64, to: UInt64, limit: Int) {
    var bins = TimeBins(from: from, to: to, atMost: limit)
    #expect(bins.count <= limit && bins.count >= 1)
    // The last bin begins in the span and reaches its end.
    let last = from + bins.width * UInt64(bins.count - 1)
    #expect(last <= to && to - last <= bins.width)
    var parts: [(bin: Int, part: UInt64)] = []
    bins.split(from, to) { parts.append(($0, $1)) }
    #expect(parts.allSatisfy { $0.part <= bins.width && $0.bin < bins.count })
    #expect(parts.reduce(0) { $0 + $1.part } == to - from)
  }

  @Test func aSpanIsSplitOverItsBins() {
    var bins = TimeBins(from: 1000, to: 2000, atMost: 10)
    var parts: [Int: UInt64] = [:]
    bins.split(1050, 1310) { parts[$0] = $1 }
    #expect(parts == [0: 50, 1: 100, 2: 100, 3: 10])
  }

  private func record(
    _ outcome: DueOutcome, due: UInt64, lastDue: UInt64, count: UInt64
  ) -> PointFact {
    PointFact(
      timer: 0, object: 0, name: 0, site: 0, createdBefore: 0, outcome: outcome, count: count, due: due,
      lastDue: lastDue, end: nil, lateness: 0, causes: SIMD8(), cause: .wrongMode, mode: 1)
  }

  /// The page states the causes beside the skipped points, so punctual fires must not count.
  @Test func onlySkippedPointsHaveACause() {
    var lane = TimerLane(timer: 0, TimeBins(from: 0, to: 1000, atMost: 10), window: 10)
    for due in stride(from: UInt64(0), to: 1000, by: 50) {
      var fire = record(.fired, due: due, lastDue: due, count: 1)
      (fire.cause, fire.end, fire.lateness) = (.scheduler, due + 1, 1)
      lane.add(fire)
    }
    var skipped = record(.skipped, due: 10, lastDue: 60, count: 3)
    skipped.cause = .busy
    lane.add(skipped)
    for cause in Cause.allCases {
      #expect(lane.count(of: cause.rawValue).reduce(0, +) == (cause == .busy ? 3 : 0))
    }
  }

  /// A row of skipped points is spread as if each point had been reported separately.
  @Test(arguments: [
    (0, 10, 5), (3, 7, 90), (95, 1, 5), (13, 100, 10), (0, 1, 1000), (999, 1, 1), (500, 33, 16),
  ])
  func skippedPointsAreSpread(first: Int, interval: Int, count: Int) {
    var row = TimerLane(timer: 0, TimeBins(from: 0, to: 1000, atMost: 1000), window: 16)
    var single = TimerLane(timer: 0, TimeBins(from: 0, to: 1000, atMost: 1000), window: 16)
    let last = min(999, first + (count - 1) * interval)
    let points = (last - first) / interval + 1
    row.add(
      record(
        .skipped, due: UInt64(first), lastDue: UInt64(first + (points - 1) * interval), count: UInt64(points))
    )
    for point in 0..<points {
      let due = UInt64(first + point * interval)
      single.add(record(.skipped, due: due, lastDue: due, count: 1))
    }
    let (skipped, skippedSingly) = (row.bins.map(\.skipped), single.bins.map(\.skipped))
    #expect(skipped == skippedSingly)
    #expect(skipped.reduce(0) { $0 + Int($1) } == points)
    for cause in Cause.allCases {
      let (count, countSingly) = (row.count(of: cause.rawValue), single.count(of: cause.rawValue))
      #expect(count == countSingly)
    }
  }

  /// Timer classes beyond the first ones have fewer bins, but lose nothing.
  @Test func manyTimers() {
    var lanes = TimelineLanes(
      from: 0, to: 1000, TimelineLimits(timerBins: 100, wholeTimers: 3))
    for due in 0..<1000 {
      for timer in 0..<5 {
        var point = record(.skipped, due: UInt64(due), lastDue: UInt64(due), count: 1)
        point.timer = timer
        lanes.points(point)
      }
    }
    #expect(lanes.timers.indices.map { lanes.timers[$0].bins.count } == [100, 100, 100, 25, 25])
    #expect(
      lanes.timers.indices.map { lanes.timers[$0].bins.reduce(0) { $0 + Int($1.skipped) } }
        == Array(repeating: 1000, count: 5))
  }
}
