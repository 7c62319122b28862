import ReportWriting
import TraceAnalysis
import TraceTables

/// Writes the README.txt beside exported tables.
enum DataDictionary {
  static func text(file: String, format: ExportFormat, notes: [String]) -> String {
    var lines = ["Tables of \(harmless(file, limit: 500)), written by rltrace.", ""]
    lines += format.about
    lines += [
      "",
      "Numbers are plain integers. Columns whose names end in _ns are in nanoseconds. Moments are relative to the trace's origin.",
      Hint.aboutColumns,
    ]
    for table in ExportTable.allCases {
      lines += ["", "\(table.name): \(table.about)", ""]
      let width = table.columns.map(\.name.count).max() ?? 0
      lines += table.columns.map { "  \(TextTable.pad($0.name, width, left: true))  \($0.about)" }
    }
    if !notes.isEmpty { lines += ["", "Limits of this recording and of its analysis:", ""] }
    lines += notes.map { "  " + harmless($0, limit: 500) }
    return lines.joined(separator: "\n") + "\n"
  }
}
