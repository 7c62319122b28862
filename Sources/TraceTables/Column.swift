import TraceAnalysis
import TraceFormat

/// Where a column is shown.
package enum ColumnForm: Sendable {
  case everywhere
  /// A row of a table holds one value: lists and what is keyed by names are in documents only.
  case document
  /// The beginning of a list, in a table.
  case table
  /// Only two traces are compared by it.
  case comparison
  /// Only the page's table has it, computed from others.
  case page
}

/// How a column is headed in the page's table.
package struct PageHeading: Sendable {
  /// The order in the page is not that of the columns.
  let place: Int
  package var title: String
  package let tip: String
}

/// One fact of a result's rows, declared once: what it is called, what it means, how it is read, how two traces are
/// compared by it and whether a rule may ask for it.
package struct Column<Row>: Sendable {
  /// The key; in a table, that of a part is the path: `lateness_ns.p99`.
  package let name: String
  package let about: String
  package let form: ColumnForm
  let kind: ValueKind
  package let value: @Sendable (Row) -> Value
  /// What a group holds under its name; empty for one value.
  package let parts: [Column]
  /// Of a group that is one.
  package private(set) var distribution: (@Sendable (Row) -> Distribution?)?
  /// What compare and rules call it.
  package private(set) var measure: Measure
  /// Nil = two traces are not compared by it.
  package private(set) var comparison: ComparisonRule?
  package private(set) var isMetric = false
  /// Of a metric, what it can be split by: the parts of a group.
  package private(set) var splits: [Column] = []
  /// Nil = the page does not show it.
  package private(set) var heading: PageHeading?
  /// Of a moment in the page, the length of what begins there.
  package private(set) var length: (@Sendable (Row) -> UInt64)?
  /// Nanoseconds.
  package private(set) var isTime: Bool
  /// What the recording must hold.
  package private(set) var needs: Capture?

  init(
    _ name: String, _ about: String, in form: ColumnForm = .everywhere, _ kind: ValueKind,
    parts: [Column] = [], _ value: @escaping @Sendable (Row) -> Value
  ) {
    self.name = name
    self.about = about
    self.form = form
    self.kind = kind
    self.parts = parts
    self.value = value
    measure = Measure(name)
    isTime = name.hasSuffix("_ns")
  }
}

extension Column {
  package init<V: ValueConvertible>(
    _ name: String, _ about: String, in form: ColumnForm = .everywhere,
    _ read: @escaping @Sendable (Row) -> V
  ) {
    self.init(name, about, in: form, V.kind) { read($0).value }
  }

  /// By the name that compare and rules have for it.
  init<V: ValueConvertible>(
    _ measure: Measure, _ about: String, in form: ColumnForm = .everywhere,
    _ read: @escaping @Sendable (Row) -> V
  ) {
    self.init(measure.name, about, in: form, read)
    self.measure = measure
  }

  // MARK: Kinds

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

  /// The rows of another table, under its name.
  package static func rows<Part>(
    _ table: ResultTable<Part>, _ read: @escaping @Sendable (Row) -> [Part]
  ) -> Column {
    Column(table.name, table.about, in: .document, .list(.object { table.schema })) {
      .list(read($0).map(table.object))
    }
  }

  /// The one row of another table, under its name or another.
  package static func row<Part>(
    _ table: ResultTable<Part>, as name: String? = nil, _ read: @escaping @Sendable (Row) -> Part
  ) -> Column {
    Column(name ?? table.name, table.about, in: .document, .object { table.schema }) {
      table.object(read($0))
    }
  }

  /// The same, or null.
  package static func row<Part>(
    _ table: ResultTable<Part>, as name: String? = nil, ifAny read: @escaping @Sendable (Row) -> Part?
  ) -> Column {
    Column<Part>.row(table, as: name) { $0 }.of(read)
  }

  /// The rows of another table, each under a name of its own.
  package static func rowsByName<Part>(
    _ table: ResultTable<Part>, _ read: @escaping @Sendable (Row) -> [(String, Part)]
  ) -> Column {
    Column(table.name, table.about, in: .document, .byName(.object { table.schema })) { row in
      .object(Dictionary(read(row).map { ($0, table.object($1)) }) { first, _ in first })
    }
  }

