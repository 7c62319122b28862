/// Where a column is shown.
enum ColumnForm: Sendable {
  case everywhere
  /// A row of a table holds one value: lists and what is keyed by names are in documents only.
  case document
  /// The beginning of a list, in a table.
  case table
}

/// One fact of a result's rows, declared once: what it is called, what it means, and how it is read.
struct Column<Row>: Sendable {
  /// The path of the key: `lateness_ns.p99`.
  let name: String
  let about: String
  let form: ColumnForm
  let kind: ValueKind
  let value: @Sendable (Row) -> Value

  init<V: ValueConvertible>(
    _ name: String, _ about: String, in form: ColumnForm = .everywhere,
    _ read: @escaping @Sendable (Row) -> V
  ) {
    self.init(name, about, in: form, V.kind) { read($0).value }
  }

  init(
    _ name: String, _ about: String, in form: ColumnForm = .everywhere, _ kind: ValueKind,
    _ value: @escaping @Sendable (Row) -> Value
  ) {
    self.name = name
    self.about = about
    self.form = form
    self.kind = kind
    self.value = value
  }

  /// A share or a rate.
  static func share(_ name: String, _ about: String, _ read: @escaping @Sendable (Row) -> Double?) -> Column {
    Column(name, about, .nullable(.number)) { .share(read($0)) }
  }

  /// Numbers by name; those of one name are added up.
  static func sums(
    _ name: String, _ about: String, _ read: @escaping @Sendable (Row) -> [(String, UInt64)]?
  ) -> Column {
    Column(name, about, in: .document, .nullable(.byName(.integer))) { row in
      read(row).map { .object(Dictionary($0, uniquingKeysWith: &+).mapValues { .integer($0) }) } ?? .unknown
    }
  }

  /// The rows of another table.
  static func rows<Part>(
    _ name: String, _ table: ResultTable<Part>, _ read: @escaping @Sendable (Row) -> [Part]
  ) -> Column {
    Column(name, table.about, in: .document, .list(.object { table.schema })) { table.objects(read($0)) }
  }

  /// The one row of another table.
  static func row<Part>(
    _ name: String, _ table: ResultTable<Part>, _ read: @escaping @Sendable (Row) -> Part
  ) -> Column {
    Column(name, table.about, in: .document, .object { table.schema }) { table.object(read($0)) }
  }

  /// Of something that a row has, or may have.
  func of<Whole>(_ part: @escaping @Sendable (Whole) -> Row?) -> Column<Whole> {
    let value = value
    return Column<Whole>(name, about, in: form, kind.optional) { part($0).map(value) ?? .unknown }
  }

  /// Of something that each row has.
  func ofEach<Whole>(_ part: @escaping @Sendable (Whole) -> Row) -> Column<Whole> {
    let value = value
    return Column<Whole>(name, about, in: form, kind) { value(part($0)) }
  }

  func under(_ group: String) -> Column { Column("\(group).\(name)", about, in: form, kind, value) }
}

@resultBuilder enum ColumnBuilder<Row> {
  static func buildExpression(_ column: Column<Row>) -> [Column<Row>] { [column] }
  static func buildExpression(_ columns: [Column<Row>]) -> [Column<Row>] { columns }
  static func buildBlock(_ columns: [Column<Row>]...) -> [Column<Row>] { columns.flatMap { $0 } }
}

/// A result whose rows all have the same columns: objects of documents, rows of exported tables, a part of the data
/// dictionary.
struct ResultTable<Row>: Sendable {
  let name: String
  /// What a row is.
  let about: String
  let columns: [Column<Row>]
  /// Those of a table, in its order.
  let tableColumns: [Column<Row>]
  let tableNames: [String]
  private let fields: [Field]

  init(_ name: String, _ about: String, @ColumnBuilder<Row> _ columns: () -> [Column<Row>]) {
    self.name = name
    self.about = about
    self.columns = columns()
    tableColumns = self.columns.filter { $0.form != .document }
    tableNames = tableColumns.map(\.name)
    fields = Field.fields(self.columns.filter { $0.form != .table }.map { ($0.name[...], $0) })
  }

  init(_ table: ExportTable, _ about: String, @ColumnBuilder<Row> _ columns: () -> [Column<Row>]) {
    self.init(table.name, about, columns)
  }

  /// A row as an object. A group of which nothing is known is null as a whole.
  func object(_ row: Row) -> Value { .object(Field.object(fields, row)) }

  func objects(_ rows: [Row]) -> Value { .list(rows.map(object)) }

  /// What holds for each object, as JSON Schema.
  var schema: Value { Field.schema(fields, about) }

  /// The table's part of the data dictionary.
  var dictionary: [String] {
    let width = tableNames.map(\.count).max() ?? 0
    return ["", "\(name): \(about)", ""]
      + tableColumns.map { "  \(TextTable.pad($0.name, width, left: true))  \($0.about)" }
  }

  /// A key of the object.
  private struct Field: Sendable {
    let key: String
    /// Nil = it has fields of its own.
    let column: Column<Row>?
    let fields: [Field]

    static func fields(_ columns: [(path: Substring, column: Column<Row>)]) -> [Field] {
      var keys: [Substring] = []
      var byKey: [Substring: [(Substring, Column<Row>)]] = [:]
      for (path, column) in columns {
        let key = path.prefix { $0 != "." }
        if byKey[key] == nil { keys.append(key) }
        byKey[key, default: []].append((path.dropFirst(key.count + 1), column))
      }
      return keys.map { key in
        let inner = byKey[key] ?? []
        let isGroup = inner.contains { !$0.0.isEmpty }
        return Field(
          key: String(key), column: isGroup ? nil : inner.first?.1, fields: isGroup ? fields(inner) : [])
      }
    }

    static func object(_ fields: [Field], _ row: Row) -> [String: Value] {
      Dictionary(fields.map { ($0.key, $0.value(row)) }) { first, _ in first }
    }

    static func schema(_ fields: [Field], _ about: String) -> Value {
      .object([
        "type": .text("object"), "description": .text(about), "additionalProperties": .truth(false),
        "required": .list(fields.map { .text($0.key) }),
        "properties": .object(
          Dictionary(fields.map { ($0.key, $0.schema) }) { first, _ in first }),
      ])
    }

    private var schema: Value {
      guard let column else {
        let group = ValueKind.object { Field.schema(fields, "") }
        return (canBeUnknown ? group.optional : group).schema
      }
      guard case .object(var schema) = column.kind.schema, !column.about.isEmpty else {
        return column.kind.schema
      }
      schema["description"] = .text(column.about)
      return .object(schema)
    }

    private var canBeUnknown: Bool { column?.kind.isNullable ?? fields.allSatisfy(\.canBeUnknown) }

    private func value(_ row: Row) -> Value {
      if let column { return column.value(row) }
      let object = Field.object(fields, row)
      return object.values.contains { $0 != .unknown } ? .object(object) : .unknown
    }
  }
}
