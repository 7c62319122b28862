import CRLTraceShims
import Testing
import TraceFormat

@testable import TraceRecorder

@Suite struct SpoolTests {
  /// A thread may be in the middle of an emit when its recording ends: its ring's header stays, and its store lands
  /// in memory that is there.
  @Test func aLateStoreFindsItsRing() throws {
    let spool = try Spool(slotsPerRing: 64)
    let ring = try #require(spool.claim().ring)
    spool.trim()
    #expect(ring.pointee.capacity == 64)
    let slots: UnsafeMutablePointer<rlt_record> = try #require(ring.pointee.slots)
    slots[63].object = 7
    #expect(slots[63].object == 7)
  }

  @Test func ringsRunOut() throws {
    let spool = try Spool(slotsPerRing: 64)
    let rings = (0..<Spool.ringCount).map { _ in spool.claim() }
    #expect(rings.allSatisfy { $0.ring != nil })
    #expect(!rings[0].isScarce && rings.last!.isScarce)
    #expect(spool.claim().ring == nil)
    rlt_ring_set_state(rings[3].ring, UInt32(RLT_RING_FREE))
    #expect(spool.claim().ring == rings[3].ring)
  }
}