  /// Columns under one name. A group of which nothing is known is null as a whole.
  static func group(_ name: String, in form: ColumnForm = .everywhere, _ parts: [Column]) -> Column {
    let kind = ValueKind.object { parts.schema("") }
    return Column(
      name, "", in: form, parts.allSatisfy(\.kind.isNullable) ? kind.optional : kind, parts: parts
    ) { row in
      let object = parts.object(row)
      return object.values.contains { $0 != .unknown } ? .object(object) : .unknown
    }
  }

  // MARK: What is asked of it

  /// How two traces are compared by it.
  func compared(_ rule: ComparisonRule, as measure: Measure? = nil) -> Column {
    var column = self
    column.comparison = rule
    column.measure = measure ?? column.measure
    return column
  }

  /// A rule may ask for it.
  func metric(splitBy group: Column? = nil) -> Column {
    var column = self
    column.isMetric = true
    column.splits = group?.parts ?? []
    return column
  }

  /// The page shows it; of a group, its parts with the title behind theirs.
  func page(
    _ place: Int, _ title: String, _ tip: String = "", length: (@Sendable (Row) -> UInt64)? = nil
  ) -> Column {
    var column = self
    column.heading = PageHeading(place: place, title: title, tip: tip)
    column.length = length
    return column
  }

  func saying(_ about: String) -> Column {
    Column(name, about, in: form, kind, parts: parts, value).shown(as: self)
  }

  func inNs() -> Column {
    var column = self
    column.isTime = true
    return column
  }

  /// Without it the column is unknown.
  func needing(_ capture: Capture) -> Column {
    var column = self
    column.needs = capture
    return column
  }

  func measuring(_ measure: Measure, _ read: @escaping @Sendable (Row) -> Distribution?) -> Column {
    var column = self
    column.measure = measure
    column.distribution = read
    return column
  }

  /// Nil = the row does not know it, or it is no count.
  package func count(_ row: Row) -> UInt64? {
    if case .integer(let count) = value(row) { count } else { nil }
  }

  // MARK: Of parts and wholes

  /// Of something that a row has, or may have.
  package func of<Whole>(_ part: @escaping @Sendable (Whole) -> Row?) -> Column<Whole> {
    let value = value
    return Column<Whole>(name, about, in: form, kind.optional, parts: parts.map { $0.of(part) }) {
      part($0).map(value) ?? .unknown
    }.shown(as: self)
  }

  /// Of something that each row has.
  package func ofEach<Whole>(_ part: @escaping @Sendable (Whole) -> Row) -> Column<Whole> {
    let value = value
    return Column<Whole>(name, about, in: form, kind, parts: parts.map { $0.ofEach(part) }) {
      value(part($0))
    }.shown(as: self)
  }

  /// Each value by itself, by its path.
  var cells: [Column] {
    parts.isEmpty
      ? [self]
      : parts.map { Column("\(name).\($0.name)", $0.about, in: form, $0.kind, $0.value).shown(as: $0) }
  }

  /// Those of its cells that the page shows.
  var pageCells: [Column] {
    guard let heading else { return [] }
    return parts.isEmpty
      ? [self]
      : cells.filter { $0.heading != nil }.map { part in
        let title = [part.heading?.title ?? "", heading.title].filter { !$0.isEmpty }.joined(separator: " ")
        return part.page(heading.place, title, part.heading?.tip ?? "")
      }
  }

  private func shown<Other>(as other: Column<Other>) -> Column {
    var column = self
    column.heading = other.heading
    column.isTime = other.isTime
    return column
  }

  var schema: Value {
    guard case .object(var schema) = kind.schema, !about.isEmpty else { return kind.schema }
    schema["description"] = .text(about)
    return .object(schema)
  }
}

extension Array {
  /// A row as an object.
  func object<Row>(_ row: Row) -> [String: Value] where Element == Column<Row> {
    Dictionary(map { ($0.name, $0.value(row)) }) { first, _ in first }
  }

  /// What holds for each object, as JSON Schema.
  func schema<Row>(_ about: String) -> Value where Element == Column<Row> {
    .object([
      "type": .text("object"), "description": .text(about), "additionalProperties": .truth(false),
      "required": .list(map { .text($0.name) }),
      "properties": .object(Dictionary(map { ($0.name, $0.schema) }) { first, _ in first }),
    ])
  }
}
