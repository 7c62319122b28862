import CRLTraceShims
import TraceFormat

/// Continuing after a recorder that was killed.
extension SpoolReader {
  /// Skips blocks that are still in their rings although a killed recorder wrote them. `lastBlock` returns a thread's
  /// last written block. `now`: as in `cycle`. Returns the number of skipped events.
  func skipWritten(
    _ now: ClockReading, _ lastBlock: (UInt32) throws(TraceFormatError) -> DecodedEvents?
  ) throws(TraceFormatError) -> UInt64 {
    time.reading = now
    var passed: UInt64 = 0
    for number in rings.used(of: spool) {
      let ring = spool.ring(number)
      let head = ring.head
      guard let clock = time.clock, ring.state != RLT_RING_FREE,
        (1...ring.capacity).contains(head &- rings.cursors[number])
      else { continue }
      let waiting = waitingEvents(ring, number)
      guard let block = try lastBlock(waiting.thread) else { continue }
      take(ring, number, to: head, clock, waiting)
      guard waiting.events.begins(with: block) else { continue }
      waiting.events.removeFirst(block.count)
      passed &+= UInt64(block.count)
      losses.reported &-= block.lostEvents
      // The ring continues where that block ends.
      losses.closeHole(of: waiting.thread)
    }
    return passed
  }

  /// Continues after another recorder's events, which end at `ends` for each thread. `missing`: the number of those
  /// that can no longer be read.
  func resume(after ends: [UInt32: UInt64], missing: UInt64) {
    output.order = BlockOrder(behind: ends)
    losses.noteHole(missing: missing)
  }
}
