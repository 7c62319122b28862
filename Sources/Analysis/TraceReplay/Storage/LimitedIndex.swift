/// Assigns rows of a table to keys, in the order of first use, up to a limit. All further keys share one row after
/// them.
struct LimitedIndex<Key: Hashable> {
  let limit: Int
  private var rows: [Key: Int] = [:]
  /// Whether the shared row is in use.
  private(set) var isOverfull = false

  init(limit: Int) { self.limit = limit }

  /// Returns the row of a key. Calls `append` for a new row, with nil for the shared one.
  mutating func row(of key: Key, _ append: (Key?) -> Void) -> Int {
    if let known = rows[key] { return known }
    let isNew = rows.count < limit
    if isNew || !isOverfull { append(isNew ? key : nil) }
    guard isNew else {
      isOverfull = true
      return limit
    }
    rows[key] = rows.count
    return rows.count - 1
  }
}
