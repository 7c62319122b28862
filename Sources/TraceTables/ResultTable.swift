/// A result whose rows all have the same columns. Its columns define objects in documents, rows of exported tables
/// and a part of the data dictionary.
package struct ResultTable<Row>: Sendable {
  package let name: String
  /// A description of its rows.
  package let about: String
  package let columns: [Column<Row>]
  /// The columns of the exported table, in its order, each with one value.
  package let tableColumns: [Column<Row>]
  /// The data that the recording must hold for any row.
  package let needs: Capture?
  private let documentColumns: [Column<Row>]
  /// The readers of the table's columns, stored separately: a column holds a dozen references and is too expensive to
  /// copy for each cell.
  private let tableValues: [@Sendable (Row) -> Value]

  package init(
    _ name: String, _ about: String, needs: Capture? = nil,
    @ColumnBuilder<Row> _ columns: () -> [Column<Row>]
  ) {
    self.name = name
    self.about = about
    self.needs = needs
    self.columns = columns()
    tableColumns = self.columns.filter { $0.form == .everywhere || $0.form == .table }.flatMap(\.cells)
    tableValues = tableColumns.map(\.value)
    documentColumns = self.columns.filter { $0.form == .everywhere || $0.form == .document }
  }

  /// Returns a row as an object of a document.
  package func object(_ row: Row) -> Value { .object(documentColumns.object(row)) }

  /// Returns the cells of a table row.
  package func cells(_ row: Row) -> [Value] { tableValues.map { $0(row) } }

  /// Returns table columns for the first element of a list. `about` describes the list, in the first of these
  /// columns.
  func columnsOfFirst<Whole>(
    _ about: String, _ list: @escaping @Sendable (Whole) -> [Row]
  ) -> [Column<Whole>] {
    tableColumns.enumerated().map { place, column in
      column.saying(place == 0 ? about : column.about).of { list($0).first }.columnsOfFirst(in: name)
    }
  }

  /// The JSON Schema of each object.
  package var schema: Value { documentColumns.schema(about) }
}

@resultBuilder package enum ColumnBuilder<Row> {
  package static func buildExpression(_ column: Column<Row>) -> [Column<Row>] { [column] }
  package static func buildExpression(_ columns: [Column<Row>]) -> [Column<Row>] { columns }
  package static func buildBlock(_ columns: [Column<Row>]...) -> [Column<Row>] { columns.flatMap { $0 } }
}
