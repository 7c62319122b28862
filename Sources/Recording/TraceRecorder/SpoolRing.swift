import CRLTraceShims
import TraceFormat

/// A ring of a spool, as its reader sees it. Slots are read within bounds, whatever the ring reports.
@safe struct SpoolRing {
  // SAFETY: both are parts of a spool that outlives this value. The mask is the number of slots minus one.
  private let ring: UnsafeMutablePointer<rlt_ring>
  private let slots: UnsafePointer<rlt_record>
  private let mask: UInt64

  init(_ ring: UnsafeMutablePointer<rlt_ring>, slots: UnsafePointer<rlt_record>, capacity: Int) {
    unsafe self.ring = ring
    unsafe self.slots = slots
    mask = UInt64(capacity - 1)  // fits: Spool checked the capacity, a power of two
  }

  var capacity: UInt64 { mask &+ 1 }
  var head: UInt64 { unsafe rlt_ring_head(ring) }
  var tail: UInt64 { unsafe ring.pointee.tail }
  /// The head, read again after reading slots that another process may have given back in the meantime.
  var headAfterReading: UInt64 { unsafe rlt_ring_head_after_reading(ring) }
  /// The head when the thread claimed the ring. Earlier slots belong to another thread.
  var claimedHead: UInt64 { unsafe ring.pointee.claimed_head }
  /// The number of slots that were stored and not given back.
  var unread: UInt64 { head &- tail }
  var thread: UInt32 { unsafe ring.pointee.thread }
  /// The number of events lost since the last one stored.
  var lostPending: UInt64 { unsafe rlt_ring_lost_pending(ring) }
  /// The number of those that were lost because a disk had no room.
  var fullDiskPending: UInt64 { unsafe rlt_ring_full_disk_pending(ring) }
  /// The number of events lost because a disk had no room, for all threads that ever had the ring.
  var fullDiskLost: UInt64 { unsafe rlt_ring_full_disk_lost(ring) }
  /// RLT_RING_*
  var state: Int { unsafe Int(rlt_ring_state(ring)) }

  /// Makes the ring of a thread that ended available to another thread.
  func free() { unsafe rlt_ring_set_state(ring, UInt32(RLT_RING_FREE)) }

  subscript(_ at: UInt64) -> rlt_record { unsafe slots[Int(truncatingIfNeeded: at & mask)] }

  /// Appends the events from slot `at` up to `head`, exclusive. Stops at an event with arguments, at the end of the
  /// ring's memory, or when `events` is full. Times never go back, starting at `first`. Returns the number of slots.
  @inline(__always)
  func append(
    from at: UInt64, to head: UInt64, into events: EventBuffer, first: UInt64, time: (UInt64) -> UInt64
  ) -> UInt64 {
    let start = at & mask
    let most = Int(truncatingIfNeeded: min(head &- at, mask &+ 1 &- start, UInt64(events.room)))
    var number = 0
    var last = first
    events.append { columns in
      let slots = unsafe slots + Int(truncatingIfNeeded: start)
      while number < most {
        let record = unsafe slots[number]
        guard record.arguments == 0 else { break }
        last = max(last, time(record.stamp))
        unsafe columns.times[number] = last
        unsafe columns.objects[number] = record.object
        unsafe columns.kinds[number] = record.kind
        unsafe columns.modes[number] = record.mode
        number &+= 1
      }
      return number
    }
    return UInt64(number)
  }

  func arguments(_ at: UInt64) -> rlt_arguments {
    // A slot holds either a record or two arguments; both are two words.
    unsafe unsafeBitCast(self[at], to: rlt_arguments.self)
  }

  /// The positions at which an overwriting ring began each sixteenth of its slots, newest first.
  var marks: some Sequence<UInt64> {
    let count = unsafe rlt_ring_marks(ring)
    return (0..<min(count, UInt64(RLT_RING_MARKS))).lazy.map { unsafe rlt_ring_mark(ring, count - 1 - $0) }
  }
}
