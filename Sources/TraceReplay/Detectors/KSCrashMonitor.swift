extension Detector {
  public static let kscrash = Detector(
    name: "kscrash", source: "KSCrash",
    rule: "AfterWaiting to BeforeWaiting, 250 ms and above, as seen at order 0"
  ) { KSCrashMonitor() }
}

private struct KSCrashMonitor: StallMonitor {
  private static let limit: UInt64 = 250_000_000

  private(set) var reports = DetectorReports()

  mutating func busy(_ busy: WatchedBusy) -> String? {
    guard busy.isAfterWait else { return "does not begin with AfterWaiting" }
    let end = max(busy.beforeWaiting, busy.start)
    guard end &- busy.start >= Self.limit else {
      return busy.length >= Self.limit ? "observers of BeforeWaiting are behind its order" : "under 250 ms"
    }
    reports.add(busy, until: end, "hang")
    return nil
  }
}
