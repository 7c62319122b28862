/// Checks the order of event blocks. The stamps of a thread never go backwards, so no block may begin before the
/// previous block of its thread ends.
package struct BlockOrder {
  private var ends: [UInt32: UInt64]

  /// `ends`: for each thread that already has blocks, the end of its last one.
  package init(behind ends: [UInt32: UInt64] = [:]) { self.ends = ends }

  /// Returns the earliest time at which the next block of a thread may begin.
  package func end(of thread: UInt32) -> UInt64 { ends[thread, default: 0] }

  /// Returns whether a block of events may come next, and notes its end if so. Readers skip blocks that may not.
  package mutating func accepts(_ entry: BlockEntry) -> Bool {
    guard entry.first >= end(of: entry.thread) else { return false }
    note(entry.thread, end: entry.last)
    return true
  }

  /// Notes the time at which the last block of a thread ends.
  package mutating func note(_ thread: UInt32, end: UInt64) { ends[thread] = end }
}
