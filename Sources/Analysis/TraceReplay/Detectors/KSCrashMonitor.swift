extension Detector {
  package static let kscrash = Detector(
    name: "kscrash", source: "KSCrash",
    rule: "reports 250 ms or more from AfterWaiting to BeforeWaiting, as an observer of order 0 sees them"
  ) { KSCrashMonitor() }
}

private struct KSCrashMonitor: StallMonitor {
  private static let limit: UInt64 = 250_000_000

  private(set) var reports = DetectorReports()

  mutating func busy(_ busy: WatchedBusy) -> String? {
    guard busy.isAfterWait else { return "the interval does not begin with AfterWaiting" }
    let end = max(busy.beforeWaiting, busy.start)
    guard end &- busy.start >= Self.limit else {
      return busy.length >= Self.limit
        ? "up to the monitor's observer of BeforeWaiting, the interval is under 250 ms"
        : "the interval is under 250 ms"
    }
    reports.add(busy, until: end, "hang")
    return nil
  }
}
