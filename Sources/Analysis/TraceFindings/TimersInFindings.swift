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

  /// The causes with missed points, most points first.
  private var causes: [Cause] {
    Cause.ofProgram.filter { skipped($0) > 0 }.enumerated().ordered {
      (skipped($1.element), $0.offset) < (skipped($0.element), $1.offset)
    }.map(\.element)
  }

  /// Returns the severity of the finding about the points missed for a cause. All causes of a timer count alike, so
  /// the finding about its first cause speaks for the timer.
  func severity(_ cause: Cause) -> Finding.Severity {
    let isFirst = causes.first == cause
    let points = isFirst ? causes.map(skipped).saturatedSum : skipped(cause)
    let stretch = isFirst ? longestMissedNs : longestMissedByNs[cause, default: 0]
    return SeverityTable.missed(points, of: due, stretchNs: stretch) ?? .info
  }

  /// The numbers behind that severity.
  func stretch(_ cause: Cause) -> [Finding.Evidence] {
    let isFirst = causes.first == cause
    let stretch = isFirst ? longestMissedNs : longestMissedByNs[cause, default: 0]
    guard stretch > 0 else { return [] }
    let others = isFirst && causes.count > 1 ? causes.map(skipped).saturatedSum : nil
    return [
      .span(
        nil, stretch, "the longest time in which it missed each due fire",
        figures: others.map { [.count("missed_for_all_causes", $0)] } ?? [])
    ]
  }
}
