/// The order of blocks: none begins before the one before it of its thread ends, as stamps of a thread never go backwards.
package struct BlockOrder {
  private var ends: [UInt32: UInt64]

  /// `ends`: of threads that have blocks already, where the last one ends.
  package init(behind ends: [UInt32: UInt64] = [:]) { self.ends = ends }

  /// The earliest moment at which the next block of a thread may begin.
  package func end(of thread: UInt32) -> UInt64 { ends[thread, default: 0] }

  /// Whether a block of events may come next. One that may not is passed over.
  package mutating func accepts(_ entry: BlockEntry) -> Bool {
    guard entry.first >= end(of: entry.thread) else { return false }
    note(entry.thread, end: entry.last)
    return true
  }

  /// The last block of a thread ends there.
  package mutating func note(_ thread: UInt32, end: UInt64) { ends[thread] = end }
}
