import Foundation
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
  func encode(_ rows: [Row]) throws -> String {
    let objects = rows.map(table.object)
    return try JSONText.pretty(objects.count == 1 ? objects[0] : .list(objects))
  }

  /// What holds for each document, as JSON Schema, draft 2020-12.
  func jsonSchema() throws -> String {
    guard case .object(var schema) = table.schema else { return "" }
    schema["$schema"] = .text("https://json-schema.org/draft/2020-12/schema")
    schema["title"] = .text(name)
    return try JSONText.pretty(.object(schema)) + "\n"
  }
}

enum JSONText {
  /// Keys are sorted, so that outputs compare as text.
  static func pretty(_ value: Value) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return harmless(String(decoding: try encoder.encode(value), as: UTF8.self))
  }

  /// The same document, without anything raw that moves a cursor or turns text around: it may be looked at, too.
  private static func harmless(_ document: String) -> String {
    guard !document.utf8.allSatisfy({ ($0 >= 0x20 || $0 == UInt8(ascii: "\n")) && $0 < 0x7F }) else {
      return document
    }
    var out = String.UnicodeScalarView()
    for scalar in document.unicodeScalars {
      if scalar == "\n" || scalar.visible == scalar {
        out.append(scalar)
      } else {
        // Strings alone have such characters in JSON.
        out.append(contentsOf: escape(scalar).unicodeScalars)
      }
    }
    return String(out)
  }

  /// A scalar in a string of JSON, by its UTF-16.
  static func escape(_ scalar: Unicode.Scalar) -> String {
    UTF16.encode(scalar).map { units in
      units.map { "\\u" + String(UInt32($0) + 0x10000, radix: 16).dropFirst() }.joined()
    } ?? ""
  }
}
