import ReportWriting
import TraceAnalysis
import TraceTables

/// Writes an analysis as JSON: the documents of the tables. docs/reference/numbers.md defines each key.
package enum AnalysisJSON {
  package static func encode(_ analyses: [Row]) throws -> String { try document.encode(analyses) }

  /// Returns the JSON of one analysis in one line.
  package static func line(_ file: String, _ analysis: Analysis) throws -> String {
    // A line break inside a string is escaped.
    try encode([(file, analysis)]).split(separator: "\n").map { $0.drop { $0 == " " } }.joined()
  }

  package typealias Row = (file: String, analysis: Analysis)

  package static let document = JSONDocument<Row>("rltrace.analysis/1", "analysis of a trace") {
    Column("file", "file name as given") { $0.file }
    AnalysisTables.document.columns.map { $0.ofEach { $0.analysis } }
  }
}
