extension Detector {
  package static let sentryV2 = Detector(
    name: "sentry-v2", source: "Sentry's SDK for Cocoa, second version",
    rule: "checks every 0.4 s; reports that more than 99 % of the last 2 s was delayed",
    shortestBusyNs: SentryMonitor.frame
  ) { SentryMonitor() }
}

/// Adds up every 0.4 s how much of the last 2 s was delayed, in running time.
private struct SentryMonitor: StallMonitor {
  private static let window: UInt64 = 2_000_000_000
  private static let tick = window / 5
  static let frame: UInt64 = 16_666_667

  private(set) var reports = DetectorReports()
  private var busy: [(start: UInt64, end: UInt64)] = []
  private var nextTick: UInt64?
  private var hangStart: UInt64?
  private var isFull = false
  /// The total suspension so far. The monitor reads a clock that stops while the process is suspended.
  private var suspended: UInt64 = 0

  /// Takes a busy interval. Intervals shorter than a frame are ignored. The monitor reports windows, not intervals.
  mutating func busy(_ found: WatchedBusy) -> String? {
    suspended = found.suspendedInAll
    let end = found.end &- min(found.end, suspended)
    let start = end &- min(end, found.ran)
    if nextTick == nil { nextTick = tick(after: start) }
    // Without busy time the window is empty, so the ticks in between are skipped.
    if hangStart == nil, let next = nextTick, start > next &+ Self.window { nextTick = tick(after: start) }
    busy.append((start, end))
    run(until: end)
    return found.ran < Self.window
      ? "the interval is under 2 s" : "no check of the monitor fell late enough in the interval"
  }

  private func tick(after time: UInt64) -> UInt64 { time / Self.tick * Self.tick &+ Self.tick }

  private mutating func run(until now: UInt64) {
    while let at = nextTick, at <= now {
      nextTick = at &+ Self.tick
      let from = at &- min(at, Self.window)
      busy.removeAll { $0.end <= from }
      guard hangStart != nil || !busy.isEmpty else {
        nextTick = tick(after: now)
        return
      }
      var delayed: UInt64 = 0
      var coveredTo: UInt64?
      for interval in busy where interval.start < at && interval.end &- interval.start > Self.frame {
        delayed &+= min(interval.end, at) &- max(interval.start, from)
        if interval.start <= from, interval.end >= at { coveredTo = interval.end }
      }
      judge(at, from, delayed, coveredTo != nil)
      // In a hang, ticks inside an interval change nothing. They are skipped, because a very long interval contains a
      // great many of them.
      if hangStart != nil, let coveredTo { nextTick = tick(after: coveredTo) }
    }
  }

  private mutating func judge(_ at: UInt64, _ from: UInt64, _ delayed: UInt64, _ covers: Bool) {
    if let start = hangStart {
      isFull = isFull || covers
      // The hang ends when little of the last two ticks was delayed.
      let since = at &- min(at, 2 &* Self.tick)
      var late: UInt64 = 0
      for interval in busy where interval.start < at && interval.end > since {
        late &+= min(interval.end, at) &- max(interval.start, since)
      }
      if late < 2 &* Self.tick / 5 { close(start, at) }
    } else if Double(delayed) > 0.99 * Double(Self.window) {
      hangStart = from
      isFull = covers
    }
  }

  private mutating func close(_ start: UInt64, _ end: UInt64) {
    reports.add(
      DetectorReport(
        start: start &+ suspended, end: end &+ suspended,
        what: isFull ? "fully blocking" : "non-fully blocking"))
    hangStart = nil
  }

  /// Closes a hang that is still in progress at the end of the recording.
  mutating func finish(_ end: UInt64, suspended: UInt64) {
    self.suspended = suspended
    let end = end &- min(end, suspended)
    run(until: end)
    if let start = hangStart { close(start, end) }
  }
}
