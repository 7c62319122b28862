/// A result whose rows all have the same columns: objects of documents, rows of exported tables, a part of the data
/// dictionary.
package struct ResultTable<Row>: Sendable {
  package let name: String
  /// What a row is.
  package let about: String
  package let columns: [Column<Row>]
  /// Those of a table, in its order, each with one value.
  package let tableColumns: [Column<Row>]
  /// What the recording must hold for any row.
  package let needs: Capture?
  private let documentColumns: [Column<Row>]
  /// How the table's columns are read: a column itself is a dozen references, too much to copy for each cell.
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

  /// A row as an object of a document.
  package func object(_ row: Row) -> Value { .object(documentColumns.object(row)) }

  /// A row of a table.
  package func cells(_ row: Row) -> [Value] { tableValues.map { $0(row) } }

  /// Of a list, the columns of its first row, for tables. `about`: what they are of, which the first of them says.
  func ofFirst<Whole>(
    _ about: String, _ list: @escaping @Sendable (Whole) -> [Row]
  ) -> [Column<Whole>] {
    tableColumns.enumerated().map { place, column in
      column.saying(place == 0 ? about : column.about).of { list($0).first }.ofFirst(in: name)
    }
  }

  /// What holds for each object, as JSON Schema.
  package var schema: Value { documentColumns.schema(about) }
}

@resultBuilder package enum ColumnBuilder<Row> {
  package static func buildExpression(_ column: Column<Row>) -> [Column<Row>] { [column] }
  package static func buildExpression(_ columns: [Column<Row>]) -> [Column<Row>] { columns }
  package static func buildBlock(_ columns: [Column<Row>]...) -> [Column<Row>] { columns.flatMap { $0 } }
}
