import CRLTraceShims
import TraceFormat

/// Puts memory behind what a program will store next, so that the program finds it there: taking a page of a file on a
/// disk costs it tens of microseconds, finding one that is there a few. A program that lives under a filter of system
/// calls need not ask for memory then.
///
/// Where it does not come in time, or the disk is full, the program sees to it itself, as without it.
struct MemoryAhead {
  /// Rings that wait for threads to come.
  private static let ringsAhead = 8
  /// 64 KiB of a ring, and of the log of names four times that.
  private static let slotsAtOnce = 4096
  private static let namesAtOnce = 1 << 18
  /// A disk with less room than this is left to what is stored, and to the trace.
  private static let leastRoom: UInt64 = 64 << 20

  private let spool: Spool
  private let folder: String

  /// Nil for a recording in memory that is no file's.
  init?(_ spool: Spool) {
    guard let path = spool.path else { return nil }
    self.spool = spool
    folder = TraceFile.folder(of: path)
  }

  func prepare() {
    // A process that has ended stores nothing more.
    if spool.hasSeen(Int(RLT_SEEN_END)) { return }
    let end = min(spool.usedRings + MemoryAhead.ringsAhead, Spool.ringCount)
    var ahead = 0
    if spool.back(rings: end) {
      for number in 0..<end {
        let ring = spool.ring(number)
        let head = Int(clamping: ring.head), capacity = Int(ring.capacity)
        if head == 0, ring.state == RLT_RING_FREE { ahead += 1 }
        let wanted = min(min(head, capacity) + MemoryAhead.slotsAtOnce, capacity)
        let backed = spool.backedSlots(of: number)
        guard backed < wanted, ahead <= MemoryAhead.ringsAhead || head > 0, hasRoom else { continue }
        let slots = max(wanted, backed + MemoryAhead.slotsAtOnce)
        _ = spool.back(slots: min(slots, capacity), of: number)
      }
    }
    let namesWanted = min(spool.namesRange.count, spool.namesUsed + MemoryAhead.namesAtOnce / 2)
    if spool.backedNames < namesWanted, hasRoom {
      _ = spool.back(names: min(spool.namesRange.count, spool.backedNames + MemoryAhead.namesAtOnce))
    }
  }

  private var hasRoom: Bool { DiskRoom.bytes(in: folder).map { $0 >= MemoryAhead.leastRoom } ?? true }
}
