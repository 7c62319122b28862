import CallStacks
import TraceAnalysis
import TraceFormat

/// The places where a column is shown.
package enum ColumnForm: Sendable {
  case everywhere
  /// Documents only. A table row holds one value for each column, so lists and values keyed by name are in documents
  /// only.
  case document
  /// Tables only: the first element of a list.
  case table
  /// Used only to compare two traces.
  case comparison
  /// Tables for people only, computed from other columns.
  case people
}

/// One fact of a result's rows, declared once. The declaration has its name and meaning, and how to read, show and
/// compare it. It also determines whether a rule may use the fact.
package struct Column<Row>: Sendable {
  /// The key. In a table, the key of a part is its path: `lateness_ns.p99`.
  package private(set) var name: String
  package private(set) var about: String
  package private(set) var form: ColumnForm
  let kind: ValueKind
  package let value: @Sendable (Row) -> Value
  /// The parts of a group; empty for a single value.
  package let parts: [Column]
  /// The path below the key of a row in documents; nil = documents do not contain it.
  package private(set) var key: String?
  /// For a distribution column: how to read the distribution.
  package private(set) var distribution: (@Sendable (Row) -> Distribution?)?
  /// For a share: its part and whole, so that several rows can be combined.
  package private(set) var fraction: (@Sendable (Row) -> (part: UInt64, whole: UInt64))?
  /// The name in comparisons and rules.
  package private(set) var measure: Measure
  /// Nil = comparisons of two traces do not use the column.
  package private(set) var comparison: ComparisonRule?
  /// The name in rules; nil = rules may not use the column.
  package private(set) var metric: String?
  /// For a metric: the parts of the group by which it can be split.
  package private(set) var splits: [Column] = []
  /// The heading in tables for people; nil = these tables do not show the column.
  package private(set) var heading: Heading?
  private(set) var unit: Unit
  /// For a moment: the length of the span that begins there.
  private(set) var length: (@Sendable (Row) -> UInt64)?
  /// A column for people with the file and line of a function, without folders.
  static func source(_ tip: String, at place: Int, _ frame: @escaping @Sendable (Row) -> StackFrame?)
    -> Column
  {
    Column(Heading("code", tip, at: place, isSource: true)) { frame($0)?.shortPlace }.shown(as: .name)
  }

  /// The value that people see instead of the real one; nil = the real value.
  private(set) var replacement: @Sendable (Row) -> Shown? = { _ in nil }
  /// The data that the recording must hold for the column to be known.
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

  /// Creates a column with the name that comparisons and rules use.
  init<V: ValueConvertible>(
    _ measure: Measure, _ about: String, in form: ColumnForm = .everywhere,
    _ read: @escaping @Sendable (Row) -> V
  ) {
    self.init(measure.name, about, in: form, read)
    self.measure = measure
  }

  /// Creates a column of a table for people, computed from other columns.
  package init<V: ValueConvertible>(_ heading: Heading, _ read: @escaping @Sendable (Row) -> V) {
    self.init(heading.title, heading.tip, in: .people, V.kind) { read($0).value }
    self.heading = heading
  }

  // MARK: Kinds

  /// A column with a share or a rate.
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

  /// A column with numbers by name. Numbers with the same name are added up.
  static func sums(
    _ name: String, _ about: String, _ read: @escaping @Sendable (Row) -> [(String, UInt64)]?
  ) -> Column {
    Column(name, about, in: .document, .nullable(.byName(.integer))) { row in
      read(row).map { .object(Dictionary($0) { $0.saturated(adding: $1) }.mapValues { .integer($0) }) }
        ?? .unknown
    }
  }

  /// A column with the rows of another table, under that table's name.
  package static func rows<Part>(
    _ table: ResultTable<Part>, _ read: @escaping @Sendable (Row) -> [Part]
  ) -> Column {
    Column(table.name, table.about, in: .document, .list(.object { table.schema })) {
      let rows = read($0)
      return .rows(LazyValues(rows.count) { table.object(rows[$0]) })
    }
  }

  /// A column with one row of another table, under that table's name or under `name`.
  package static func row<Part>(
    _ table: ResultTable<Part>, as name: String? = nil, _ read: @escaping @Sendable (Row) -> Part
  ) -> Column {
    Column(name ?? table.name, table.about, in: .document, .object { table.schema }) {
      table.object(read($0))
    }
  }

  /// A column with one row of another table, or null.
  package static func row<Part>(
    _ table: ResultTable<Part>, as name: String? = nil, ifAny read: @escaping @Sendable (Row) -> Part?
  ) -> Column {
    Column<Part>.row(table, as: name) { $0 }.of(read)
  }

  /// A column with the rows of another table, each under a name of its own.
  package static func rowsByName<Part>(
    _ table: ResultTable<Part>, _ read: @escaping @Sendable (Row) -> [(String, Part)]
  ) -> Column {
    Column(table.name, table.about, in: .document, .byName(.object { table.schema })) { row in
      .object(Dictionary(read(row).map { ($0, table.object($1)) }) { first, _ in first })
    }
  }

  /// A group of columns under one name. If no part is known, the whole group is null.
  static func group(_ name: String, in form: ColumnForm = .everywhere, _ parts: [Column]) -> Column {
    let kind = ValueKind.object { parts.schema("") }
    return Column(
      name, "", in: form, parts.allSatisfy(\.kind.isNullable) ? kind.optional : kind, parts: parts
    ) { row in
      let object = parts.object(row)
      return object.values.contains { $0 != .unknown } ? .object(object) : .unknown
    }
  }

  // MARK: Uses of a column

  /// Sets how two traces are compared by the column.
  func compared(_ rule: ComparisonRule, as measure: Measure? = nil) -> Column {
    with {
      $0.comparison = rule
      $0.measure = measure ?? $0.measure
    }
  }

  /// Makes the column available to rules.
  func metric(as name: String? = nil, splitBy group: Column? = nil) -> Column {
    with {
      $0.metric = name ?? $0.measure.name
      $0.splits = group?.parts ?? []
    }
  }

  /// Shows the column in tables for people. The parts of a group put the title after their own.
  package func headed(
    _ title: String, _ tip: String = "", at place: Int, in readers: Heading.Readers = .all
  ) -> Column {
    with { $0.heading = Heading(title, tip, at: place, in: readers) }
  }

  /// Sets the value that people see instead of the real one; nil = the real value.
  package func instead(_ shown: @escaping @Sendable (Row) -> Shown?) -> Column {
    with { $0.replacement = shown }
  }

  package func shown(as unit: Unit) -> Column { with { $0.unit = unit } }

  /// Marks the value as a moment; `length` returns the length of the span that begins there.
  package func moment(_ length: @escaping @Sendable (Row) -> UInt64) -> Column { with { $0.length = length } }

  /// Restricts the column to tables for people. Documents hold it elsewhere.
  package func onlyForPeople() -> Column { with { $0.form = .people } }

  func saying(_ about: String) -> Column { with { $0.about = about } }

  /// Puts the column under the name of its parent.
  private func below(_ name: String, at key: String?) -> Column {
    with {
      $0.name = "\(name).\(self.name)"
      $0.key = key.map { "\($0).\(self.name)" }
    }
  }

  /// Makes the column a table column for the first element of a list.
  func columnsOfFirst(in list: String) -> Column {
    below("\(list).0", at: "\(list)[0]").with { $0.form = .table }
  }

  /// Declares what the recording must hold; without it the column is unknown or empty. The description in documents
  /// mentions it.
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

  /// Returns the value as a count; nil = the row does not know it, or it is not a count.
  package func count(_ row: Row) -> UInt64? {
    if case .integer(let count) = value(row) { count } else { nil }
  }

  // MARK: Parts and wholes

  /// Returns a column of `Whole` that reads this column from an optional part; the value is unknown without the part.
  package func of<Whole>(_ part: @escaping @Sendable (Whole) -> Row?) -> Column<Whole> {
    copied(kind: \.optional, part)
  }

  /// Returns a column of `Whole` that reads this column from a part that every row has.
  package func ofEach<Whole>(_ part: @escaping @Sendable (Whole) -> Row) -> Column<Whole> {
    copied(part)
  }

  /// One column for each value of a group, with its path as the name.
  package var cells: [Column] { parts.isEmpty ? [self] : parts.map { $0.below(name, at: key) } }

  /// Returns one part of the group as a column for people.
  package func cell<Part>(_ part: Column<Part>) -> Column {
    (parts.first { $0.name == part.name } ?? self).below(name, at: key).onlyForPeople()
  }

  /// Returns the cells that tables for people show.
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
  /// Returns a row as an object.
  func object<Row>(_ row: Row) -> [String: Value] where Element == Column<Row> {
    Dictionary(map { ($0.name, $0.value(row)) }) { first, _ in first }
  }

  /// Returns the JSON Schema of each object.
  func schema<Row>(_ about: String) -> Value where Element == Column<Row> {
    .object([
      "type": .text("object"), "description": .text(about), "additionalProperties": .truth(false),
      "required": .list(map { .text($0.name) }),
      "properties": .object(Dictionary(map { ($0.name, $0.schema) }) { first, _ in first }),
    ])
  }
}
