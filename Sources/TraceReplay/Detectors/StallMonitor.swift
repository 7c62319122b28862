/// A detector at work on one thread. All its times are nanoseconds.
///
/// Monitors run in the process that they watch: a time-out that falls into a suspension comes right behind it.
package protocol StallMonitor {
  var reports: DetectorReports { get }

  /// An activity that it saw follows one that it saw.
  mutating func gap(_ gap: WatchedGap)
  /// The thread waits. Why it has nothing to report of the interval behind; nil = it has.
  mutating func busy(_ busy: WatchedBusy) -> String?
  /// The span ends; `suspended` of it the process did not run.
  mutating func finish(_ end: UInt64, suspended: UInt64)
}

extension StallMonitor {
  package mutating func gap(_ gap: WatchedGap) {}
  package mutating func finish(_ end: UInt64, suspended: UInt64) {}
}

/// Time between two activities of a thread.
package struct WatchedGap {
  package var start: UInt64
  package var end: UInt64
  package var suspended: UInt64
  package var after: Phase
  /// The one that took most by itself; nil when none is known.
  package var callout: SpanCallout?

  /// With suspension.
  package var length: UInt64 { end &- start }
  package var ran: UInt64 { length &- suspended }

  init(_ found: FoundGap, _ scale: TimeScale) {
    start = scale.ns(found.start)
    end = scale.ns(found.end)
    suspended = scale.ns(found.suspended)
    after = found.phase
    callout = found.callouts.first
  }
}

/// Time between two waits of a thread.
package struct WatchedBusy {
  package var start: UInt64
  package var end: UInt64
  package var suspended: UInt64
  /// Where the first suspension in it began.
  package var suspendedFrom: UInt64
  /// From the trace's origin to its end.
  package var suspendedInAll: UInt64
  /// The last BeforeWaiting in it.
  package var beforeWaiting: UInt64
  /// Began when a wait ended, not with a run.
  package var isAfterWait: Bool
  package var longestGap: WatchedGap?

  /// With suspension.
  package var length: UInt64 { end &- start }
  package var ran: UInt64 { length &- suspended }

  init(_ found: FoundBusy, longestGap: WatchedGap?, suspendedInAll: Length, _ scale: TimeScale) {
    start = scale.ns(found.start)
    end = scale.ns(found.end)
    suspended = scale.ns(found.suspended)
    suspendedFrom = scale.ns(found.suspendedFrom)
    self.suspendedInAll = scale.ns(suspendedInAll)
    beforeWaiting = scale.ns(found.beforeWaiting)
    isAfterWait = found.isAfterWait
    self.longestGap = longestGap
  }
}

/// What one monitor would have reported.
package struct DetectorReport {
  package var start: UInt64
  package var end: UInt64
  /// The class of hang, or the activity it followed.
  package var what: String
  /// The one that took most by itself; nil when none is known.
  package var callout: SpanCallout?
}

package struct DetectorReports {
  package private(set) var count = 0
  /// At most `AnalysisLimits.listed`.
  package private(set) var first: [DetectorReport] = []

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
