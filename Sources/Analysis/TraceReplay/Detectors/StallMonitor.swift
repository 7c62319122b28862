/// A detector running on one thread. All times are in nanoseconds.
///
/// Monitors run in the process that they watch, so a timeout that falls due during a suspension fires right after it.
package protocol StallMonitor {
  var reports: DetectorReports { get }

  /// Handles a gap between two activities that the monitor saw.
  mutating func gap(_ gap: WatchedGap)
  /// Handles a busy interval, when the thread begins to wait. Returns why the monitor does not report the interval,
  /// or nil if it does.
  mutating func busy(_ busy: WatchedBusy) -> String?
  /// Handles the end of the span. `suspended` is the total suspension.
  mutating func finish(_ end: UInt64, suspended: UInt64)
}

extension StallMonitor {
  package mutating func gap(_ gap: WatchedGap) {}
  package mutating func finish(_ end: UInt64, suspended: UInt64) {}
}

/// The time between two activities of a thread.
package struct WatchedGap {
  package var start: UInt64
  package var end: UInt64
  package var suspended: UInt64
  package var after: Phase
  /// The callout with the most self time; nil = none is known.
  package var callout: SpanCallout?

  /// The length with suspension.
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

/// The time between two waits of a thread.
package struct WatchedBusy {
  package var start: UInt64
  package var end: UInt64
  package var suspended: UInt64
  /// When the first suspension in the interval began.
  package var suspendedFrom: UInt64
  /// The suspension from the trace's origin to the end of the interval.
  package var suspendedInAll: UInt64
  /// The last BeforeWaiting in the interval.
  package var beforeWaiting: UInt64
  /// Whether the interval began at the end of a wait, not with a run.
  package var isAfterWait: Bool
  package var longestGap: WatchedGap?

  /// The length with suspension.
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

/// An incident that one monitor would have reported.
package struct DetectorReport {
  package var start: UInt64
  package var end: UInt64
  /// The class of hang, or the activity after which the gap began.
  package var what: String
  /// The callout with the most self time; nil = none is known.
  package var callout: SpanCallout?
}

package struct DetectorReports {
  package private(set) var count = 0
  /// The first reports, at most `AnalysisLimits.listed`.
  package private(set) var first: [DetectorReport] = []

  mutating func add(_ report: DetectorReport) {
    count += 1
    if first.count < AnalysisLimits.listed { first.append(report) }
  }

  /// Adds a report that names the callout with the most self time in the longest gap.
  mutating func add(_ busy: WatchedBusy, until end: UInt64? = nil, _ what: String) {
    add(
      DetectorReport(start: busy.start, end: end ?? busy.end, what: what, callout: busy.longestGap?.callout))
  }
}
