/// A column of a table for people, without the type of its rows.
package struct ShownColumn: Sendable {
  private let any: AnyColumn

  fileprivate init(_ any: AnyColumn) { self.any = any }

  package var title: String { any.people.heading?.title ?? "" }
  package var tip: String { any.people.heading?.tip ?? "" }
  /// Whether the column holds file and line.
  package var isSource: Bool { any.people.heading?.isSource == true }
  /// Whether its values are not numbers.
  package var isOfWords: Bool { any.isOfWords }
  package var key: String? { any.key }
}

extension Array {
  /// The columns without the type of their rows.
  package func shownColumns<Row>() -> [ShownColumn] where Element == Column<Row> {
    map { ShownColumn($0.any) }
  }

  /// Returns the values of a row, as people see them.
  package func shown<Row>(_ row: Row) -> [Shown] where Element == Column<Row> {
    AnyRow.with(row) { row in map { $0.any.shown(row) } }
  }
}
