import ReportWriting
import TraceAnalysis
import TraceComparison
import TraceTables

/// Writes a comparison as JSON: every row, whether it differs or not. docs/reference/commands/compare.md defines each key.
package enum ComparisonJSON {
  package static func encode(_ comparison: Comparison, baseFile: String, newFile: String) throws -> String {
    try document.encode([(comparison, baseFile, newFile)])
  }

  package typealias Document = (comparison: Comparison, baseFile: String, newFile: String)

  package static let document = JSONDocument<Document>("rltrace.compare/1", "comparison of two traces") {
    Column.row(ComparisonTables.side, as: "base") { ("base", $0.baseFile, $0.comparison.base) }
    Column.row(ComparisonTables.side, as: "new") { ("new", $0.newFile, $0.comparison.new) }
    Column.row(ComparisonTables.verdict) { $0.comparison.verdict }
    Column("gap_threshold_ns", "length from which gaps are counted") { $0.comparison.gapThresholdNs }
    Column.row(ComparisonTables.relevant) { $0.comparison.relevant }
    Column.rows(ComparisonTables.rows) { $0.comparison.rows }
    Column.rows(ComparisonTables.findings) { $0.comparison.findings }
    Column.rowsIfAny(ComparisonTables.functions) { $0.comparison.functions }
    Column("notes", "conditions that limit the comparison") { $0.comparison.notes }
  }
}
