extension Detector {
  public static let apple = Detector(
    name: "apple", source: "Apple's Instruments",
    rule: "time between two waits of 250 ms and above, suspension subtracted"
  ) { AppleMonitor() }
}

private struct AppleMonitor: StallMonitor {
  private(set) var reports = DetectorReports()

  mutating func busy(_ busy: WatchedBusy) -> String? {
    guard busy.ran >= BusyClass.hangNs else {
      return busy.suspended > 0 ? "suspended, not busy" : "under 250 ms"
    }
    reports.add(busy, BusyClass(ns: busy.ran)?.name ?? "")
    return nil
  }
}
