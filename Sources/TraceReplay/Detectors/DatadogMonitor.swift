extension Detector {
  public static let datadog = Detector(
    name: "datadog", source: "Datadog's SDK for iOS",
    rule: "long task 100 ms, hang 2 s; dropped beyond 30 s, or when the monitor woke 3 s late"
  ) { DatadogMonitor() }
}

private struct DatadogMonitor: StallMonitor {
  private(set) var reports = DetectorReports()

  mutating func busy(_ busy: WatchedBusy) -> String? {
    guard busy.length >= 100_000_000 else { return "under 100 ms" }
    guard busy.length >= 2_000_000_000 else {
      reports.add(busy, "long task")
      return nil
    }
    if busy.suspended > 3_000_000_000 { return "its monitor woke late, dropped" }
    if busy.length > 30_000_000_000 { return "over 30 s, dropped" }
    reports.add(busy, "hang")
    return nil
  }
}
