import TraceFacts

/// The changes of the program's named states, in time order.
struct StateChanges {
  private(set) var all: [StateFact] = []
  /// The changes from this moment on are left out; nil = none is.
  private(set) var cutAt: UInt64?
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  mutating func add(_ change: StateFact) {
    guard cutAt == nil else { return }
    if all.count < limit {
      all.append(change)
    } else {
      cutAt = change.time
    }
  }
}
