import CallStacks
import TraceAnalysis
import TraceFormat

/// One fact of a result's rows, declared once. The declaration has its name and meaning, and how to read, show and
/// compare it. It also determines whether a rule may use the fact.
package struct Column<Row>: Sendable {
  let any: AnyColumn

  init(_ any: AnyColumn) { self.any = any }

  package var name: String { any.name }
  package var about: String { any.about }
  package var key: String? { any.key }
  package var parts: [Column] { any.parts.map(Column.init) }
  package var measure: Measure { any.comparison.measure }
  package var comparison: ComparisonRule? { any.comparison.rule }
  package var metric: String? { any.gate.metric }
  package var splits: [Column] { any.gate.splits.map(Column.init) }
  package var heading: Heading? { any.people.heading }
  package var needs: Capture? { any.needs }

  package func value(_ row: Row) -> Value { AnyRow.with(row, any.value) }

  /// For a distribution column: how to read the distribution.
  package var distribution: ((Row) -> Distribution?)? {
    any.comparison.distribution.map { read in { AnyRow.with($0, read) } }
  }

  /// For a share: its part and whole, so that several rows can be combined.
  package var fraction: ((Row) -> (part: UInt64, whole: UInt64))? {
    any.comparison.fraction.map { read in { AnyRow.with($0, read) } }
  }
}

extension Column {
  init(
    _ name: String, _ about: String, in form: ColumnForm = .everywhere, _ kind: ValueKind,
    _ value: @escaping @Sendable (Row) -> Value
  ) {
    self.init(AnyColumn(name, about, in: form, kind) { $0.read(value) })
  }

  package init<V: ValueConvertible>(
    _ name: String, _ about: String, in form: ColumnForm = .everywhere,
    _ read: @escaping @Sendable (Row) -> V
  ) {
    self.init(AnyColumn(name, about, in: form, V.kind) { $0.read(read).value })
  }

  /// Creates a column with the name that comparisons and rules use.
  init<V: ValueConvertible>(
    _ measure: Measure, _ about: String, in form: ColumnForm = .everywhere,
    _ read: @escaping @Sendable (Row) -> V
  ) {
    let column = Column(measure.name, about, in: form, read)
    self = column.with { $0.comparison.measure = measure }
  }

  /// Creates a column of a table for people, computed from other columns.
  package init<V: ValueConvertible>(_ heading: Heading, _ read: @escaping @Sendable (Row) -> V) {
    let column = Column(heading.title, heading.tip, in: .people, read)
    self = column.with { $0.people.heading = heading }
  }

  // MARK: Kinds

  /// A column for people with the file and line of a function, without folders.
  static func source(
    _ tip: String, at place: Int, _ frame: @escaping @Sendable (Row) -> StackFrame?
  ) -> Column {
    Column(Heading("code", tip, at: place, isSource: true)) { frame($0)?.shortPlace }.shown(as: .name)
  }

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
    }.with { $0.comparison.fraction = { $0.read(fraction) } }
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

  /// A column with the rows of another table. Without rows, documents leave it out.
  package static func rowsIfAny<Part>(
    _ table: ResultTable<Part>, _ read: @escaping @Sendable (Row) -> [Part]
  ) -> Column {
    Column(
      table.name, "\(table.about); absent if there are none", in: .document, .list(.object { table.schema })
    ) {
      let rows = read($0)
      return rows.isEmpty ? .unknown : .rows(LazyValues(rows.count) { table.object(rows[$0]) })
    }.with { $0.mayBeAbsent = true }
  }

  /// A column with a number. If it is 0, documents leave it out.
  static func countIfAny(_ name: String, _ about: String, _ read: @escaping @Sendable (Row) -> UInt64)
    -> Column
  {
    Column(name, about, in: .document, .integer) { row in
      let count = read(row)
      return count == 0 ? .unknown : .integer(count)
    }.with { $0.mayBeAbsent = true }
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

  /// A column with one row of another table. Without it, documents leave it out.
  package static func rowIfAny<Part>(
    _ table: ResultTable<Part>, _ read: @escaping @Sendable (Row) -> Part?
  ) -> Column {
    row(table, ifAny: read).with { $0.mayBeAbsent = true }
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
    Column(AnyColumn(group: name, in: form, parts.map(\.any)))
  }

  // MARK: Uses of a column

  /// Sets how two traces are compared by the column.
  func compared(_ rule: ComparisonRule, as measure: Measure? = nil) -> Column {
    with {
      $0.comparison.rule = rule
      $0.comparison.measure = measure ?? $0.comparison.measure
    }
  }

  /// Makes the column available to rules.
  func metric(as name: String? = nil, splitBy group: Column? = nil) -> Column {
    with {
      $0.gate.metric = name ?? $0.comparison.measure.name
      $0.gate.splits = group?.any.parts ?? []
    }
  }

  /// Shows the column in tables for people. For a group, each part adds this title after its own.
  package func headed(
    _ title: String, _ tip: String = "", at place: Int, in readers: Heading.Readers = .all,
    isOptional: Bool = false
  ) -> Column {
    with { $0.people.heading = Heading(title, tip, at: place, in: readers, isOptional: isOptional) }
  }

  /// Sets the value that people see instead of the real one; nil = the real value.
  package func instead(_ shown: @escaping @Sendable (Row) -> Shown?) -> Column {
    with { $0.people.replacement = { $0.read(shown) } }
  }

  package func shown(as unit: Unit) -> Column { with { $0.people.unit = unit } }

  /// Marks the value as a moment; `length` returns the length of the span that begins there.
  package func moment(_ length: @escaping @Sendable (Row) -> UInt64) -> Column {
    with { $0.people.length = { $0.read(length) } }
  }

  /// Sets the meaning, for a table in which the column has another one.
  package func saying(_ about: String) -> Column { with { $0.about = about } }

  /// Makes the column a table column for the first element of a list.
  func columnsOfFirst(in list: String) -> Column { Column(any.columnOfFirst(in: list)) }

  /// Declares what the recording must hold; without it the column is unknown or empty. The description in documents
  /// mentions it.
  func needing(_ capture: Capture) -> Column { Column(any.needing(capture)) }

  func measuring(_ measure: Measure, _ read: @escaping @Sendable (Row) -> Distribution?) -> Column {
    with {
      $0.comparison.measure = measure
      $0.comparison.distribution = { $0.read(read) }
    }
  }

  /// Returns the value as a count; nil = the row does not know it, or it is not a count.
  package func count(_ row: Row) -> UInt64? {
    if case .integer(let count) = value(row) { count } else { nil }
  }

  private func with(_ change: (inout AnyColumn) -> Void) -> Column { Column(any.with(change)) }

  // MARK: Parts and wholes

  /// Returns a column of `Whole` that reads this column from an optional part; the value is unknown without the part.
  package func of<Whole>(_ part: @escaping @Sendable (Whole) -> Row?) -> Column<Whole> {
    Column<Whole>(
      any.reading(isOptional: true) { whole, use in
        if let part = whole.read(part) { AnyRow.with(part, use) }
      })
  }

  /// Returns a column of `Whole` that reads this column from a part that every row has.
  package func ofEach<Whole>(_ part: @escaping @Sendable (Whole) -> Row) -> Column<Whole> {
    Column<Whole>(any.reading(isOptional: false) { whole, use in AnyRow.with(whole.read(part), use) })
  }

  /// One column for each value of a group, with its path as the name.
  package var cells: [Column] { any.cells.map(Column.init) }

  /// Returns one part of the group as a column for people.
  package func cell<Part>(_ part: Column<Part>) -> Column { Column(any.cell(part.name)) }
}
