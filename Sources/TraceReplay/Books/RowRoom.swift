/// How many more rows the tables of all threads together may have.
package final class RowRoom {
  private let limit: Int
  private var taken = 0
  /// What found no room.
  package private(set) var omitted: UInt64 = 0

  init(limit: Int) { self.limit = limit }

  /// Whether there is room for one more; it is taken then.
  func take() -> Bool {
    guard taken < limit else {
      omitted &+= 1
      return false
    }
    taken += 1
    return true
  }

  /// All rows are gone.
  func reset() {
    taken = 0
    omitted = 0
  }
}
