import CRLTraceShims

/// Puts memory behind what a program will store next, so that the program finds it there: taking a page of a file on a
/// disk costs it tens of microseconds, finding one that is there a few.
///
/// Where it does not come in time, or the disk is full, the program sees to it itself, as without it.
struct MemoryAhead {
  /// Rings that wait for threads to come.
  private static let ringsAhead = 8
  /// 64 KiB of a ring, and of the log of names four times that.
  private static let slotsAtOnce = 4096
  private static let namesAtOnce = 1 << 18

  private let spool: Spool
  /// By ring: slots from the first on that have memory.
  private var slots = [Int](repeating: 0, count: Spool.ringCount)
  private var names = 0
  private var hasHead = false

  /// Of a recording of this very process nothing is put ahead: its memory is no file's.
  init(_ spool: Spool) { self.spool = spool }

  mutating func prepare() {
    guard spool.path != nil else { return }
    if !hasHead { hasHead = spool.back(0..<Int(rlt_spool_head_bytes())) }
    let namesEnd = min(spool.namesRange.count, spool.namesUsed + MemoryAhead.namesAtOnce / 2)
    if names < namesEnd {
      let end = min(spool.namesRange.count, names + MemoryAhead.namesAtOnce)
      let start = spool.namesRange.lowerBound
      _ = spool.back(start + names..<start + end)
      names = end
    }
    let used = spool.usedRings
    for number in 0..<min(used + MemoryAhead.ringsAhead, Spool.ringCount) {
      let head = number < used ? Int(truncatingIfNeeded: spool.ring(number).head) : 0
      let wanted = head < 0 ? spool.slotsPerRing : min(head &+ MemoryAhead.slotsAtOnce, spool.slotsPerRing)
      guard slots[number] < wanted else { continue }
      let end = min(max(wanted, slots[number] + MemoryAhead.slotsAtOnce), spool.slotsPerRing)
      _ = spool.back(slots: slots[number]..<end, of: number)
      slots[number] = end
    }
  }
}
