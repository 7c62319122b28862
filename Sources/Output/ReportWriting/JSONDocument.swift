import TraceTables

/// A kind of JSON document: the name of its schema, followed by the columns of a table.
package struct JSONDocument<Row>: Sendable {
  private let name: String
  private let table: ResultTable<Row>

  package init(_ name: String, _ about: String, @ColumnBuilder<Row> _ columns: () -> [AnyColumn]) {
    self.name = name
    table = ResultTable(name, about) {
      Column("schema", "name and version of the document's format") { _ in name }
      columns()
    }
  }

  /// Encodes one row as an object, and several as an array.
  package func encode(_ rows: [Row]) throws -> String { JSONText.pretty(value(rows)) }

  /// Writes the document in pieces.
  package func write(_ rows: [Row], to write: @escaping (String) throws -> Void) throws {
    try JSONText.write(value(rows), to: write)
  }

  private func value(_ rows: [Row]) -> Value {
    rows.count == 1 ? table.object(rows[0]) : .list(rows.map(table.object))
  }

  /// Returns the JSON Schema of the document, draft 2020-12.
  package func jsonSchema() throws -> String {
    guard case .object(var schema) = table.schema else { return "" }
    schema["$schema"] = .text("https://json-schema.org/draft/2020-12/schema")
    schema["title"] = .text(name)
    return JSONText.pretty(.object(schema)) + "\n"
  }
}
