import TraceAnalysis
import TraceReplay

/// Tables that are written while the trace is read: a row per pass, and a row per due point.
struct RecordTables {
  let passes: ResultTable<PassRecord>
  let timerFires: ResultTable<PointRecord>

  init(_ names: TraceNames, unitNs: UInt64) {
    @Sendable func ns(_ time: UInt64) -> UInt64 { time &* unitNs }
    @Sendable func known(_ point: PointRecord, _ time: UInt64) -> UInt64? {
      point.outcome == .fired && point.due != nil ? ns(time) : nil
    }
    let phases: [Phase] = [.beforeTimers, .beforeSources, .beforeWaiting, .waiting, .afterWaiting]
    passes = ResultTable(
      .passes, "one row per complete pass, those of nested runs included, in the order of their ends"
    ) {
      Column("thread", "index of the thread") { $0.thread }
      Column("mode", "") { names.mode($0.mode) }
      Column("start_ns", "since the trace's origin") { ns($0.start) }
      Column("end_ns", "the columns below add up to end - start") { ns($0.end) }
      phases.map { phase in
        Column("phases_ns.\(phase.name)", "time in the phase, nested runs left out") {
          ns($0.phases[phase.rawValue])
        }
      }
      Column("nested_ns", "inside nested runs") { ns($0.nested) }
      Column("suspended_ns", "the process did not run") { ns($0.suspended) }
    }
    timerFires = ResultTable(
      .timerFires, "one row per due point of a timer, or series of skipped ones; in the order of their ends"
    ) {
      Column("timer", "the class's id, as in timers") { $0.timer }
      Column("name", "") { names.timer(name: $0.name, site: $0.site, createdBefore: $0.createdBefore) }
      Column("outcome", "fired, skipped, withdrawn or pending at the end") { $0.outcome.name }
      Column("count", "1, or how many were skipped for one reason") { $0.count }
      Column("due_ns", "the (first) due point") { $0.due.map(ns) }
      Column("last_due_ns", "the last of those skipped") { $0.lastDue.map(ns) }
      Column("end_ns", "when it fired, was withdrawn, or the span ended") { $0.end.map(ns) }
      Column("lateness_ns", "of a fire, = end - due; the causes below add up to it") {
        known($0, $0.lateness)
      }
      Column("cause", "what held when it came due") { $0.cause?.name }
      Column("mode", "the mode that ran then") { names.mode($0.mode) }
      Cause.allCases.map { cause in
        Column("ledger_ns.\(cause.name)", "part of the lateness") { known($0, $0.causes[cause.rawValue]) }
      }
    }
  }
}
