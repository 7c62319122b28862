import TraceAnalysis

/// Tables of timers: a row a class, and a row a class and mode.
enum TimerTables {
  static let timers = ExportColumns<TimerResult>(
    .timers, "one row a timer class: creation site, interval and modes",
    [
      ExportColumn("id", "names the class in timer_modes and timer_fires") { .integer(UInt64($0.id)) },
      ExportColumn("name", "") { .text($0.name) },
      ExportColumn("site", "where it is created") { .text($0.site) },
      ExportColumn("objects", "timers of the class") { .integer($0.objects) },
      ExportColumn("interval_ns", "0 = fires once") { .integer($0.intervalNs) },
      ExportColumn("tolerance_ns", "") { .integer($0.toleranceNs) },
      ExportColumn("modes", "joined by ', '") { .text($0.modes.joined(separator: ", ")) },
      ExportColumn("common", "added to the common modes") { .truth($0.isCommon) },
      ExportColumn("deferrable", "meant to wait while tracking") { .truth($0.isDeferrable) },
      ExportColumn("due", "due points = fired + skipped + withdrawn + pending") {
        ExportCell($0.ledger?.due)
      },
      ExportColumn("fired", "") { .integer($0.fired) },
      ExportColumn("skipped", "") { ExportCell($0.ledger?.skipped) },
      ExportColumn("withdrawn", "moved or invalidated while overdue") { ExportCell($0.ledger?.withdrawn) },
      ExportColumn("pending", "overdue at the end") { ExportCell($0.ledger?.pending) },
      ExportColumn("early", "fires before their due point") { ExportCell($0.ledger?.early) },
      ExportColumn("manual", "callouts outside the loop") { .integer($0.manual) },
    ]
      + ResultTables.distribution("lateness_ns", "fire less due point") { $0.ledger?.latenessNs }
      + Cause.allCases.map { cause in
        ExportColumn("ledger_ns.\(cause.name)", "part of the lateness; the parts add up to lateness_ns.sum") {
          ExportCell($0.ledger?.ledgerNs[cause])
        }
      }
      + Cause.allCases.map { cause in
        ExportColumn("skipped_by.\(cause.name)", "part of the skipped points") {
          ExportCell($0.ledger?.skippedBy[cause])
        }
      }
      + [
        ExportColumn("pending_overdue_ns", "how long the pending points have been overdue") {
          ExportCell($0.ledger?.pendingOverdueNs)
        },
        ExportColumn("longest_callout_ns", "") { .integer($0.longestCalloutNs) },
      ])

  typealias ModeRow = (timer: TimerResult, points: PointsInMode)

  static let timerModes = ExportColumns<ModeRow>(
    .timerModes, "what became of a timer class's due points, by the mode that they came due in",
    [
      ExportColumn("timer", "the class's id") { .integer(UInt64($0.timer.id)) },
      ExportColumn("name", "") { .text($0.timer.name) },
      ExportColumn("mode", "") { .text($0.points.mode) },
      ExportColumn("due", "= fired + skipped + withdrawn + pending") { .integer($0.points.due) },
      ExportColumn("fired", "") { .integer($0.points.fired) },
      ExportColumn("skipped", "") { .integer($0.points.skipped) },
      ExportColumn("withdrawn", "") { .integer($0.points.withdrawn) },
      ExportColumn("pending", "") { .integer($0.points.pending) },
      ExportColumn("worst_lateness_ns", "of its fires") { .integer($0.points.worstLatenessNs) },
    ])

  static func modeRows(_ timers: [TimerResult]) -> [ModeRow] {
    timers.flatMap { timer in (timer.ledger?.byMode ?? []).map { (timer, $0) } }
  }
}
