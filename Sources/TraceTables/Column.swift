import CallStacks
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
  /// Only tables for people have it, computed from others.
  case people
}

/// One fact of a result's rows, declared once: what it is called, what it means, how it is read, how people are shown
/// it, how two traces are compared by it and whether a rule may ask for it.
package struct Column<Row>: Sendable {
  /// The key; in a table, that of a part is the path: `lateness_ns.p99`.
  package private(set) var name: String
  package private(set) var about: String
  package private(set) var form: ColumnForm
  let kind: ValueKind
  package let value: @Sendable (Row) -> Value
  /// What a group holds under its name; empty for one value.
  package let parts: [Column]
  /// Below a row's own, in documents; nil = it is in none.
  package private(set) var key: String?
  /// Of a group that is one.
  package private(set) var distribution: (@Sendable (Row) -> Distribution?)?
  /// Of a share, what it is of: so it can be taken of several rows together.
  package private(set) var fraction: (@Sendable (Row) -> (part: UInt64, whole: UInt64))?
  /// What compare and rules call it.
  package private(set) var measure: Measure
  /// Nil = two traces are not compared by it.
  package private(set) var comparison: ComparisonRule?
  /// What rules call it; nil = they may not ask for it.
  package private(set) var metric: String?
  /// Of a metric, what it can be split by: the parts of a group.
  package private(set) var splits: [Column] = []
  /// Nil = no table for people has it.
  package private(set) var heading: Heading?
  private(set) var unit: Unit
  /// Of a moment, the length of what begins there.
  private(set) var length: (@Sendable (Row) -> UInt64)?
  /// The file and line of a function, without folders, for people.
  static func source(_ tip: String, at place: Int, _ frame: @escaping @Sendable (Row) -> StackFrame?)
    -> Column
  {
    Column(Heading("code", tip, at: place, isSource: true)) { frame($0)?.shortPlace }.shown(as: .name)
  }

  /// What people are shown instead of the value; nil = the value.
  private(set) var replacement: @Sendable (Row) -> Shown? = { _ in nil }
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
    key = form == .everywhere || form == .document ? name : nil
    measure = Measure(name)
    unit = name.hasSuffix("_ns") ? .time : kind.isOfWords ? .words : .count
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

  /// Of a table for people, computed from other columns.
  package init<V: ValueConvertible>(_ heading: Heading, _ read: @escaping @Sendable (Row) -> V) {
    self.init(heading.title, heading.tip, in: .people, V.kind) { read($0).value }
    self.heading = heading
  }

  // MARK: Kinds

  /// A share or a rate.
  static func share(_ name: String, _ about: String, _ read: @escaping @Sendable (Row) -> Double?) -> Column {
    Column(name, about, .nullable(.number)) { .share(read($0)) }
  }

  static func share(
    _ name: String, _ about: String, of fraction: @escaping @Sendable (Row) -> (part: UInt64, whole: UInt64)
  ) -> Column {
    share(name, about) { row in
      let (part, whole) = fraction(row)
      return TraceTables.share(part, of: whole)
    }.with { $0.fraction = fraction }
  }

  /// Numbers by name; those of one name are added up.
  static func sums(
    _ name: String, _ about: String, _ read: @escaping @Sendable (Row) -> [(String, UInt64)]?
  ) -> Column {
    Column(name, about, in: .document, .nullable(.byName(.integer))) { row in
      read(row).map { .object(Dictionary($0) { $0.saturated(adding: $1) }.mapValues { .integer($0) }) }
        ?? .unknown
    }
  }

  /// The rows of another table, under its name.
  package static func rows<Part>(
    _ table: ResultTable<Part>, _ read: @escaping @Sendable (Row) -> [Part]
  ) -> Column {
    Column(table.name, table.about, in: .document, .list(.object { table.schema })) {
      let rows = read($0)
      return .rows(LazyValues(rows.count) { table.object(rows[$0]) })
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
    with {
      $0.comparison = rule
      $0.measure = measure ?? $0.measure
    }
  }

  /// A rule may ask for it.
  func metric(as name: String? = nil, splitBy group: Column? = nil) -> Column {
    with {
      $0.metric = name ?? $0.measure.name
      $0.splits = group?.parts ?? []
    }
  }

  /// Tables for people have it; of a group, its parts with the title behind theirs.
  package func headed(
    _ title: String, _ tip: String = "", at place: Int, in readers: Heading.Readers = .all
  ) -> Column {
    with { $0.heading = Heading(title, tip, at: place, in: readers) }
  }

  /// What people are shown instead of the value; nil = the value.
  package func instead(_ shown: @escaping @Sendable (Row) -> Shown?) -> Column {
    with { $0.replacement = shown }
  }

  package func shown(as unit: Unit) -> Column { with { $0.unit = unit } }

  /// A moment, with the length of what begins there.
  package func moment(_ length: @escaping @Sendable (Row) -> UInt64) -> Column { with { $0.length = length } }

  /// Only tables for people have it here, which documents have elsewhere.
  package func forPeople() -> Column { with { $0.form = .people } }

  func saying(_ about: String) -> Column { with { $0.about = about } }

  /// Under the name of what it is part of.
  private func below(_ name: String, at key: String?) -> Column {
    with {
      $0.name = "\(name).\(self.name)"
      $0.key = key.map { "\($0).\(self.name)" }
    }
  }

  /// In a table, of the first of a list.
  func ofFirst(in list: String) -> Column {
    below("\(list).0", at: "\(list)[0]").with { $0.form = .table }
  }

  /// Without it the column is unknown, or empty; what documents say of it says so.
  func needing(_ capture: Capture) -> Column {
    with {
      $0.needs = capture
      $0.about += "\($0.about.isEmpty ? "" : "; ")needs \(capture.words)"
    }
  }

  func measuring(_ measure: Measure, _ read: @escaping @Sendable (Row) -> Distribution?) -> Column {
    with {
      $0.measure = measure
      $0.distribution = read
    }
  }

  /// Nil = the row does not know it, or it is no count.
  package func count(_ row: Row) -> UInt64? {
    if case .integer(let count) = value(row) { count } else { nil }
  }

  // MARK: Of parts and wholes

  /// Of something that a row has, or may have.
  package func of<Whole>(_ part: @escaping @Sendable (Whole) -> Row?) -> Column<Whole> {
    copied(kind: \.optional, part)
  }

  /// Of something that each row has.
  package func ofEach<Whole>(_ part: @escaping @Sendable (Whole) -> Row) -> Column<Whole> {
    copied(part)
  }

  /// Each value by itself, by its path.
  package var cells: [Column] { parts.isEmpty ? [self] : parts.map { $0.below(name, at: key) } }

  /// One of its parts by itself, for people.
  package func cell<Part>(_ part: Column<Part>) -> Column {
    (parts.first { $0.name == part.name } ?? self).below(name, at: key).forPeople()
  }

  /// Those of its cells that tables for people have.
  func cells(for readers: Heading.Readers) -> [Column] {
    guard let heading, heading.readers.contains(readers) else { return [] }
    guard !parts.isEmpty else { return [self] }
    return cells.compactMap { cell in
      guard var ofPart = cell.heading, ofPart.readers.contains(readers) else { return nil }
      ofPart.title = [ofPart.title, heading.title].filter { !$0.isEmpty }.joined(separator: " ")
      ofPart.place = heading.place
      return cell.with { $0.heading = ofPart }
    }
  }

  private func with(_ change: (inout Column) -> Void) -> Column {
    var column = self
    change(&column)
    return column
  }

  private func copied<Other>(
    kind: (ValueKind) -> ValueKind = \.self, _ part: @escaping @Sendable (Other) -> Row?
  ) -> Column<Other> {
    let (value, replacement, length) = (value, replacement, length)
    var column = Column<Other>(
      name, about, in: form, kind(self.kind), parts: parts.map { $0.copied(kind: kind, part) }
    ) { part($0).map(value) ?? .unknown }
    column.key = key
    column.measure = measure
    column.heading = heading
    column.unit = unit
    if let length { column.length = { part($0).map(length) ?? 0 } }
    column.replacement = { part($0).flatMap(replacement) }
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
