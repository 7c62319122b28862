import CRLTraceShims
import Testing
import TraceFormat

@testable import TraceRecorder

/// A ring of a spool that a test fills as a traced thread does.
struct TestRing {
  private let ring: UnsafeMutablePointer<rlt_ring>

  init(of spool: Spool) throws {
    var isScarce: Int32 = 0
    ring = try #require(rlt_spool_claim(spool.header, 1, &isScarce))
  }

  var tail: UInt64 {
    get { ring.pointee.tail }
    nonmutating set { ring.pointee.tail = newValue }
  }

  var head: UInt64 {
    get { ring.pointee.head }
    nonmutating set { ring.pointee.head = newValue }
  }

  /// The number of marks in a ring that overwrites.
  var markCount: UInt64 {
    get { ring.pointee.mark_count }
    nonmutating set { ring.pointee.mark_count = newValue }
  }

  func store(_ kind: EventKind, times count: Int = 1) {
    for _ in 0..<count {
      let head = ring.pointee.head
      rlt_store(rlt_slot(ring, head), rlt_monotonic_ns(), kind.rawValue, 0, 1, 0)
      rlt_publish(ring, head + 1)
    }
  }

  func store(_ kind: EventKind, argument: UInt64) {
    let head = ring.pointee.head
    rlt_store(rlt_slot(ring, head), rlt_monotonic_ns(), kind.rawValue, 0, 1, 1)
    UnsafeMutableRawPointer(rlt_slot(ring, head + 1)!)
      .storeBytes(of: rlt_arguments(first: argument, second: 0), as: rlt_arguments.self)
    rlt_publish(ring, head + 2)
  }
}
