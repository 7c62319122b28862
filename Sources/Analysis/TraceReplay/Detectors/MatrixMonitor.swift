extension Detector {
  package static let matrix = Detector(
    name: "matrix", source: "Tencent's Matrix",
    rule:
      "checks every second; reports that the loop has been busy for more than 2 s; drops a check that took over 10 s"
  ) { MatrixMonitor() }
}

/// Checks once a second, and at the first moment after a suspension.
private struct MatrixMonitor: StallMonitor {
  private static let period: UInt64 = 1_000_000_000
  private static let limit: UInt64 = 2_000_000_000
  private static let longestCheck: UInt64 = 10_000_000_000

  private(set) var reports = DetectorReports()

  mutating func busy(_ busy: WatchedBusy) -> String? {
    guard busy.length > Self.limit else { return "the interval is not longer than 2 s" }
    guard isSeen(busy) else {
      return busy.suspended > Self.longestCheck
        ? "the check took over 10 s, so the monitor dropped it"
        : "no check of the monitor fell late enough in the interval"
    }
    reports.add(busy, "stall")
    return nil
  }

  private func isSeen(_ busy: WatchedBusy) -> Bool {
    // The interval in running time, which excludes suspension, and the position of the suspension in it.
    let end = busy.end &- min(busy.end, busy.suspendedInAll)
    let start = end &- min(end, busy.ran)
    let silentAt = start &+ (busy.suspendedFrom &- min(busy.start, busy.suspendedFrom))
    // A check that falls due during a suspension runs right after it.
    if busy.suspended >= Self.period, busy.suspended <= Self.longestCheck,
      silentAt - start + busy.suspended > Self.limit
    {
      return true
    }
    var tick = (start / Self.period + 1) &* Self.period
    while tick < end {
      let passed = tick - start + (busy.suspended > 0 && tick >= silentAt ? busy.suspended : 0)
      let isResumed =
        busy.suspended > Self.longestCheck && tick >= silentAt && tick - silentAt < Self.period
      if passed > Self.limit, !isResumed { return true }
      tick += Self.period
    }
    return false
  }
}
