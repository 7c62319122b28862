extension Detector {
  package static let semaphore1s = semaphore(
    "semaphore-1s", rule: "reports 1 s without an activity after BeforeSources or AfterWaiting",
    waitNs: 1_000_000_000)
  package static let semaphore3s = semaphore(
    "semaphore-3s", rule: "reports 3 s without an activity after BeforeSources or AfterWaiting",
    waitNs: 3_000_000_000)
  package static let semaphore5x50ms = semaphore(
    "semaphore-5x50ms",
    rule: "reports five waits of 50 ms in a row without an activity after BeforeSources or AfterWaiting",
    waitNs: 50_000_000, times: 5)

  private static func semaphore(
    _ name: String, rule: String, waitNs: UInt64, times: UInt64 = 1
  ) -> Detector {
    Detector(name: name, source: "a thread with a semaphore, as in many apps", rule: rule) {
      SemaphoreMonitor(waitNs: waitNs, times: times)
    }
  }
}

/// Waits again after each activity that it sees. `times` waits in a row that time out are a stall.
private struct SemaphoreMonitor: StallMonitor {
  let waitNs: UInt64
  let times: UInt64
  var reports = DetectorReports()
  /// Whether a gap since the last wait was reported.
  var hasReported = false

  private func isWatched(_ gap: WatchedGap) -> Bool {
    gap.after == .beforeSources || gap.after == .afterWaiting
  }

  mutating func gap(_ gap: WatchedGap) {
    // A suspension ends only one wait, however long it is.
    let isLong =
      times == 1 ? gap.length >= waitNs : gap.ran / waitNs &+ (gap.suspended > 0 ? 1 : 0) >= times
    guard isWatched(gap), isLong else { return }
    hasReported = true
    reports.add(
      DetectorReport(start: gap.start, end: gap.end, what: gap.after.name, callout: gap.callout))
  }

  mutating func busy(_ busy: WatchedBusy) -> String? {
    defer { hasReported = false }
    return hasReported ? nil : reason(busy)
  }

  private func reason(_ busy: WatchedBusy) -> String {
    let enough = waitNs &* times
    guard let longest = busy.longestGap else { return "no gap is long enough" }
    if longest.length >= enough, !isWatched(longest) {
      return "the longest gap follows \(longest.after.name), which the monitor does not watch"
    }
    if longest.suspended > 0 {
      return "a suspension ends at most one wait, and the rest of the gap is too short"
    }
    return busy.length >= enough ? "no single gap is long enough" : "the interval is too short"
  }
}
