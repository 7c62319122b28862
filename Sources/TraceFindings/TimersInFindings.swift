import TraceResults

/// Wording that findings about timers share.
extension TimerResult {
  /// Such as "Timer "tick" (every 100 ms)".
  var said: Sentence { isRemainder ? "Timers \(described)" : "Timer \(described)" }

  /// Such as ""tick" (every 100 ms)".
  var described: Sentence {
    if isRemainder { return "\(name: name) (those beyond the limit of classes)" }
    if isVarying {
      return
        "\(name: name) (every \(ns: intervalNs, "interval_ns") to \(ns: longestIntervalNs, "longest_interval_ns"))"
    }
    return intervalNs == 0
      ? "\(name: name) (one-shot)" : "\(name: name) (every \(ns: intervalNs, "interval_ns"))"
  }

  /// The callout as evidence names it; nil for timers with several names, which share no callout.
  var callout: String? { !hasSeveralNames ? "timer \(name)" : nil }

  /// Returns the minimum time that `points` fires represent.
  func timeNs(of points: UInt64) -> UInt64 {
    points.multipliedReportingOverflow(by: max(intervalNs, 1)).partialValue
  }
}

extension TimerLedgerResult {
  func skipped(_ cause: Cause) -> UInt64 { skippedBy[cause, default: 0] }

  /// Such as "45 fires".
  var dueFires: Sentence { "\(count: due, "due", "fire", "fires")" }

  /// Returns a phrase such as "missed 14 of 45 fires".
  func missed(_ points: UInt64) -> Sentence { "missed \(count: points, "skipped") of \(dueFires)" }

  func headline(_ points: UInt64) -> Finding.Headline {
    Finding.Headline(.part(points, of: due), "fires missed")
  }

  /// Returns a warning if `points` is a large share of the due points.
  func severity(_ points: UInt64) -> Finding.Severity {
    isAtLeast(points, FindingLimits.muchOfDue, of: due) ? .warning : .info
  }
}
