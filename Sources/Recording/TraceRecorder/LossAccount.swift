/// The events that a recording lacks.
struct LossAccount {
  /// The number of lost events that the trace reports.
  var reported: UInt64 = 0
  /// The number of slots that were overwritten before they were read. Only a reader that does not drain the spool
  /// misses any.
  var unseenSlots: UInt64 = 0
  let beyondRings = ThreadlessLoss("(threads beyond the recorder's \(Spool.ringCount) rings)")
  let damaged = ThreadlessLoss("(events that had been written and are damaged)")
  /// Whether events are missing between the written and the read ones. Each thread reports the loss once.
  private var isBehindHole = false
  private var threadsWithoutHole: Set<UInt32> = []

  /// The total number of events that are known to be lost.
  var all: UInt64 { reported &+ beyondRings.unwritten &+ damaged.unwritten }

  /// Notes that `missing` events of an earlier recorder can no longer be read.
  mutating func noteHole(missing: UInt64) {
    isBehindHole = missing > 0
    damaged.unwritten &+= missing
  }

  /// Returns whether the thread has to report that events are missing before its next one.
  func hasHole(_ thread: UInt32) -> Bool { isBehindHole && !threadsWithoutHole.contains(thread) }

  /// Notes that the thread reported the loss, or has none.
  mutating func closeHole(of thread: UInt32) { threadsWithoutHole.insert(thread) }
}
