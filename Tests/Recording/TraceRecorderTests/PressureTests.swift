import CRLTraceShims
import Foundation
import TestSupport
import Testing
import TraceCompression
import TraceFormat

@testable import TraceRecorder

/// A drain under pressure stores flat blocks. The tests store events and run the drain's cycles on one thread,
/// so the drain finds exactly as many events as a test stored.
@Suite struct PressureTests {
  private static let slots = 1024
  private static let aThird = slots / 3

  private let folder: TemporaryFolder
  private let options = RecordingOptions(
    timeUnit: .ns1, makeCodec: { allCodecs(.zstd) ?? NoCodec() }, slotsPerRing: PressureTests.slots)
  private let sink = MemorySink()
  private let start = ClockReading.now(usesCycles: false)

  init() throws { folder = try TemporaryFolder() }

  /// Returns a calibrated reader that writes to `sink`. `pressure` nil = no thread waits for room.
  private func reader(of spool: Spool, pressure: Pressure? = Pressure()) -> SpoolReader {
    let reader = SpoolReader(spool: spool, unit: .ns1, namer: nil) { () throws(TraceFormatError) in
      WholeTrace(try TraceWriter(sink: sink, spool: spool, options: options))
    }
    reader.pressure = pressure
    reader.calibrate(.now(usesCycles: false))
    return reader
  }

  /// Stores events, reads them in one cycle, and writes them as a block. The cycle's moment is that of the test's start,
  /// or a later one, so that the speed of the machine does not matter.
  private func write(_ count: Int, to ring: TestRing, _ reader: SpoolReader, laterBy ns: UInt64 = 0) {
    ring.store(.loopWakeUp, times: count)
    var moment = start
    moment.ticks += ns
    moment.monotonicNs += ns
    _ = reader.cycle(moment)
    #expect(reader.flushAll())
  }

  /// Returns the sizes of the trace's blocks of events.
  private func payloads(_ trace: TraceReader) -> [Int] {
    trace.blocks.filter { $0.type == .events }.map(\.payloadBytes)
  }

  private func finished(_ reader: SpoolReader) throws -> TraceReader {
    #expect(reader.finish())
    return try openTrace(sink.bytes)
  }

