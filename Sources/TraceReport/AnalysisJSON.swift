import TraceAnalysis
import TraceTables

/// An analysis as JSON: the tables' documents. docs/analysis.md defines each key.
public enum AnalysisJSON {
  public static func encode(_ analyses: [(file: String, analysis: Analysis)]) throws -> String {
    try document.encode(analyses)
  }

  /// The same in pieces, so that it is never in memory as a whole.
  public static func write(
    _ analyses: [(file: String, analysis: Analysis)], to write: @escaping (String) throws -> Void
  ) throws {
    try document.write(analyses, to: write)
  }

  /// What holds for each document.
  public static func jsonSchema() throws -> String { try document.jsonSchema() }

  private typealias Row = (file: String, analysis: Analysis)

  private static let document = JSONDocument<Row>("rltrace.analysis/1", "a trace, analyzed") {
    Column("file", "as it was named") { $0.file }
    AnalysisTables.document.columns.map { $0.ofEach { $0.analysis } }
  }
}
