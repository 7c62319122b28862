import TraceAnalysis
import TraceFormat
import TraceFacts
import TraceReplay

/// Names, and the length of a time unit, for the cells of facts. A class, because each cell copies its row.
package final class RecordContext: Sendable {
  let names: TraceNames
  let unitNs: UInt64
  let seesPhases: Bool

  package init(_ reader: TraceReader) {
    names = TraceNames(reader)
    unitNs = reader.header.timeUnit.nanoseconds
    seesPhases = reader.header.captureLevel.seesPhases
  }
}

/// A fact as a row of a table.
package struct Recorded<Record: Sendable>: Sendable {
  let record: Record
  private let context: RecordContext

  var names: TraceNames { context.names }

  package init(_ record: Record, _ context: RecordContext) {
    self.record = record
    self.context = context
  }

  /// Whether the recording has the times of the phase.
  fileprivate func knows(_ phase: Phase) -> Bool { context.seesPhases || phase == .waiting }

  fileprivate func ns(_ time: UInt64) -> UInt64 { time &* context.unitNs }
}

/// Tables that are written while the trace is read: one row for each pass, and one for each due point.
package enum RecordTables {
  fileprivate static let phases: [Phase] = [
    .beforeTimers, .beforeSources, .beforeWaiting, .waiting, .afterWaiting,
  ]

  static let passes = ResultTable<Recorded<PassFact>>(
    "passes", "complete passes, those of nested runs included, one row per pass, in the order of their ends"
  ) {
    Column.thread { $0.record.thread }
    Column("mode", "") { $0.names.mode(ModeID($0.record.mode)) }
    Column.start { $0.ns($0.record.start) }
    Column("end_ns", "end of the pass; the columns below add up to end - start") { $0.ns($0.record.end) }
    Column.group(
      "phases_ns",
      phases.map { phase in
        Column(phase.name, "time in the phase, without nested runs") {
          $0.knows(phase) ? $0.ns($0.record.phases[phase.rawValue]) : nil
        }
      })
    Column("nested_ns", "time inside nested runs") { $0.ns($0.record.nested) }
    Column("suspended_ns", "time in which the process did not run") { $0.ns($0.record.suspended) }
  }

  static let timerFires = ResultTable<Recorded<PointFact>>(
    "timer_fires",
    "due points of timers, one row per point or series of skipped points, in the order of their ends"
  ) {
    Column("timer", "id of the timer class, as in timers") { $0.record.timer }
    Column("name", "") { $0.timerName }
    Column("outcome", "fired, skipped, withdrawn or pending at the end") { $0.record.outcome.name }
    Column("count", "number of due points: 1, or more if a series was skipped for one reason") {
      $0.record.count
    }
    Column("due_ns", "due point, or the first one of a series") { $0.record.due.map($0.ns) }
    Column("last_due_ns", "last due point of a skipped series") { $0.record.lastDue.map($0.ns) }
    Column("end_ns", "when the timer fired, the point was withdrawn, or the span ended") {
      $0.record.end.map($0.ns)
    }
    Column("lateness_ns", "lateness of a fire, end - due; the causes below add up to it") {
      $0.ofFire($0.record.lateness)
    }
    Column("cause", "cause in force when the point came due") { $0.record.cause?.name }
    Column("mode", "mode that was running then") { $0.names.mode(ModeID($0.record.mode)) }
    Column.group(
      "ledger_ns",
      Cause.allCases.map { cause in
        Column(cause.name, "part of the lateness with this cause") {
          $0.ofFire($0.record.causes[cause.rawValue])
        }
      })
  }
}

// The rows below are written for each pass and due point, so they use neither the readers nor the values of columns.

extension Recorded<PassFact> {
  /// Adds the cells in the order of the table's columns.
  package func write(to text: inout some RowCells) {
    let pass = record
    text.add(UInt64(pass.thread))
    text.add(code: pass.mode) { names.mode(ModeID(pass.mode)) }
    text.add(ns(pass.start))
    text.add(ns(pass.end))
    for phase in RecordTables.phases {
      text.add(knows(phase) ? ns(pass.phases[phase.rawValue]) : nil)
    }
    text.add(ns(pass.nested))
    text.add(ns(pass.suspended))
    text.endRow()
  }
}

extension Recorded<PointFact> {
  /// Adds the cells in the order of the table's columns.
  package func write(to text: inout some RowCells) {
    let point = record
    text.add(UInt64(clamping: point.timer))
    text.add(timerName)
    text.add(code: UInt8(clamping: point.outcome.rawValue)) { point.outcome.name }
    text.add(point.count)
    text.add(point.due.map(ns))
    text.add(point.lastDue.map(ns))
    text.add(point.end.map(ns))
    text.add(ofFire(point.lateness))
    if let cause = point.cause {
      text.add(code: UInt8(clamping: cause.rawValue)) { cause.name }
    } else {
      text.addUnknown()
    }
    text.add(code: point.mode) { names.mode(ModeID(point.mode)) }
    for cause in Cause.allCases { text.add(ofFire(point.causes[cause.rawValue])) }
    text.endRow()
  }

  fileprivate var timerName: String {
    names.timer(
      name: StringID(record.name), site: StringID(record.site), createdBefore: ObjectID(record.createdBefore))
  }

  /// Returns the time in nanoseconds; nil for a point that did not fire, and if its due point is not known.
  fileprivate func ofFire(_ time: UInt64) -> UInt64? {
    record.outcome == .fired && record.due != nil ? ns(time) : nil
  }
}