  @Test(arguments: [0, 1]) func aRingThatIsAThirdFull(andSlots more: Int) throws {
    let spool = try Spool(slotsPerRing: Self.slots, usesCycles: false)
    let reader = reader(of: spool)
    let count = Self.aThird + more
    write(count, to: try TestRing(of: spool), reader)
    #expect(reader.isUnderPressure == (more > 0))
    let trace = try finished(reader)
    #expect(trace.isClean && trace.eventCount == UInt64(count) && trace.header.codec == .zstd)
    #expect(trace.flatBlocks == UInt64(more))
    #expect(trace.info.contains { $0.key == InfoEntry.flatBlocks } == (more > 0))
    // The kinds alone have a byte for each event.
    if more > 0 { #expect(payloads(trace)[0] > count) }
  }

  /// The thread fills an eighth of the slots again while the drain reads them.
  @Test func aRingThatFillsWhileItIsRead() {
    let capacity: UInt64 = 1024
    func isHigh(_ unread: UInt64, _ arrived: UInt64) -> Bool {
      var pressure = Pressure()
      pressure.note(unread: unread, arrived: arrived, capacity: capacity, at: 5)
      return pressure.isHigh(at: 5, stored: 0)
    }
    #expect(isHigh(200, 26) && !isHigh(200, 25))
    // Few slots say nothing about the next ones.
    #expect(!isHigh(128, 128))
    #expect(!isHigh(0, .max) && isHigh(.max, 0))
  }

  /// One cycle reads a ring in several pieces. Events with arguments lie across the ends of pieces.
  @Test func severalPieces() throws {
    let spool = try Spool(slotsPerRing: 1 << 16, usesCycles: false)
    let ring = try TestRing(of: spool)
    let reader = reader(of: spool)
    let count = 15_000
    for number in 0..<count {
      ring.store(.loopWakeUp, argument: UInt64(number))
      ring.store(.loopWakeUp)
    }
    #expect(ring.head == UInt64(3 * count))
    _ = reader.cycle(start)
    #expect(reader.isUnderPressure)
    let trace = try finished(reader)
    #expect(trace.flatBlocks == 5 && payloads(trace).count == 6)
    let numbers = try trace.allEvents().joined().compactMap(\.arguments.first)
    #expect(numbers == (0..<count).map(UInt64.init))
    #expect(trace.eventCount == UInt64(2 * count))
  }

  @Test func itPasses() throws {
    let spool = try Spool(slotsPerRing: Self.slots, usesCycles: false)
    let ring = try TestRing(of: spool)
    let reader = reader(of: spool)
    write(500, to: ring, reader)
    write(100, to: ring, reader)
    #expect(reader.isUnderPressure)
    write(100, to: ring, reader, laterBy: 2 * Pressure.durationNs)
    #expect(!reader.isUnderPressure)
    let trace = try finished(reader)
    #expect(trace.eventCount == 700 && payloads(trace).count == 3 && trace.flatBlocks == 2)
  }

  /// With at most one byte, only one block is flat.
  @Test func theLimit() throws {
    let spool = try Spool(slotsPerRing: Self.slots, usesCycles: false)
    let ring = try TestRing(of: spool)
    let reader = reader(of: spool, pressure: Pressure(bytesLimit: 1))
    for _ in 0..<3 { write(500, to: ring, reader) }
    let trace = try finished(reader)
    #expect(trace.eventCount == 1500 && trace.flatBlocks == 1)
  }

  @Test func aFullDiskEndsIt() {
    var pressure = Pressure()
    pressure.note(unread: 1000, arrived: 0, capacity: 1024, at: 5)
    #expect(pressure.isHigh(at: 5, stored: 0))
    pressure.end()
    pressure.note(unread: 1000, arrived: 0, capacity: 1024, at: 6)
    #expect(!pressure.isHigh(at: 6, stored: 0))
  }

  /// The end of a recording and a recovery find full rings into which no thread stores.
  @Test(arguments: [Pressure(), nil]) func noThreadWaitsForRoom(pressure: Pressure?) throws {
    let spool = try Spool(slotsPerRing: Self.slots, usesCycles: false)
    let ring = try TestRing(of: spool)
    let reader = reader(of: spool, pressure: pressure)
    let count = pressure == nil ? 900 : 100
    write(count, to: ring, reader)
    ring.store(.loopWakeUp, times: 900)
    let trace = try finished(reader)
    #expect(trace.eventCount == UInt64(count + 900) && trace.flatBlocks == 0)
  }

  @Test func withoutACodec() throws {
    let spool = try Spool(slotsPerRing: Self.slots, usesCycles: false)
    let reader = SpoolReader(spool: spool, unit: .ns1, namer: nil) { () throws(TraceFormatError) in
      WholeTrace(try TraceWriter(sink: sink, spool: spool, options: RecordingOptions(timeUnit: .ns1)))
    }
    reader.pressure = Pressure()
    reader.calibrate(.now(usesCycles: false))
    write(900, to: try TestRing(of: spool), reader)
    #expect(reader.isUnderPressure)
    let trace = try finished(reader)
    #expect(trace.eventCount == 900 && trace.flatBlocks == 1)
  }

  /// Slots are given back at once if the ring was at least a quarter full, and earlier than usual under pressure.
  @Test func slotsAreGivenBackEarlier() throws {
    let spool = try Spool(slotsPerRing: 1 << 14, usesCycles: false)
    let ring = try TestRing(of: spool)
    let reader = reader(of: spool)
    func read(_ count: Int) -> UInt64 {
      ring.store(.loopWakeUp, times: count)
      _ = reader.cycle(start)
      return ring.tail
    }
    #expect(read(4095) == 0)
    #expect(read(4096) == 8191)
    #expect(!reader.isUnderPressure)
    // A piece of 4096 slots. The rest is less than a piece and waits.
    #expect(read(6000) == 12_287)
    #expect(reader.isUnderPressure)
    #expect(read(2191) == 12_287)
    #expect(read(1) == 16_383)
    let trace = try finished(reader)
    #expect(trace.eventCount == 16_383 && trace.flatBlocks == 2)
  }

  /// A large part may hold flat blocks. In a small one, such a block might exceed a segment.
  @Test(arguments: [(1 << 24, 1), (1 << 24 - 1, 0)] as [(UInt64, UInt64)])
  func theNewestPart(bytes: UInt64, flat: UInt64) throws {
    let spool = try Spool(slotsPerRing: Self.slots, usesCycles: false)
    let reader = SpoolReader(spool: spool, unit: .ns1, namer: nil) { () throws(TraceFormatError) in
      try RecentTrace(
        KeptPart(bytes: bytes), store: SegmentsInFiles(trace: folder.file("t.rltrace")), sink: sink,
        header: FileHeader(of: spool, options), options: options)
    }
    reader.pressure = Pressure()
    reader.calibrate(.now(usesCycles: false))
    write(500, to: try TestRing(of: spool), reader)
    #expect(reader.isUnderPressure)
    let trace = try finished(reader)
    #expect(trace.isClean && trace.eventCount == 500 && trace.flatBlocks == flat)
  }

  /// The recorder was killed while it wrote a flat block, or after that, but before it gave the slots back.
  @Test(arguments: [true, false]) func killedWhileItWroteABlock(isCutShort: Bool) throws {
    let live = folder.file("live.rltrace"), trace = folder.file("t.rltrace")
    let spool = try Spool(own: options, usesCycles: false, path: live + ".spool")
    let file = try FileSink(recording: live)
    let reader = SpoolReader(spool: spool, unit: .ns1, namer: nil) { () throws(TraceFormatError) in
      WholeTrace(try TraceWriter(sink: file, spool: spool, options: options))
    }
    reader.pressure = Pressure()
    let ring = try TestRing(of: spool)
    let later = ClockReading.now(usesCycles: false)
    spool.later = later
    reader.calibrate(later)
    write(500, to: ring, reader)
    #expect(reader.isUnderPressure && ring.tail == 500)
    spool.noteAlive(.now(usesCycles: false))
    ring.tail = 0
    spool.header.pointee.written_events = 0
    spool.header.pointee.giving_tail = 0
    spool.header.pointee.giving_written = 0
    spool.header.pointee.giving_ring = 0
    for suffix in [".spool", ".part"] {
      try FileManager.default.copyItem(atPath: live + suffix, toPath: trace + suffix)
    }
    file.discard()
    spool.removeFile()
    let block = try #require(try openTrace(path: trace + ".part").blocks.first { $0.type == .events })
    #expect(block.payloadBytes > 500)
    let middle = block.offset + UInt64(block.payloadBytes / 2)
    if isCutShort { #expect(truncate(trace + ".part", off_t(middle)) == 0) }

    let outcome = try SpoolRecovery.recover(
      Spool(opening: trace + ".spool", privately: true), trace: trace, options: options, codecs: allCodecs,
      makeNaming: nil, keepsParts: false
    ) { () throws(TraceFormatError) in try FileSink(recording: trace) }
    guard case .written(let summary) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(summary.lostEvents == 0 && summary.damagedEvents == 0)
    let recovered = try openTrace(path: trace)
    #expect(recovered.isClean && recovered.eventCount == 500)
  }
}
