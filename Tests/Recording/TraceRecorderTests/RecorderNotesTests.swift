import TestSupport
import Testing
import TraceFormat

@testable import TraceRecorder

/// Events that the recorder itself observed, on their way into a trace.
@Suite struct RecorderNotesTests {
  private let spool: Spool
  private let notes = RecorderNotes()
  private let sink = MemorySink()
  private let options = RecordingOptions(timeUnit: .ns1)
  private var header: FileHeader { FileHeader(of: spool, options) }

  private let folder: TemporaryFolder

  init() throws {
    spool = try Spool(slotsPerRing: 64, usesCycles: false)
    folder = try TemporaryFolder()
  }

  /// Returns a reading `ns` after the spool's origin on all clocks. The boot-time clock is ahead by another `asleepNs`.
  private func reading(_ ns: UInt64, asleepNs: UInt64 = 0) -> ClockReading {
    let origin = spool.origin
    return ClockReading(
      ticks: origin.ticks + ns, monotonicNs: origin.monotonicNs + ns,
      boottimeNs: origin.boottimeNs + ns + asleepNs, realtimeNs: origin.realtimeNs + ns)
  }

  private func stop(_ ns: UInt64, signal: UInt64, clocks: [ClockReading] = []) -> RecorderNote {
    RecorderNote(
      moment: reading(ns), event: RecorderNote.Event(kind: .processStop, arguments: [signal]), clocks: clocks)
  }

  private func reader(_ makeOutput: () throws(TraceFormatError) -> any SpoolOutput) -> SpoolReader {
    SpoolReader(spool: spool, unit: .ns1, namer: nil, notes: notes, makeOutput: makeOutput)
  }

  private func whole() -> SpoolReader {
    reader { () throws(TraceFormatError) in
      WholeTrace(try TraceWriter(sink: sink, header: header, codec: NoCodec()))
    }
  }

  private func recent(bytes: UInt64) -> SpoolReader {
    reader { () throws(TraceFormatError) in
      try RecentTrace(
        KeptPart(bytes: bytes), store: SegmentsInFiles(trace: folder.file("t.rltrace")), sink: sink,
        header: header,
        options: options)
    }
  }

  private func trace() throws -> TraceReader {
    let reader = try openTrace(sink.bytes)
    #expect(reader.isClean)
    return reader
  }

  @Test func nothingToSay() throws {
    let reader = whole()
    reader.calibrate(self.reading(1_000_000))
    _ = reader.cycle(self.reading(2_000_000))
    #expect(reader.finish())
    #expect(try trace().threads.isEmpty && trace().eventCount == 0)
  }

  /// Several threads add notes, so the notes are not in order. Some come before the clock is calibrated.
  @Test func inOrderOfTime() throws {
    let reader = whole()
    notes.add(stop(3000, signal: 3))
    notes.add(stop(2000, signal: 2))
    reader.calibrate(self.reading(1_000_000))
    _ = reader.cycle(self.reading(2_000_000))
    // Observed earlier, but handed over late.
    notes.add(stop(2500, signal: 4))
    _ = reader.cycle(self.reading(3_000_000))
    notes.add(stop(4_000_000, signal: 5))
    _ = reader.cycle(self.reading(5_000_000))
    #expect(reader.finish())
    let trace = try trace()
    let events = try trace.eventsOfTheRecorder()
    #expect(events.map(\.time) == [2000, 3000, 3000, 4_000_000])
    #expect(events.map(\.arguments) == [[2], [3], [4], [5]])
    #expect(trace.threads.count == 1 && trace.threads[0]?.name == "(recorder)")
    #expect(trace.eventCount == 4)
  }

