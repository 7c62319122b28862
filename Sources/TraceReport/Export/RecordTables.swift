import TraceAnalysis

/// Tables that are written while the trace is read: a row a pass, and a row a due point.
struct RecordTables {
  let passes: ExportColumns<PassRecord>
  let timerFires: ExportColumns<PointRecord>

  init(_ names: TraceNames, unitNs: UInt64) {
    let phases: [(String, Phase)] = [
      ("before_timers", .beforeTimers), ("before_sources", .beforeSources),
      ("before_waiting", .beforeWaiting), ("waiting", .waiting), ("after_waiting", .afterWaiting),
    ]
    @Sendable func ns(_ time: UInt64) -> ExportCell { .integer(time &* unitNs) }
    @Sendable func ns(_ time: UInt64?) -> ExportCell { ExportCell(time.map { $0 &* unitNs }) }
    passes = ExportColumns(
      .passes, "one row a complete pass, nested runs' passes too, in the order of their ends",
      [
        ExportColumn("thread", "index of the thread") { .integer(UInt64($0.thread)) },
        ExportColumn("mode", "") { .text(names.mode($0.mode)) },
        ExportColumn("start_ns", "since the trace's origin") { ns($0.start) },
        ExportColumn("end_ns", "the columns below add up to end - start") { ns($0.end) },
      ]
        + phases.map { name, phase in
          ExportColumn("\(name)_ns", "time in the phase, nested runs left out") {
            ns($0.phases[phase.rawValue])
          }
        } + [
          ExportColumn("nested_ns", "inside nested runs") { ns($0.nested) },
          ExportColumn("suspended_ns", "the process did not run") { ns($0.suspended) },
        ])
    timerFires = ExportColumns(
      .timerFires, "one row a due point of a timer, or a series of skipped ones; in the order of their ends",
      [
        ExportColumn("timer", "the class's id, as in timers") { .integer(UInt64($0.timer)) },
        ExportColumn("name", "") {
          .text(names.timer(name: $0.name, site: $0.site, createdBefore: $0.createdBefore))
        },
        ExportColumn("outcome", "fired, skipped, withdrawn or pending at the end") {
          .text($0.outcome.rawValue)
        },
        ExportColumn("count", "1, or how many were skipped for one reason") { .integer($0.count) },
        ExportColumn("due_ns", "the (first) due point") { ns($0.due) },
        ExportColumn("last_due_ns", "the last of those skipped") { ns($0.lastDue) },
        ExportColumn("end_ns", "when it fired, was withdrawn, or the span ended") { ns($0.end) },
        ExportColumn("lateness_ns", "of a fire, = end - due; the causes below add up to it") {
          $0.outcome == .fired && $0.due != nil ? ns($0.lateness) : .unknown
        },
        ExportColumn("cause", "what held when it came due") { ExportCell($0.cause?.name) },
        ExportColumn("mode", "the mode that ran then") { .text(names.mode($0.mode)) },
      ]
        + Cause.allCases.map { cause in
          ExportColumn("ledger_ns.\(cause.name)", "part of the lateness") {
            $0.outcome == .fired && $0.due != nil ? ns($0.causes[cause.rawValue]) : .unknown
          }
        })
  }
}
