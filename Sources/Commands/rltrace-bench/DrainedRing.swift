import CRLTraceShims
import Foundation

/// The calling thread's ring, watched so that a benchmark emits only what fits. A full ring drops events, and
/// dropping an event does not cost the same as recording one.
struct DrainedRing {
  /// Twice the time that the drain spends on calibrating its clock before it empties the first ring.
  static let calibrationSeconds = 0.1
  private static let pollMicroseconds: UInt32 = 100
  private static let patienceSeconds = 10.0

  private let ring: UnsafeMutablePointer<rlt_ring>

  /// The thread must have emitted an event, and the recording must be on.
  init() throws {
    guard let ring = rlt_ring_for(1) else { throw failure(70, "the recorder has no ring for this thread") }
    self.ring = ring
  }

  /// The index of the ring's thread in the trace.
  var thread: UInt32 { ring.pointee.thread }

  /// The slots of one burst: half the ring, so that a burst always fits.
  var burstSlots: Int { Int(ring.pointee.capacity / 2) }

  /// Returns when everything emitted so far has been drained.
  func waitUntilDrained() throws {
    let deadline = Date().addingTimeInterval(DrainedRing.patienceSeconds)
    while rlt_ring_head(ring) != ring.pointee.tail {
      guard Date() < deadline else { throw failure(70, "the drain has stopped") }
      // Otherwise slots become free only when their block is written, possibly seconds later.
      rlt_call_drain(1)
      usleep(DrainedRing.pollMicroseconds)
    }
  }
}
