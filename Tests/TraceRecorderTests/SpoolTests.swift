import CRLTraceShims
import Testing
import TraceFormat

@testable import TraceRecorder

@Suite struct SpoolTests {
  /// A thread may be in the middle of an emit when its recording ends: its ring's header stays, and its store lands
  /// in memory that is there.
  @Test func aLateStoreFindsItsRing() throws {
    let spool = try Spool(slotsPerRing: 64, usesCycles: false)
    let ring = try #require(claim(spool).ring)
    spool.trim()
    #expect(ring.pointee.capacity == 64)
    let slot = try #require(rlt_slot(ring, 63))
    slot.pointee.object = 7
    #expect(spool.ring(0)[63].object == 7)
  }

  @Test func ringsRunOut() throws {
    let spool = try Spool(slotsPerRing: 64, usesCycles: false)
    let rings = (0..<Spool.ringCount).map { _ in claim(spool) }
    #expect(rings.allSatisfy { $0.ring != nil })
    #expect(!rings[0].isScarce && rings.last!.isScarce)
    #expect(claim(spool).ring == nil)
    rlt_ring_set_state(rings[3].ring, UInt32(RLT_RING_FREE))
    #expect(claim(spool).ring == rings[3].ring)
  }

  private func claim(_ spool: Spool) -> (ring: UnsafeMutablePointer<rlt_ring>?, isScarce: Bool) {
    var isScarce: Int32 = 0
    let ring = rlt_spool_claim(spool.header, UInt32(RLT_SPOOL_RINGS), &isScarce)
    return (ring, isScarce != 0)
  }
}
