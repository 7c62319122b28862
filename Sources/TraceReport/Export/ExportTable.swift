/// The tables that an analysis is exported as.
public enum ExportTable: String, CaseIterable, Sendable {
  case trace
  case passes
  case modes
  case gaps
  case busy
  case timers
  case timerModes = "timer_modes"
  case timerFires = "timer_fires"
  case callouts
  case marks
  case intervals
  case intervalNames = "interval_names"
  case findings

  public var name: String { rawValue }
}

/// One column: its name is the path of the key in `analyze --format json`, where there is one.
struct ExportColumn<Row>: Sendable {
  let name: String
  /// For the data dictionary.
  let about: String
  let value: @Sendable (Row) -> ExportCell

  init(_ name: String, _ about: String, _ value: @escaping @Sendable (Row) -> ExportCell) {
    self.name = name
    self.about = about
    self.value = value
  }
}

/// A table's columns, and what a row of it is.
struct ExportColumns<Row>: Sendable {
  let table: ExportTable
  let about: String
  let columns: [ExportColumn<Row>]
  let names: [String]

  init(_ table: ExportTable, _ about: String, _ columns: [ExportColumn<Row>]) {
    self.table = table
    self.about = about
    self.columns = columns
    names = columns.map(\.name)
  }

  /// The table's part of the data dictionary.
  var dictionary: [String] {
    let width = names.map(\.count).max() ?? 0
    return ["", "\(table.name): \(about)", ""]
      + columns.map { "  \(TextTable.pad($0.name, width, left: true))  \($0.about)" }
  }
}
