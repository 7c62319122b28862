import TraceFacts

/// The slices of work of the queues of one name, in rows of slices that do not overlap.
struct QueueLane: ~Copyable {
  /// Dispatch runs at most so many slices of a queue at once. Further ones are only in the sums.
  private static let rowLimit = 64

  /// The queue whose name the lane has.
  let queue: ServingQueue
  var lane: ThreadLane
  /// When the last slice of each row ended.
  private var ends: [UInt64] = []

  init(_ queue: ServingQueue, from: UInt64, to: UInt64, _ limits: TimelineLimits) {
    self.queue = queue
    lane = ThreadLane(thread: .max, from: from, to: to, limits)
  }

  var rows: Int { ends.count }

  /// Adds a slice. Slices come in the order of their ends.
  mutating func add(_ slice: CalloutFact, waited: UInt64) {
    var row = ends.firstIndex { $0 <= slice.start }
    if row == nil, ends.count < Self.rowLimit {
      row = ends.count
      ends.append(0)
    }
    if let row { ends[row] = slice.end }
    lane.slice(slice, row: row)
    lane.detail.mark(asBadAs: waited)
  }
}
