/// Whether threads store events faster than the drain can compress them.
///
/// A thread that does nothing else fills a ring of 524,288 slots in 6 ms. Encoding is the largest part of the drain's
/// work. So under pressure, blocks are stored flat, and the slots of their rings are given back earlier.
struct Pressure {
  /// Bytes of blocks that one recording stores flat. Beyond: blocks are compressed, and a fast thread may lose events.
  static let bytesLimit: UInt64 = 1 << 30
  /// The drain came late if a ring is as full as this, or fuller. Then it does not sleep, and gives the slots back at
  /// once.
  static let lateShare = 0.25
  /// The limits of the number of slots that are given back for this reason. The number of blocks of a trace is limited.
  /// More slots would leave the cache between reading and writing.
  private static let fewestSlots: UInt64 = 4096
  private static let mostSlots: UInt64 = 1 << 14

  /// Returns the number of read slots that are given back at once if the drain came late.
  static func slotsOfBlock(capacity: UInt64) -> UInt64 { min(max(capacity / 8, fewestSlots), mostSlots) }

  /// The time that pressure lasts after it was last seen.
  static let durationNs: UInt64 = 1_000_000_000

  private var bytesLimit: UInt64
  /// When pressure ends, CLOCK_MONOTONIC.
  private var endNs: UInt64 = 0

  init(bytesLimit: UInt64 = Pressure.bytesLimit) { self.bytesLimit = bytesLimit }

  /// Notes that a ring had `unread` slots to read, and that the thread filled `arrived` more slots while these were read.
  ///
  /// A thread wakes the drain when a quarter of its ring is filled. If the ring is a third full by then, it fills fast,
  /// or the drain had to wait for a processor. Compressing takes several times as long as reading. So a thread that
  /// fills an eighth of the slots again while they are read may fill the ring while they are compressed.
  mutating func note(unread: UInt64, arrived: UInt64, capacity: UInt64, at nowNs: UInt64) {
    let isLate = unread > capacity / 3
    let isFast = unread > capacity / 8 && arrived > unread / 8
    if isLate || isFast { endNs = nowNs &+ Pressure.durationNs }
  }

  /// Ends the pressure for the rest of the recording: the disk was full, and flat blocks need more room.
  mutating func end() { bytesLimit = 0 }

  /// Whether blocks that are written at `nowNs` are to be stored flat. `stored`: the bytes of earlier flat blocks.
  func isHigh(at nowNs: UInt64, stored bytes: UInt64) -> Bool { nowNs < endNs && bytes < bytesLimit }
}
