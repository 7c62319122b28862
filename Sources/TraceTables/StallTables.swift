import TraceAnalysis
import TraceReplay

/// Tables of the reports of stall monitors, and of the incidents behind them.
package enum StallTables {
  private static let reports = ResultTable<DetectorResult.Report>("reports", "the first thousand") {
    Column.start { $0.startNs }
    Column("duration_ns", "suspension included") { $0.durationNs }
    Column("what", "what it would say") { $0.what }
    Column("callout", "the callout that took longest") { $0.callout }
  }

  package static let detectors = ResultTable<DetectorResult>("detectors", "one row per monitor asked for") {
    Column("name", "") { $0.name }.named("monitor", at: 1, in: .page)
    Column("rule", "when it reports") { $0.rule }.headed("reports", "Its rule.", at: 4, in: .page)
    Column.thread("index of the thread that it watches") { $0.thread }
      .headed("thread", "That it watches.", at: 2, in: .page)
    Column("count", "reports") { $0.count }.headed("reports", "How many.", at: 3, in: .page)
    Column.rows(reports) { $0.reports }
  }

  /// An incident and the names of the monitors that the user chose.
  package typealias Incident = (result: IncidentResult, monitors: [String])

  package static let incidents = ResultTable<Incident>(
    "incidents", "one row per incident that a monitor reports"
  ) {
    Column.start { $0.result.startNs }
    Column("duration_ns", "suspension included") { $0.result.durationNs }
    Column("suspended_ns", "of it") { $0.result.suspendedNs }
    Column("longest_gap_ns", "in it") { $0.result.longestGapNs }
    Column("longest_gap_after", "the activity that that follows") { $0.result.longestGapAfter?.name }
    Column("callout", "the callout that took longest") { $0.result.callout }
    Column("reported_by", "monitors", in: .document) {
      zip($0.monitors, $0.result.silence).filter { $0.1 == nil }.map(\.0)
    }
    Column("silent_because", "by monitor that is silent", in: .document, .byName(.text)) { incident in
      let silent = zip(incident.monitors, incident.result.silence).compactMap { name, reason in
        reason.map { (name, Value.text($0)) }
      }
      return .object(Dictionary(silent) { first, _ in first })
    }
  }
}
