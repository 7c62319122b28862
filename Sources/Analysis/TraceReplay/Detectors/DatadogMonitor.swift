extension Detector {
  package static let datadog = Detector(
    name: "datadog", source: "Datadog's SDK for iOS",
    rule:
      "reports a long task from 100 ms and a hang from 2 s; drops hangs over 30 s, and those in which it woke 3 s late"
  ) { DatadogMonitor() }
}

private struct DatadogMonitor: StallMonitor {
  private(set) var reports = DetectorReports()

  mutating func busy(_ busy: WatchedBusy) -> String? {
    guard busy.length >= 100_000_000 else { return "the interval is under 100 ms" }
    guard busy.length >= 2_000_000_000 else {
      reports.add(busy, "long task")
      return nil
    }
    if busy.suspended > 3_000_000_000 { return "the monitor woke late and dropped the interval" }
    if busy.length > 30_000_000_000 { return "the interval is over 30 s, so the monitor dropped it" }
    reports.add(busy, "hang")
    return nil
  }
}
