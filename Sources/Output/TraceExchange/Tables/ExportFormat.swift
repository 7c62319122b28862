import TraceAnalysis
import TraceTables

/// A file format for tables.
package struct ExportFormat: Sendable {
  package let name: String
  /// The description in the data dictionary.
  let about: [String]
  /// The names of the tables that the format supports; nil = all.
  package var tables: [String]?
  /// Returns the name of a table's file.
  package func file(of table: ExportTable) -> String { "\(table.name).\(name)" }
  /// Writes the beginning of the file, before the rows.
  let header: @Sendable (_ names: [String], inout [UInt8]) -> Void
  let row: @Sendable (_ cells: [Value], _ names: [String], inout [UInt8]) -> Void
  /// Returns the form of rows that are written while the trace is read.
  let form: @Sendable (_ names: [String]) -> RowText.Form
}

extension ExportFormat: Named {
  package static let allCases = [csv, jsonLines, collapsed]
}
