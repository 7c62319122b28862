import CRLTraceShims
import TraceFormat

/// Reading the rings of a spool that another process drains.
extension SpoolReader {
  /// Returns whether a ring may hold events that were not read. The drain frees a ring only when it has read all. A
  /// reader that only looks may come later.
  func isReadable(_ ring: SpoolRing, _ state: Int, _ number: Int) -> Bool {
    state == RLT_RING_OWNED || state == RLT_RING_ORPHANED
      || spool.isReadOnly && state == RLT_RING_FREE && rings.cursors[number] != ring.head
  }

  /// The number of slots that were overwritten before they were read.
  var unseenSlots: UInt64 { losses.unseenSlots }

  /// Returns the time of the first unread event of each thread that has any. Call it before the first cycle.
  func firstUnread() -> [UInt32: UInt64] {
    guard let clock = time.clock else { return [:] }
    var found: [UInt32: UInt64] = [:]
    for number in rings.used(of: spool) {
      let ring = spool.ring(number)
      guard ring.head != rings.cursors[number], ring.state != RLT_RING_FREE else { continue }
      found[ring.thread] = clock.units(ticks: ring[rings.cursors[number]].stamp)
    }
    return found
  }

  /// Returns a moment in time units. Call it after `calibrate`.
  func units(_ moment: ClockReading) -> UInt64 { time.clock?.units(ticks: moment.ticks) ?? 0 }

  /// Writes the definitions so far.
  func writeDefinitions() { _ = definitions.write(to: output) }

  /// Writes a sync point at the last cycle, so that the trace reaches that moment.
  func writeNow() {
    guard let clock = time.clock else { return }
    syncPoints.add(time.reading, clock)
    syncPoints.write(to: output)
  }

  /// Reads a ring that another process drains. The producer may overwrite what that process gave back.
  func look(at ring: SpoolRing, _ number: Int, to head: UInt64) -> Double {
    guard let clock = time.clock else { return 0 }
    // The events before it are those of the thread that had the ring before.
    if let earlier = rings.pending[number], earlier.thread != WaitingRings.thread(of: ring) {
      let end = ring.claimedHead
      if end &- rings.cursors[number] <= head &- rings.cursors[number] {
        read(ring, number, to: end, clock, earlier)
        rings.cursors[number] = end
      }
      flush(number)
      output.target?.ended(thread: earlier.thread)
      rings.pending[number] = nil
    }
    let unread = head &- rings.cursors[number]
    guard unread > 0 else { return 0 }
    read(ring, number, to: head, clock, waitingEvents(ring, number))
    return min(1, Double(unread) / Double(ring.capacity))
  }

  private func read(
    _ ring: SpoolRing, _ number: Int, to head: UInt64, _ clock: TickClock, _ waiting: PendingEvents
  ) {
    while rings.cursors[number] != head {
      let tail = spool.start(number)
      if ring.head &- rings.cursors[number] > ring.capacity {
        // A record begins there, and the producer does not overwrite anything after it.
        miss(tail &- rings.cursors[number], clock, waiting)
        rings.cursors[number] = tail
        guard head &- tail <= ring.capacity else { break }
      }
      let (start, count) = (rings.cursors[number], waiting.events.count)
      take(ring, number, to: head, clock, waiting)
      if ring.headAfterReading &- start > ring.capacity {
        waiting.events.removeLast(waiting.events.count - count)
        rings.cursors[number] = start
      } else if rings.cursors[number] != head {
        // There was no room for the rest.
        guard flush(number), !spool.isFoundCut else { break }
      }
    }
  }

  /// Notes that slots of a thread were overwritten before they were read. Their events are in the recording.
  private func miss(_ slots: UInt64, _ clock: TickClock, _ waiting: PendingEvents) {
    // In a damaged spool, the tail may lie behind what was read.
    guard Int64(bitPattern: slots) > 0 else { return }
    losses.unseenSlots &+= slots
    guard !waiting.events.isFull else { return }
    waiting.events.append(
      time: max(clock.units(ticks: time.reading.ticks), waiting.events.lastTime, time.floor),
      kind: EventKind.lostEvents.rawValue, mode: 0, object: 0, arguments: [slots])
  }
}
