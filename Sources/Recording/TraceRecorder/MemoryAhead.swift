import CRLTraceShims
import SystemSupport

/// Prepares the pages that a program will store into next. Allocating a page of a file on a disk costs the program
/// tens of microseconds; using a prepared page costs a few. A program that runs under a system-call filter also does
/// not need to allocate pages itself.
///
/// If a page is not prepared in time, or the disk is full, the program allocates it itself.
struct MemoryAhead {
  /// The number of free rings that are prepared for new threads.
  private static let ringsAhead = 8
  /// 64 KiB of a ring. For the log of names, four times as much.
  private static let slotsAtOnce = 4096
  private static let namesAtOnce = 1 << 18
  /// On a disk with less free space nothing is prepared, so that the space is left for stored events and the trace.
  private static let leastRoom: UInt64 = 64 << 20

  private let spool: Spool
  private let folder: String

  /// Returns nil for a recording in memory without a file.
  init?(_ spool: Spool) {
    guard let path = spool.path else { return nil }
    self.spool = spool
    folder = Files.folder(of: path)
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
