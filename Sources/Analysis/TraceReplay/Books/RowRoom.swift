/// The number of rows that the tables of all threads may still add together.
package final class RowRoom {
  private let limit: Int
  private var taken = 0
  /// The number of rows for which there was no room.
  package private(set) var omitted: UInt64 = 0

  init(limit: Int) { self.limit = limit }

  /// Takes room for one row. Returns false if there is none.
  func take() -> Bool {
    guard taken < limit else {
      omitted &+= 1
      return false
    }
    taken += 1
    return true
  }

  /// Frees the room of all rows.
  func reset() {
    taken = 0
    omitted = 0
  }
}
