extension Detector {
  package static let apple = Detector(
    name: "apple", source: "Apple's Instruments",
    rule: "reports 250 ms or more between two waits, without suspension",
    needsPhases: false
  ) { AppleMonitor() }
}

private struct AppleMonitor: StallMonitor {
  private(set) var reports = DetectorReports()

  mutating func busy(_ busy: WatchedBusy) -> String? {
    guard busy.ran >= BusyClass.hangNs else {
      return busy.suspended > 0
        ? "without suspension, the interval is under 250 ms" : "the interval is under 250 ms"
    }
    reports.add(busy, BusyClass(ns: busy.ran)?.name ?? "")
    return nil
  }
}
