import Foundation
import TraceAnalysis

/// An analysis as JSON, schema `rltrace.analysis/1`: the tables' documents. docs/analysis.md defines each key.
public enum AnalysisJSON {
  public static let schema = "rltrace.analysis/1"

  /// One analysis gives an object, several an array of them. Keys are sorted, so that outputs compare as text.
  public static func encode(_ analyses: [(file: String, analysis: Analysis)]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let documents = analyses.map { document.object($0) }
    let data = try encoder.encode(documents.count == 1 ? documents[0] : .list(documents))
    return String(decoding: data, as: UTF8.self)
  }

  /// What holds for each document, as JSON Schema, draft 2020-12.
  public static func jsonSchema() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard case .object(var object) = document.schema else { return "" }
    object["$schema"] = .text("https://json-schema.org/draft/2020-12/schema")
    object["title"] = .text(schema)
    return String(decoding: try encoder.encode(Value.object(object)), as: UTF8.self) + "\n"
  }

  private typealias Row = (file: String, analysis: Analysis)

  private static let document = ResultTable<Row>("analysis", "a trace, analyzed") {
    Column("schema", "of this document") { _ in schema }
    Column("file", "as it was named") { $0.file }
    results.columns.map { $0.ofEach { $0.analysis } }
  }

  private static let results = ResultTable<Analysis>("results", "what an analysis found out") {
    Column.row("trace", TraceTables.trace) { $0.trace }
    Column.rows("loops", LoopTables.loops) { $0.loops }
    Column.rows("modes", LoopTables.modes) { $0.modes }
    Column.rows("empty_runs", LoopTables.emptyRuns) { $0.emptyRuns }
    Column.rows("gaps", SpanTables.gaps) { $0.gaps }
    Column("gaps_omitted", "those not listed") { $0.gapsOmitted }
    Column.rows("busy", SpanTables.busy) { $0.busy }
    Column("busy_omitted", "those not listed") { $0.busyOmitted }
    Column.rows("timers", TimerTables.timers) { $0.timers }
    Column.rows("callouts", CalloutTables.callouts) { $0.callouts }
    Column.rows("sources", CalloutTables.sources) { $0.sources }
    Column.row("queues", CalloutTables.queues) { $0.queues }
    Column.rows("utilisation", LoopTables.utilisation) { $0.utilisation }
    Column<InputDelayResult>.row("input_delay_ns", LoopTables.inputDelay) { $0 }.of { $0.inputDelay }
    Column.row("lifecycle", LifeTables.life) { $0.lifeCycle }
    Column.rows("marks", MarkTables.marks) { $0.marks.marks }
    Column("marks_omitted", "those not listed") { $0.marks.marksOmitted }
    Column.rows("intervals", MarkTables.intervals) { $0.marks.intervals }
    Column("intervals_omitted", "those not listed") { $0.marks.intervalsOmitted }
    Column.rows("interval_names", MarkTables.intervalNames) { $0.marks.byName }
    Column.rows("detectors", StallTables.detectors) { $0.detectors }
    Column.rows("incidents", StallTables.incidents) { analysis in
      analysis.incidents.map { ($0, analysis.detectors.map(\.name)) }
    }
    Column.rows("findings", FindingTables.findings) { $0.findings }
    Column.row("verdict", FindingTables.verdict) { $0.verdict }
    Column("profile", "its name") { $0.profile?.name }
    Column("notes", "what this recording cannot tell, and why") { $0.notes.map(\.text) }
  }
}
