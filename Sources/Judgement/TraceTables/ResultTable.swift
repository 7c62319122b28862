/// A result whose rows all have the same columns. Its columns define objects in documents, rows of exported tables
/// and a part of the data dictionary.
package struct ResultTable<Row>: Sendable {
  let any: AnyTable

  package init(
    _ name: String, _ about: String, needs: Capture? = nil,
    @ColumnBuilder<Row> _ columns: () -> [AnyColumn]
  ) {
    any = AnyTable(name, about, needs: needs, columns())
  }

  package var name: String { any.name }
  /// A description of its rows.
  package var about: String { any.about }
  package var columns: [Column<Row>] { any.columns.map(Column.init) }
  /// The data that the recording must hold for any row.
  package var needs: Capture? { any.needs }
  /// The JSON Schema of each object.
  package var schema: Value { any.schema }

  /// Returns a row as an object of a document.
  package func object(_ row: Row) -> Value { AnyRow.with(row, any.object) }

  /// Returns the cells of a table row.
  package func cells(_ row: Row) -> [Value] { AnyRow.with(row, any.cells) }

  /// Returns table columns for the first element of a list. `about` describes the list, in the first of these
  /// columns.
  func columnsOfFirst<Whole>(
    _ about: String, _ list: @escaping @Sendable (Whole) -> [Row]
  ) -> [Column<Whole>] {
    any.tableColumns.enumerated().map { place, column in
      Column<Row>(column).saying(place == 0 ? about : column.about).of { list($0).first }
        .columnsOfFirst(in: name)
    }
  }

  /// Returns the columns of the table for people, in its order, each with one value.
  package func columns(for readers: Heading.Readers) -> [Column<Row>] {
    any.columns(for: readers).map(Column.init)
  }

  /// Returns the columns of the table for people that shows `rows`.
  package func columns(for readers: Heading.Readers, showing rows: [Row]) -> [Column<Row>] {
    columns(for: readers).filter { column in
      column.heading?.isOptional != true || rows.contains { column.shown($0) != .unknown }
    }
  }
}

/// A table without the type of its rows, like `AnyColumn`.
package struct AnyTable: Sendable {
  let name: String
  let about: String
  let needs: Capture?
  let columns: [AnyColumn]
  /// The columns of the exported table, in its order, each with one value.
  let tableColumns: [AnyColumn]
  private let documentColumns: [AnyColumn]
  /// The readers of the table's columns, stored separately: a column holds a dozen references and is too expensive to
  /// copy for each cell.
  private let tableValues: [@Sendable (AnyRow) -> Value]

  init(_ name: String, _ about: String, needs: Capture?, _ columns: [AnyColumn]) {
    self.name = name
    self.about = about
    self.needs = needs
    self.columns = columns
    tableColumns = columns.filter { $0.form == .everywhere || $0.form == .table }.flatMap(\.cells)
    tableValues = tableColumns.map(\.value)
    documentColumns = columns.filter { $0.form == .everywhere || $0.form == .document }
  }

  func object(_ row: AnyRow) -> Value { .object(documentColumns.object(row)) }

  func cells(_ row: AnyRow) -> [Value] { tableValues.map { $0(row) } }

  func columns(for readers: Heading.Readers) -> [AnyColumn] {
    let cells = columns.flatMap { $0.cells(for: readers) }
    let places = cells.map { $0.people.heading?.place ?? 0 }
    return cells.indices.ordered { (places[$0], $0) < (places[$1], $1) }.map { cells[$0] }
  }

  var schema: Value { documentColumns.schema(about) }
}

/// Collects columns of one type of row.
@resultBuilder package enum ColumnBuilder<Row> {
  package static func buildExpression(_ column: Column<Row>) -> [AnyColumn] { [column.any] }
  package static func buildExpression(_ columns: [Column<Row>]) -> [AnyColumn] { columns.map(\.any) }
  package static func buildExpression(_ columns: [AnyColumn]) -> [AnyColumn] { columns }
  package static func buildBlock(_ columns: [AnyColumn]...) -> [AnyColumn] { [AnyColumn](joining: columns) }
}