  /// The two sync points around a sleep show its length, however close the regular points are.
  @Test func clocks() throws {
    let reader = whole()
    reader.calibrate(self.reading(1_000_000))
    let around = [self.reading(20_000_000), self.reading(90_000_000, asleepNs: 5_000_000_000)]
    notes.add(RecorderNote(moment: around[1], event: nil, clocks: around))
    _ = reader.cycle(self.reading(91_000_000, asleepNs: 5_000_000_000))
    // The first reading is older than the last sync point.
    notes.add(stop(92_000_000, signal: 1, clocks: [self.reading(80_000_000), self.reading(92_000_000)]))
    _ = reader.cycle(self.reading(93_000_000))
    #expect(reader.finish())
    let points = try trace().syncPoints
    #expect(points.map(\.time) == [0, 20_000_000, 90_000_000, 92_000_000, 93_000_000])
    #expect(
      points[2].boottimeNs &- points[2].monotonicNs &- (points[1].boottimeNs &- points[1].monotonicNs)
        == 5_000_000_000)
  }

  /// The user sets the wall clock forward and back. The times of events do not change, and sync points show both
  /// clocks.
  @Test func aClockThatIsStepped() throws {
    let reader = whole()
    reader.calibrate(self.reading(1_000_000))
    let steps: [Int64] = [0, 3_600_000_000_000, -7_200_000_000_000, 0]
    for (number, stepNs) in steps.enumerated() {
      let ns = UInt64(number + 1) * 20_000_000
      var moment = self.reading(ns)
      moment.realtimeNs &+= UInt64(bitPattern: stepNs)
      notes.add(
        RecorderNote(
          moment: moment, event: .init(kind: .processStop, arguments: [UInt64(number)]), clocks: [moment]))
      _ = reader.cycle(self.reading(ns + 1_000_000))
    }
    #expect(reader.finish())
    let trace = try trace()
    #expect(
      try trace.eventsOfTheRecorder().map(\.time) == [20_000_000, 40_000_000, 60_000_000, 80_000_000])
    let points = trace.syncPoints.filter { $0.time > 0 && $0.time % 20_000_000 == 0 }
    #expect(
      points.map { Int64(bitPattern: $0.realtimeNs &- $0.monotonicNs) }
        == steps.map { Int64(bitPattern: spool.origin.realtimeNs &- spool.origin.monotonicNs) + $0 })
  }

  /// Segments are dropped, and the live state is restated at a cut, but never on the recorder's thread. The trace still
  /// identifies that thread.
  @Test func theNewestPart() throws {
    let reader = recent(bytes: 1 << 14)
    reader.calibrate(self.reading(1_000_000))
    for beat in 1...2000 as ClosedRange<UInt64> {
      notes.add(stop(beat * 20_000_000, signal: beat))
      _ = reader.cycle(self.reading(beat * 20_000_000 + 1))
    }
    #expect(reader.finish())
    let trace = try trace()
    #expect(trace.beginning > 0 && trace.droppedEvents > 0 && trace.fileSize <= 1 << 14)
    let events = try trace.eventsOfTheRecorder()
    #expect(events.last?.arguments == [2000])
    #expect(zip(events, events.dropFirst()).allSatisfy { $1.arguments[0] == $0.arguments[0] + 1 })
    #expect(UInt64(events.count) == trace.eventCount && events.count > 10)
    #expect(trace.droppedEvents + trace.eventCount == 2000)
  }

  @Test func lifeIsNotRestatedThere() throws {
    // The recorder writes first, so its thread has the lowest index.
    notes.add(stop(1000, signal: 1))
    let output = try RecentTrace(
      KeptPart(bytes: 1 << 20), store: SegmentsInFiles(trace: folder.file("t.rltrace")), sink: sink,
      header: header,
      options: options)
    let reader = reader { output }
    reader.calibrate(self.reading(1_000_000))
    _ = reader.cycle(self.reading(2_000_000))
    _ = try output.write(
      EventBuffer([TestEvent(time: 2_000_001, kind: .lifeCycle, arguments: [4])]), thread: 1,
      isFlat: false)
    try output.cut(at: 3_000_000)
    let live = try #require(try openSegment(output))
    #expect(live == 1)
  }

  /// Returns the thread on which a new segment restates the live state.
  private func openSegment(_ output: RecentTrace) throws -> UInt32? {
    let part = try output.part(at: 4_000_000)
    let segment = try #require(part.segments.last).open { _ in NoCodec() }
    return segment.blocks.first { $0.type == .events }?.thread
  }
}
