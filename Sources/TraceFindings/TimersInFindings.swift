import TraceResults

/// What findings about timers share.
extension TimerResult {
  /// "Timer "tick" (every 100 ms)".
  var said: Sentence { "Timer \(described)" }

  /// ""tick" (every 100 ms)".
  var described: Sentence {
    if isVarying {
      return
        "\(name: name) (every \(ns: intervalNs, "interval_ns") to \(ns: longestIntervalNs, "longest_interval_ns"))"
    }
    return intervalNs == 0
      ? "\(name: name) (one-shot)" : "\(name: name) (every \(ns: intervalNs, "interval_ns"))"
  }

  /// As evidence names it. Of timers of several names no one callout.
  var callout: String? { !hasSeveralNames ? "timer \(name)" : nil }

  /// The time that so many fires make, at least.
  func timeNs(of points: UInt64) -> UInt64 {
    points.multipliedReportingOverflow(by: max(intervalNs, 1)).partialValue
  }
}

extension TimerLedgerResult {
  func skipped(_ cause: Cause) -> UInt64 { skippedBy[cause, default: 0] }

  /// "45 fires".
  var dueFires: Sentence { "\(count: due, "due", "fire", "fires")" }

  /// "missed 14 of 45 fires".
  func missed(_ points: UInt64) -> Sentence { "missed \(count: points, "skipped") of \(dueFires)" }

  func headline(_ points: UInt64) -> Finding.Headline {
    Finding.Headline(.part(points, of: due), "fires missed")
  }

  /// A warning when that many are much of what was due.
  func severity(_ points: UInt64) -> Finding.Severity {
    isAtLeast(points, FindingLimits.muchOfDue, of: due) ? .warning : .info
  }
}
