import ReportWriting
import TraceAnalysis
import TraceTables

/// Writes an analysis as JSON: the documents of the tables. docs/reference/numbers.md defines each key.
package enum AnalysisJSON {
  package static func encode(_ analyses: [(file: String, analysis: Analysis)]) throws -> String {
    try document.encode(analyses)
  }

  /// Writes the JSON in pieces, so that the whole text is never in memory.
  package static func write(
    _ analyses: [(file: String, analysis: Analysis)], to write: @escaping (String) throws -> Void
  ) throws {
    try document.write(analyses, to: write)
  }

  /// Returns the JSON of one analysis in one line.
  package static func line(_ file: String, _ analysis: Analysis) throws -> String {
    // A line break inside a string is escaped.
    try encode([(file, analysis)]).split(separator: "\n").map { $0.drop { $0 == " " } }.joined()
  }

  /// Returns the JSON Schema of the document.
  package static func jsonSchema() throws -> String { try document.jsonSchema() }

  private typealias Row = (file: String, analysis: Analysis)

  private static let document = JSONDocument<Row>("rltrace.analysis/1", "analysis of a trace") {
    Column("file", "file name as given") { $0.file }
    AnalysisTables.document.columns.map { $0.ofEach { $0.analysis } }
  }
}
