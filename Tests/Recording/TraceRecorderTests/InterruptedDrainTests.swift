import CRLTraceShims
import Foundation
import TestSupport
import Testing
import TraceCompression
import TraceFormat

@testable import TraceRecorder

/// A drain that was killed between writing a block and giving back its slots. The written events must count exactly
/// once, whatever happens to the part.
@Suite struct InterruptedDrainTests {
  private let folder: TemporaryFolder
  private let options = RecordingOptions(timeUnit: .ns1, slotsPerRing: 1024)

  init() throws { folder = try TemporaryFolder() }

  private var trace: String { folder.file("t.rltrace") }

  /// The ring's tail and the count of written events when slots are given back.
  private struct Counters: Equatable {
    var tail: UInt64
    var written: UInt64
  }

  /// Leaves the files of a killed recorder that wrote two blocks, of 100 and of 50 events, and had 26 events left to
  /// read. It completed the first `stores` of the stores that give back the slots of the second block.
  ///
  /// Returns the due time of the last event's timer, in nanoseconds of the trace.
  private func kill(behindStore stores: Int, writing notes: Notes = .no) throws -> UInt64 {
    let spool = try Spool(own: options, usesCycles: false, path: folder.file("live.rltrace.spool"))
    let sink = try FileSink(recording: folder.file("live.rltrace"))
    let recorderNotes = RecorderNotes()
    let reader = SpoolReader(
      spool: spool, unit: .ns1, namer: nil, notes: recorderNotes
    ) { () throws(TraceFormatError) in
      WholeTrace(try TraceWriter(sink: sink, spool: spool, options: options))
    }
    let ring = try TestRing(of: spool)
    func write() {
      _ = reader.cycle(.now(usesCycles: false))
      #expect(reader.flushAll())
    }
    ring.store(.loopWakeUp)
    let later = ClockReading.now(usesCycles: false)
    spool.later = later
    reader.calibrate(later)
    ring.store(.loopWakeUp, times: 99)
    write()
    let before = Counters(tail: ring.tail, written: spool.writtenEvents)
    ring.store(.loopWakeUp, times: 49)
    ring.store(.lostEvents, argument: 7)
    write()
    let after = Counters(tail: ring.tail, written: spool.writtenEvents)
    #expect(before == Counters(tail: 100, written: 100) && after == Counters(tail: 151, written: 150))
    ring.store(.loopWakeUp, times: 25)
    if notes == .written {
      let event = RecorderNote.Event(kind: .processStop, arguments: [1])
      for _ in 0..<3 {
        recorderNotes.add(RecorderNote(moment: .now(usesCycles: false), event: event, clocks: []))
      }
      _ = reader.cycle(.now(usesCycles: false))
      #expect(spool.writtenEvents == after.written + 3)
    }
    // The clock drifts by 5 µs until the last known reading. Due times of events close to that reading are relative
    // to it.
    var last = ClockReading.now(usesCycles: false)
    let due = last.monotonicNs
    last.monotonicNs += 5000
    spool.noteAlive(last)
    ring.store(.timerReschedule, argument: due)

    // In the order of `rlt_spool_give_back`.
    ring.tail = stores >= 4 ? after.tail : before.tail
    spool.header.pointee.written_events = stores >= 5 ? after.written : before.written
    spool.header.pointee.giving_tail = stores >= 1 ? after.tail : 0
    spool.header.pointee.giving_written = stores >= 2 ? after.written : 0
    spool.header.pointee.giving_ring = (3...5).contains(stores) ? 1 : 0
    #expect(spool.writtenEvents == (stores >= 4 ? after : before).written)
    if notes != .no {
      // Three events of the recorder itself.
      spool.header.pointee.giving_written = after.written + 3
      spool.header.pointee.giving_ring = UInt32(RLT_SPOOL_NO_RING)
    }
    for suffix in [".spool", ".part"] {
      try FileManager.default.copyItem(
        atPath: folder.file("live.rltrace\(suffix)"), toPath: trace + suffix)
    }
    sink.discard()
    spool.removeFile()
    return due - spool.origin.monotonicNs - 5000
  }

  private enum Notes { case no, underWay, written }

  private func recover() throws -> SpoolRecovery.Summary {
    let outcome = try SpoolRecovery.recover(
      Spool(opening: trace + ".spool", privately: true), trace: trace, options: options, codecs: allCodecs,
      makeNaming: nil, keepsParts: false
    ) { () throws(TraceFormatError) in try FileSink(recording: trace) }
    guard case .written(let summary) = outcome else { throw Nothing() }
    return summary
  }

  private struct Nothing: Error {}

  /// Returns the number of the program's events, the counts of lost events, and the due times.
  private func events() throws -> (count: Int, losses: [UInt64], dues: [UInt64]) {
    let events = try openTrace(path: trace).allEvents().joined()
    let losses = events.filter { $0.kind == EventKind.lostEvents.rawValue }
    let dues = events.filter { $0.kind == EventKind.timerReschedule.rawValue }
    return (events.count - losses.count, losses.map { $0.arguments[0] }, dues.map { $0.arguments[0] })
  }

  @Test(arguments: 0...6) func nothingIsDamaged(behindStore stores: Int) throws {
    let due = try kill(behindStore: stores)
    let summary = try recover()
    #expect(summary.damagedEvents == 0 && summary.lostEvents == 7)
    let events = try events()
    #expect(events.count == 100 + 49 + 26 && events.losses == [7] && events.dues == [due])
  }

  /// The recorder was writing its own events at that moment.
  @Test func notesAreUnderWay() throws {
    _ = try kill(behindStore: 6, writing: .underWay)
    let summary = try recover()
    #expect(summary.damagedEvents == 0 && summary.lostEvents == 7)
    #expect(try events().count == 100 + 49 + 26)
  }

  @Test(arguments: [false, true]) func notesAreWritten(andABlockBeforeIsDamaged isDamaged: Bool) throws {
    _ = try kill(behindStore: 6, writing: .written)
    if isDamaged { try damageFirstBlock() }
    let summary = try recover()
    #expect(summary.damagedEvents == (isDamaged ? 100 : 0))
    #expect(try events().count == (isDamaged ? 0 : 100) + 49 + 26 + 3)
  }

  private func damageFirstBlock() throws {
    let part = try openTrace(path: trace + ".part")
    let block = try #require(part.blocks.first { $0.type == .events })
    #expect(block.count == 100)
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: trace + ".part"))
    try file.seek(toOffset: block.offset + 40)
    try file.write(contentsOf: Data("damaged".utf8))
    try file.close()
  }

  @Test(arguments: 0...6) func theBlockBeforeIsDamaged(behindStore stores: Int) throws {
    let due = try kill(behindStore: stores)
    try damageFirstBlock()
    let summary = try recover()
    #expect(summary.damagedEvents == 100 && summary.lostEvents == 107)
    let events = try events()
    // On the thread, a loss event with count 0 marks the missing part. An event on another thread has the count.
    #expect(events.count == 49 + 26 && events.losses.contains(0) && events.dues == [due])
    #expect(events.losses.filter { $0 > 0 }.sorted() == [7, 100])
  }
}
