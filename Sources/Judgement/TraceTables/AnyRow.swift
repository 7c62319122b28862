/// A row without its type.
///
/// SAFETY: a row is read only as the type with which it was made, because `Column<Row>` and `ResultTable<Row>` make
/// it and pass it to columns of the same `Row`. It is valid only during the call that it is passed to.
@safe package struct AnyRow {
  private let address: UnsafeRawPointer

  /// Calls `body` with `row`. O(1), without a copy of the row.
  static func with<Row, Result>(_ row: Row, _ body: (AnyRow) -> Result) -> Result {
    unsafe withUnsafePointer(to: row) { unsafe body(AnyRow(address: UnsafeRawPointer($0))) }
  }

  /// Calls `body` with the row as `Row`.
  func read<Row, Result>(_ body: (Row) -> Result) -> Result {
    unsafe body(address.assumingMemoryBound(to: Row.self).pointee)
  }
}
