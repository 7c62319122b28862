/// The rows of a table by key, in the order in which they came: so many, and one behind them that all further keys share.
struct LimitedIndex<Key: Hashable> {
  let limit: Int
  private var rows: [Key: Int] = [:]
  /// The shared row is in use.
  private(set) var isOverfull = false

  init(limit: Int) { self.limit = limit }

  /// The row of a key. `append` is asked for a new one; nil = the shared one.
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
