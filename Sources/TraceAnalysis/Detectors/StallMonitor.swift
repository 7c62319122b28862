/// A detector at work on one thread. All its times are nanoseconds.
///
/// Monitors run in the process that they watch: a time-out that falls into a suspension comes right behind it.
protocol StallMonitor {
  var reports: DetectorReports { get }

  /// An activity that it saw follows one that it saw.
  mutating func gap(_ gap: WatchedGap)
  /// The thread waits. Why it has nothing to report of the interval behind; nil = it has.
  mutating func busy(_ busy: WatchedBusy) -> String?
  /// The span ends; `suspended` of it the process did not run.
  mutating func finish(_ end: UInt64, suspended: UInt64)
}

extension StallMonitor {
  mutating func gap(_ gap: WatchedGap) {}
  mutating func finish(_ end: UInt64, suspended: UInt64) {}
}

/// Time between two activities of a thread.
struct WatchedGap {
  var start: UInt64
  var end: UInt64
  var suspended: UInt64
  var after: Phase
  /// The one that took most by itself; nil when none is known.
  var callout: SpanCallout?

  /// With suspension.
  var length: UInt64 { end &- start }
  var ran: UInt64 { length &- suspended }

  init(_ found: FoundGap, unitNs: UInt64) {
    start = found.start &* unitNs
    end = found.end &* unitNs
    suspended = found.suspended &* unitNs
    after = found.phase
    callout = found.callouts.first
  }
}

/// Time between two waits of a thread.
struct WatchedBusy {
  var start: UInt64
  var end: UInt64
  var suspended: UInt64
  /// Where the first suspension in it began.
  var suspendedFrom: UInt64
  /// From the trace's origin to its end.
  var suspendedInAll: UInt64
  /// The last BeforeWaiting in it.
  var beforeWaiting: UInt64
  /// Began when a wait ended, not with a run.
  var isAfterWait: Bool
  var longestGap: WatchedGap?

  /// With suspension.
  var length: UInt64 { end &- start }
  var ran: UInt64 { length &- suspended }

  init(_ found: FoundBusy, longestGap: WatchedGap?, suspendedInAll: UInt64, unitNs: UInt64) {
    start = found.start &* unitNs
    end = found.end &* unitNs
    suspended = found.suspended &* unitNs
    suspendedFrom = found.suspendedFrom &* unitNs
    self.suspendedInAll = suspendedInAll &* unitNs
    beforeWaiting = found.beforeWaiting &* unitNs
    isAfterWait = found.isAfterWait
    self.longestGap = longestGap
  }
}

/// What one monitor would have reported.
struct DetectorReport {
  var start: UInt64
  var end: UInt64
  /// The class of hang, or the activity it followed.
  var what: String
  /// The one that took most by itself; nil when none is known.
  var callout: SpanCallout?
}

struct DetectorReports {
  private(set) var count = 0
  /// At most `AnalysisLimits.listed`.
  private(set) var first: [DetectorReport] = []

  mutating func add(_ report: DetectorReport) {
    count += 1
    if first.count < AnalysisLimits.listed { first.append(report) }
  }

  /// Blames whoever took most of the longest gap.
  mutating func add(_ busy: WatchedBusy, until end: UInt64? = nil, _ what: String) {
    add(
      DetectorReport(start: busy.start, end: end ?? busy.end, what: what, callout: busy.longestGap?.callout))
  }
}
