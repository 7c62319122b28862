/// The order of blocks: none begins before the one before it of its thread ends, as stamps of a thread never go backwards.
package struct BlockOrder {
  private var lastTimes: [UInt32: UInt64] = [:]

  package init() {}

  /// Whether a block of events may come next. One that may not is passed over.
  package mutating func accepts(_ entry: BlockEntry) -> Bool {
    guard entry.first >= lastTimes[entry.thread, default: 0] else { return false }
    lastTimes[entry.thread] = entry.last
    return true
  }
}
