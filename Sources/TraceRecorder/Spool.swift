import CRLTraceShims
import Synchronization
import TraceFormat

/// The shared memory that holds one ring for each traced thread.
///
/// Stays mapped until the process ends: a thread that was preempted inside `rlt_emit` may still store into its
/// ring after the recording has stopped. Its pages are given back to the system (`trim`).
final class Spool: @unchecked Sendable {
  static let ringCount = 256

  private let memory: UnsafeMutableRawPointer
  private let byteCount: Int
  /// Rings ever handed out are `rings[0..<used]`; the drain looks at those only.
  let rings: UnsafeMutablePointer<rlt_ring>
  private let slotsPerRing: Int
  private let state = Mutex(State())

  private struct State {
    var used = 0
    var nextThread: UInt32 = 0
    var newThreads: [ThreadDefinition] = []
  }

  /// `slotsPerRing` must be a power of two. Memory is reserved, and taken page by page as rings fill.
  init(slotsPerRing: Int) throws(TraceFormatError) {
    precondition(slotsPerRing.nonzeroBitCount == 1, "a ring's capacity is a power of two")
    self.slotsPerRing = slotsPerRing
    byteCount = Spool.headerBytes + Spool.ringCount * slotsPerRing * MemoryLayout<rlt_record>.stride
    guard
      let memory = mmap(
        nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | Spool.noReserve, -1, 0),
      memory != MAP_FAILED
    else { throw .system(what: "cannot map \(byteCount) bytes for the recorder's rings", code: errno) }
    self.memory = memory
    // SAFETY: the mapping is page-aligned and zero-filled, which is a valid `rlt_ring` in state FREE.
    rings = memory.bindMemory(to: rlt_ring.self, capacity: Spool.ringCount)
  }

  #if os(Linux)
  private static let noReserve = MAP_NORESERVE
  #else
  private static let noReserve: Int32 = 0
  #endif

  /// Slots begin on a page of their own: `trim` must leave the headers alone.
  private static let headerBytes: Int = {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    return (ringCount * MemoryLayout<rlt_ring>.stride + page - 1) / page * page
  }()

  /// A ring for the calling thread; nil when all are taken, or when the trace holds no more threads. `isScarce`
  /// says that the drain had better give back those of ended threads soon.
  func claim() -> (ring: UnsafeMutablePointer<rlt_ring>?, isScarce: Bool) {
    let slotBytes = slotsPerRing * MemoryLayout<rlt_record>.stride
    let headers = Spool.headerBytes
    return state.withLock { state in
      guard state.nextThread < TraceLimits.threads - 1,
        let number = (0..<Spool.ringCount).first(where: {
          $0 >= state.used || rlt_ring_state(rings + $0) == 0
        })
      else { return (nil, true) }
      state.used = max(state.used, number + 1)
      let ring = rings + number
      ring.pointee.slots = (memory + headers + number * slotBytes).bindMemory(
        to: rlt_record.self, capacity: slotsPerRing)
      ring.pointee.capacity = UInt64(slotsPerRing)
      ring.pointee.limit = ring.pointee.tail + UInt64(slotsPerRing)
      ring.pointee.lost_pending = 0
      ring.pointee.thread = state.nextThread
      ring.pointee.os_thread = rlt_os_thread_id()
      state.newThreads.append(
        ThreadDefinition(
          index: state.nextThread, osThread: rlt_os_thread_id(), isMain: rlt_is_main_thread() != 0,
          name: currentThreadName()))
      state.nextThread += 1
      rlt_ring_set_state(ring, UInt32(RLT_RING_OWNED))
      return (ring, number >= Spool.ringCount / 2)
    }
  }

  /// How many rings the drain must look at.
  var usedRings: Int { state.withLock { $0.used } }

  func takeNewThreads() -> [ThreadDefinition] {
    state.withLock { state in
      defer { state.newThreads = [] }
      return state.newThreads
    }
  }

  /// An index for events that belong to no thread of the table.
  func claimThreadIndex(name: String) -> UInt32 {
    state.withLock { state in
      let index = state.nextThread
      state.newThreads.append(ThreadDefinition(index: index, osThread: 0, isMain: false, name: name))
      state.nextThread += 1
      return index
    }
  }

  /// Gives the slots' memory back; a late store brings back one page of it. The headers stay, because a late
  /// emit reads where its slots are.
  func trim() {
    let slots = memory + Spool.headerBytes
    #if os(Linux)
    madvise(slots, byteCount - Spool.headerBytes, MADV_REMOVE)
    #else
    madvise(slots, byteCount - Spool.headerBytes, MADV_FREE)
    #endif
  }
}

/// The calling thread's name, empty when it has none.
private func currentThreadName() -> String {
  var buffer = [CChar](repeating: 0, count: 64)
  rlt_copy_thread_name(&buffer, buffer.count)
  return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
