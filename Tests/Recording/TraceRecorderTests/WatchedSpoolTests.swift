import CRLTraceShims
import Foundation
import TestSupport
import Testing
import TraceFormat

@testable import TraceRecorder

/// A reader of a spool that another process drains.
@Suite struct WatchedSpoolTests {
  /// The events that a reader found, in order.
  private final class Found: SpoolOutput {
    var summary = RecordingSummary()
    var events: [(thread: UInt32, kind: UInt8, arguments: [UInt64])] = []
    var ended: [UInt32] = []

    func write(_ definitions: inout SpoolNames.Definitions) { definitions = SpoolNames.Definitions() }
    func write(_ events: EventBuffer, thread: UInt32, isFlat: Bool) -> Int {
      events.forEach { self.events.append((thread, $1, Array($4))) }
      return 0
    }
    func write(notes: EventBuffer, thread: ThreadDefinition) {}
    func write(_ point: SyncPoint) {}
    func ended(thread: UInt32) { ended.append(thread) }
    func wantsCut(at now: UInt64) -> Bool { false }
    func cut(at now: UInt64) {}
    func close() {}
    func discard() {}

    func count(_ kind: EventKind) -> Int { events.count { $0.kind == kind.rawValue } }
  }

  private let folder: TemporaryFolder
  private let spool: Spool
  private let found = Found()
  private let reader: SpoolReader

  private static let slots = 64

  init() throws {
    folder = try TemporaryFolder()
    let path = folder.file("t.rltrace.spool")
    spool = try Spool(
      own: RecordingOptions(timeUnit: .ns1, slotsPerRing: Self.slots), usesCycles: false, path: path)
    let later = ClockReading.now(usesCycles: false)
    spool.later = later
    let watched = try Spool(watching: path)
    reader = SpoolReader(spool: watched, unit: .ns1, namer: nil) { [found] in found }
    reader.calibrate(later)
  }

  private func look() {
    _ = reader.cycle(.now(usesCycles: false))
    reader.flushAll()
  }

  /// The bytes of the spool without the slots, which only the program writes.
  private var control: Data {
    let size = Int(rlt_spool_slots_offset(UInt64(spool.slotsPerRing), 0))
    return Data(bytes: UnsafeRawPointer(spool.header), count: size)
  }

  @Test func watchesWithoutChanges() throws {
    let ring = try TestRing(of: spool)
    ring.store(.loopWakeUp, times: 20)
    ring.store(.lostEvents, argument: 7)
    let before = control
    look()
    look()
    #expect(found.count(.loopWakeUp) == 20 && found.count(.lostEvents) == 1)
    #expect(found.events.last?.arguments == [7])
    #expect(control == before)
    #expect(reader.unseenSlots == 0)
    // The program can still store as many events as the drain has room for.
    #expect(ring.tail == 0)
  }

  /// The drain gives slots back and the program overwrites them before the reader looks again.
  @Test func countsOverwrittenSlots() throws {
    let ring = try TestRing(of: spool)
    let slots = UInt64(spool.slotCount(ofRing: 0))
    ring.store(.loopWakeUp, times: 10)
    look()
    ring.store(.loopWakeUp, times: Int(slots))
    ring.tail = slots
    ring.store(.timerBegin, times: 5)
    look()
    // Slots 10 … `slots` − 1 lie before the tail. All of them are given up, overwritten or not.
    #expect(reader.unseenSlots == slots - 10)
    #expect(found.count(.lostEvents) == 1 && found.count(.loopWakeUp) == 20 && found.count(.timerBegin) == 5)
    look()
    #expect(found.count(.timerBegin) == 5 && reader.unseenSlots == slots - 10)
  }

  /// A thread ends, the drain frees its ring, and another thread stores into it before the reader looks again.
  @Test func separatesTheThreadsOfARing() throws {
    let first = try TestRing(of: spool)
    first.store(.loopWakeUp, times: 3)
    look()
    first.store(.timerBegin, times: 4)
    first.tail = 7
    spool.ring(0).free()
    let second = try TestRing(of: spool)
    second.store(.timerEnd, times: 5)
    look()
    let threads = Dictionary(grouping: found.events) { $0.thread }
    #expect(threads.count == 2 && reader.unseenSlots == 0)
    #expect(
      threads[0]?.map(\.kind)
        == Array(repeating: EventKind.loopWakeUp.rawValue, count: 3)
        + Array(repeating: EventKind.timerBegin.rawValue, count: 4))
    #expect(threads[1]?.map(\.kind) == Array(repeating: EventKind.timerEnd.rawValue, count: 5))
    #expect(found.ended == [0])
  }

  @Test func readsARingThatWasFreed() throws {
    look()
    let ring = try TestRing(of: spool)
    ring.store(.loopWakeUp, times: 3)
    ring.tail = 3
    spool.ring(0).free()
    let late = try Spool(watching: folder.file("t.rltrace.spool"))
    let other = SpoolReader(spool: late, unit: .ns1, namer: nil) { [found] in found }
    other.calibrate(.now(usesCycles: false))
    _ = other.cycle(.now(usesCycles: false))
    other.flushAll()
    // It began after those events were written.
    #expect(found.events.isEmpty)
    look()
    #expect(found.count(.loopWakeUp) == 3)
  }

  /// A damaged spool reports more events than its ring has room for, or takes events back.
  @Test func doesNotBelieveAnImpossibleHead() throws {
    let ring = try TestRing(of: spool)
    ring.store(.loopWakeUp, times: 10)
    look()
    for head: UInt64 in [5, 0, 1 << 20, .max, 1 << 63, 10] {
      ring.head = head
      look()
    }
    // Nothing is known about what was overwritten, so nothing absurd is reported.
    #expect(reader.unseenSlots <= 1 << 20)
    ring.store(.timerBegin, times: 3)
    look()
    #expect(found.count(.timerBegin) == 3)
  }

  @Test func refusesLinksAndForeignFiles() throws {
    let path = folder.file("t.rltrace.spool")
    try FileManager.default.createSymbolicLink(atPath: folder.file("link.spool"), withDestinationPath: path)
    #expect(throws: TraceFormatError.self) { try Spool(watching: folder.file("link.spool")) }
    try Data(repeating: 1, count: 8192).write(to: URL(fileURLWithPath: folder.file("other.spool")))
    #expect(throws: TraceFormatError.self) { try Spool(watching: folder.file("other.spool")) }
    #expect(throws: TraceFormatError.self) { try Spool(watching: folder.path) }
    #expect(throws: TraceFormatError.self) { try Spool(watching: folder.file("none.spool")) }
  }
}
