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

  private typealias Row = (file: String, analysis: Analysis)

  private static let document = ResultTable<Row>("analysis", "a trace, analyzed") {
    Column("schema", "of this document") { _ in schema }
    Column("file", "as it was named") { $0.file }
    results.columns.map { $0.of { $0.analysis } }
  }

  private static let results = ResultTable<Analysis>("results", "what an analysis found out") {
    Column("trace", "") { TraceTables.trace.object($0.trace) }
    Column("loops", "") { LoopTables.loops.objects($0.loops) }
    Column("modes", "") { LoopTables.modes.objects($0.modes) }
    Column("empty_runs", "") { LoopTables.emptyRuns.objects($0.emptyRuns) }
    Column("gaps", "") { SpanTables.gaps.objects($0.gaps) }
    Column("gaps_omitted", "those not listed") { $0.gapsOmitted }
    Column("busy", "") { SpanTables.busy.objects($0.busy) }
    Column("busy_omitted", "those not listed") { $0.busyOmitted }
    Column("timers", "") { TimerTables.timers.objects($0.timers) }
    Column("callouts", "") { CalloutTables.callouts.objects($0.callouts) }
    Column("sources", "") { CalloutTables.sources.objects($0.sources) }
    Column("queues", "") { CalloutTables.queues.object($0.queues) }
    Column("utilisation", "") { LoopTables.utilisation.objects($0.utilisation) }
    Column("input_delay_ns", "") { $0.inputDelay.map(LoopTables.inputDelay.object) }
    Column("lifecycle", "") { LifeTables.life.object($0.lifeCycle) }
    Column("marks", "") { MarkTables.marks.objects($0.marks.marks) }
    Column("marks_omitted", "those not listed") { $0.marks.marksOmitted }
    Column("intervals", "") { MarkTables.intervals.objects($0.marks.intervals) }
    Column("intervals_omitted", "those not listed") { $0.marks.intervalsOmitted }
    Column("interval_names", "") { MarkTables.intervalNames.objects($0.marks.byName) }
    Column("detectors", "") { StallTables.detectors.objects($0.detectors) }
    Column("incidents", "") { analysis in
      StallTables.incidents.objects(analysis.incidents.map { ($0, analysis.detectors.map(\.rule)) })
    }
    Column("findings", "") { FindingTables.findings.objects($0.findings) }
    Column("verdict", "") { FindingTables.verdict.object($0.verdict) }
    Column("profile", "its name") { $0.profile?.name }
    Column("notes", "what this recording cannot tell, and why") { $0.notes }
  }
}
