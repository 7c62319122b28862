import TraceAnalysis
import TraceReplay

/// Tables of the reports of stall monitors, and of the incidents behind them.
package enum StallTables {
  private static let reports = ResultTable<DetectorResult.Report>("reports", "the first 1000 reports") {
    Column.start { $0.startNs }
    Column("duration_ns", "duration, including suspension") { $0.durationNs }
    Column("what", "kind of the report") { $0.what }
    Column("callout", "callout that took longest") { $0.callout }
  }

  package static let detectors = ResultTable<DetectorResult>(
    "detectors", "stall monitors that the user chose, one row per monitor"
  ) {
    Column("name", "") { $0.name }.named("monitor", at: 1, in: .page)
    Column("rule", "condition under which the monitor reports") { $0.rule }.headed(
      "condition", "The condition under which the monitor reports.", at: 4, in: .page)
    Column.thread("index of the thread that the monitor watches") { $0.thread }
      .headed("thread", "The thread that the monitor watches.", at: 2, in: .page)
    Column("count", "number of reports") { $0.count }.headed(
      "reports", "Number of reports.", at: 3, in: .page)
    Column.rows(reports) { $0.reports }
  }

  /// An incident and the names of the monitors that the user chose.
  package typealias Incident = (result: IncidentResult, monitors: [String])

  package static let incidents = ResultTable<Incident>(
    "incidents", "busy intervals that a monitor reports, one row per interval"
  ) {
    Column.start { $0.result.startNs }
    Column("duration_ns", "duration, including suspension") { $0.result.durationNs }
    Column("suspended_ns", "suspended part of the duration") { $0.result.suspendedNs }
    Column("longest_gap_ns", "longest gap in the interval") { $0.result.longestGapNs }
    Column("longest_gap_after", "activity that the longest gap follows") { $0.result.longestGapAfter?.name }
    Column("callout", "callout that took longest") { $0.result.callout }
    Column("reported_by", "monitors that report it", in: .document) {
      zip($0.monitors, $0.result.silence).filter { $0.1 == nil }.map(\.0)
    }
    Column(
      "silent_because", "reasons why monitors do not report it, by monitor", in: .document,
      .byName(.text)
    ) { incident in
      let silent = zip(incident.monitors, incident.result.silence).compactMap { name, reason in
        reason.map { (name, Value.text($0)) }
      }
      return .object(Dictionary(silent) { first, _ in first })
    }
  }
}
