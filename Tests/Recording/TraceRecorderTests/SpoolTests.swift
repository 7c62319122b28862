import CRLTraceShims
import Foundation
import TestSupport
import Testing
import TraceFormat

@testable import TraceRecorder

@Suite struct SpoolTests {
  /// A thread may be inside an emit when its recording ends. The header of its ring stays mapped, so that the store
  /// finds valid memory.
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

  /// The first rings are the largest. No two rings overlap, and all lie in the spool.
  @Test(arguments: [64, 256, 4096, 1 << 17, 1 << 19]) func ringsFollowEachOther(slots: Int) {
    let wanted = UInt64(slots)
    var end = rlt_spool_slots_offset(wanted, 0)
    var last = wanted
    for number in 0..<UInt32(Spool.ringCount) {
      #expect(rlt_spool_slots_offset(wanted, number) == end)
      let count = rlt_spool_ring_slots(wanted, number)
      #expect(count.nonzeroBitCount == 1 && count >= 64 && count <= last)
      last = count
      end += count * 16
    }
    #expect(end == UInt64(rlt_spool_bytes(wanted)))
    #expect(rlt_spool_ring_slots(wanted, 0) == wanted)
    // The spool needs no more address space than 70 large rings, unless its rings have the smallest size.
    if slots >= 1 << 16 { #expect(end - rlt_spool_slots_offset(wanted, 0) <= 70 * wanted * 16) }
  }

  /// The recorder has indexes for its own threads when the program has used up all others.
  @Test func recorderHasItsOwnThreads() throws {
    let spool = try Spool(slotsPerRing: 64, usesCycles: false)
    spool.header.pointee.threads = UInt32(RLT_SPOOL_THREADS_MAX) - 1
    #expect(claim(spool).ring?.pointee.thread == UInt32(RLT_SPOOL_THREADS_MAX) - 1)
    #expect(claim(spool).ring == nil)
    #expect(claim(spool).ring == nil)
    #expect(spool.claimThread() == UInt32(RLT_SPOOL_THREADS_MAX))
    #expect(spool.claimThread() == UInt32(RLT_SPOOL_THREADS_MAX) + 1)
  }

  private func claim(_ spool: Spool) -> (ring: UnsafeMutablePointer<rlt_ring>?, isScarce: Bool) {
    var isScarce: Int32 = 0
    let ring = rlt_spool_claim(spool.header, 1, &isScarce)
    return (ring, isScarce != 0)
  }

  /// The count of threads in the file is zero after the file was truncated.
  @Test func threadsClaimedAfterTheFileWasTruncated() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("t.spool")
    let spool = try Spool(creating: path, slotsPerRing: 64, flags: 0, timeUnit: .ns10, recording: 1)
    let earlier = [spool.claimThread(), spool.claimThread()]
    #expect(truncate(path, 0) == 0)
    let all = earlier + [spool.claimThread(), spool.claimThread()]
    #expect(Set(all).count == 4, "\(all)")
  }
}
