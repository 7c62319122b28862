import TraceTables

/// A kind of JSON document: the name of its schema, then the columns of a table.
struct JSONDocument<Row>: Sendable {
  private let name: String
  private let table: ResultTable<Row>

  init(_ name: String, _ about: String, @ColumnBuilder<Row> _ columns: () -> [Column<Row>]) {
    let columns = [Column("schema", "of this document") { _ in name }] + columns()
    self.name = name
    table = ResultTable(name, about) { columns }
  }

  /// One row gives an object, several an array of them.
  func encode(_ rows: [Row]) throws -> String { JSONText.pretty(value(rows)) }

  /// The same in pieces.
  func write(_ rows: [Row], to write: @escaping (String) throws -> Void) throws {
    try JSONText.write(value(rows), to: write)
  }

  private func value(_ rows: [Row]) -> Value {
    rows.count == 1 ? table.object(rows[0]) : .list(rows.map(table.object))
  }

  /// What holds for each document, as JSON Schema, draft 2020-12.
  func jsonSchema() throws -> String {
    guard case .object(var schema) = table.schema else { return "" }
    schema["$schema"] = .text("https://json-schema.org/draft/2020-12/schema")
    schema["title"] = .text(name)
    return JSONText.pretty(.object(schema)) + "\n"
  }
}
