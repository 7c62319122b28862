import CForkSupport
import CRLTraceShims
import Foundation
import SystemSupport
import TestSupport
import Testing
import TraceFormat
import TraceRecorder

/// Recordings of events that the tests emit themselves.
@Suite struct RecorderTests {
  private struct Recording {
    let reader: TraceReader
    let summary: RecordingSummary
  }

  private func record(
    _ options: RecordingOptions = RecordingOptions(), _ body: (TraceRecorder) throws -> Void
  ) throws -> Recording {
    try RecordingTurn.take {
      let sink = MemorySink()
      // On a busy machine beats are late; HeartbeatTests cover them.
      var options = options
      options.hasHeartbeat = false
      let recorder = try TraceRecorder.start(sink: sink, options: options)
      try body(recorder)
      let summary = try recorder.stop()
      return Recording(reader: try openTrace(sink.bytes), summary: summary)
    }
  }

  @Test(arguments: [ClockSource.cycleCounter, .monotonic], TimeUnit.allCases)
  func eventsInOrder(clock: ClockSource, unit: TimeUnit) throws {
    let recording = try record(RecordingOptions(timeUnit: unit, clock: clock)) { recorder in
      for i in 0..<10_000 { rlt_emit(EventKind.source0Begin.rawValue, UInt32(i)) }
    }
    let events = try recording.reader.allEvents().flatMap { $0 }
    #expect(events.map(\.object) == Array(0..<10_000))
    #expect(zip(events, events.dropFirst()).allSatisfy { $0.time <= $1.time })
    #expect(recording.summary.events == 10_000)
    #expect(recording.summary.lostEvents == 0)
    #expect(recording.reader.isClean)
  }

  /// A batch stores its events in order, also where the room for the ring's next events ends inside it.
  @Test func batchesKeepTheirOrder() throws {
    let kinds: [EventKind] = [.afterWaitingLow, .afterWaitingHigh, .beforeTimersLow]
    let batch = kinds.reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1.rawValue) }
    let batches: UInt32 = 2000
    let recording = try record(RecordingOptions(slotsPerRing: 1 << 15)) { _ in
      for i in 1...batches { rlt_emit_batch(batch, 0, i) }
    }
    let events = try recording.reader.allEvents().flatMap { $0 }
    #expect(events.map(\.object) == (1...batches).flatMap { [$0, $0, $0] })
    #expect(events.map(\.kind) == (1...batches).flatMap { _ in kinds.map(\.rawValue) })
    #expect(zip(events, events.dropFirst()).allSatisfy { $0.time <= $1.time })
    #expect(recording.summary.lostEvents == 0)
  }

  /// A batch for which a full ring has no room counts as its events.
  @Test func eachLostEventOfABatchCounts() throws {
    let batches = 200_000
    let recording = try record(RecordingOptions(slotsPerRing: 256)) { _ in
      for _ in 0..<batches { rlt_emit_batch(0x0605_0403, 0, 1) }
    }
    let stored = try recording.reader.allEvents().flatMap { $0 }.count {
      $0.kind != EventKind.lostEvents.rawValue
    }
    #expect(UInt64(stored) + recording.summary.lostEvents == UInt64(4 * batches))
  }

  /// A ring that overflows counts the lost events at the place where they are missing.
  @Test func lossIsCountedWhereItHappened() throws {
    let emitted: UInt32 = 200_000
    let recording = try record(RecordingOptions(slotsPerRing: 256)) { _ in
      for i in 1...emitted { rlt_emit(EventKind.source0Begin.rawValue, i) }
    }
    var expected: UInt32 = 1
    var lost: UInt64 = 0
    for event in try recording.reader.allEvents().flatMap({ $0 }) {
      if event.kind == EventKind.lostEvents.rawValue {
        lost += event.arguments[0]
        expected += UInt32(event.arguments[0])
      } else {
        #expect(event.object == expected)
        expected += 1
      }
    }
    #expect(expected == emitted + 1)
    #expect(lost > 0)
    #expect(recording.summary.lostEvents == lost)
  }

  /// Arguments cross the end of the ring, and threads begin and end.
  @Test func argumentsFromManyThreads() throws {
    let threads = 40
    let recording = try record(RecordingOptions(slotsPerRing: 4096)) { recorder in
      let group = DispatchGroup()
      for number in 0..<threads {
        group.enter()
        let thread = Thread {
          for i in 0..<50 { recorder.emit(.stack, object: UInt32(number), UInt64(i), 1, 2, UInt64(number)) }
          group.leave()
        }
        thread.start()
      }
      group.wait()
      // Gives the drain time to release the rings of ended threads.
      usleep(100_000)
    }
    let events = try recording.reader.allEvents().flatMap { $0 }
    #expect(events.count == threads * 50)
    #expect(events.allSatisfy { $0.arguments.count == 4 && $0.arguments[3] == UInt64($0.object) })
    #expect(recording.reader.threads.count == threads)
  }

  /// Many short threads, one after another. Each finds a ring, because the drain releases those of ended threads.
  @Test func manyShortThreads() throws {
    let threads = 2000
    let recording = try record(RecordingOptions(slotsPerRing: 64)) { _ in
      for number in 0..<threads {
        let thread = Thread { rlt_emit(EventKind.mark.rawValue, UInt32(number)) }
        thread.start()
        while !thread.isFinished { usleep(20) }
      }
    }
    let marks = try recording.reader.allEvents().flatMap { $0 }.count { $0.kind == EventKind.mark.rawValue }
    #expect(UInt64(marks) + recording.summary.lostEvents == UInt64(threads))
    #expect(recording.reader.isClean)
  }

  /// Threads emit while recordings start and stop. A late store must not touch unmapped memory.
  @Test func emittingAcrossStops() throws {
    // One turn for all recordings: otherwise the threads would emit into the recordings of other tests.
    try RecordingTurn.take {
      let isOver = Flag()
      let group = DispatchGroup()
      // More threads than cores, so that some are preempted inside an emit.
      for _ in 0..<8 {
        group.enter()
        Thread {
          let arguments: [UInt64] = [1, 2, 3]
          while !isOver.isSet { rlt_emit_arguments(EventKind.stack.rawValue, 0, 1, arguments, 3) }
          group.leave()
        }.start()
      }
      defer {
        isOver.set()
        group.wait()
      }
      for _ in 0..<100 {
        let sink = MemorySink()
        let recorder = try TraceRecorder.start(sink: sink, options: RecordingOptions(slotsPerRing: 256))
        usleep(200)
        _ = try recorder.stop()
        let events = try openTrace(sink.bytes).allEvents().flatMap { $0 }
        #expect(
          events.allSatisfy { $0.kind != EventKind.stack.rawValue || $0.arguments == [1, 2, 3] })
      }
    }
  }

  private final class Flag: Sendable {
    private let value = Locked(false)
    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
  }

  /// A forked child shares the memory of the rings, and must not write to it.
  @Test func aForkedChildIsNotRecorded() throws {
    let recording = try record { _ in
      rlt_emit(EventKind.mark.rawValue, 1)
      #expect(rlt_emit_in_forked_child(EventKind.mark.rawValue, 99) == 0)
      rlt_emit(EventKind.mark.rawValue, 2)
    }
    #expect(try recording.reader.allEvents().flatMap { $0 }.map(\.object) == [1, 2])
  }

  @Test func oneRecordingAProcess() throws {
    try RecordingTurn.take {
      let recorder = try TraceRecorder.start(sink: MemorySink(), options: RecordingOptions())
      #expect(throws: RecordingError.self) {
        try TraceRecorder.start(sink: MemorySink(), options: RecordingOptions())
      }
      _ = try recorder.stop()
      #expect(try recorder.stop().bytes > 0, "a second stop has the outcome of the first")
    }
  }

  @Test func nothingIsStoredAfterStop() throws {
    _ = try record { _ in rlt_emit(EventKind.mark.rawValue, 1) }
    // In a turn: another test may be recording.
    RecordingTurn.take { rlt_emit(EventKind.mark.rawValue, 2) }
    let next = try record { _ in rlt_emit(EventKind.mark.rawValue, 3) }
    #expect(try next.reader.allEvents().flatMap { $0 }.map(\.object) == [3])
  }

  /// When the disk is full, stopping throws the error.
  @Test func fullDisk() throws {
    try RecordingTurn.take {
      let sink = SinkWithoutRoom()
      let recorder = try TraceRecorder.start(sink: sink, options: RecordingOptions())
      sink.waitForBeginning()
      sink.isFull.isSet = true
      for i in 0..<1000 { rlt_emit(EventKind.mark.rawValue, UInt32(i)) }
      let error = #expect(throws: RecordingError.self) { _ = try recorder.stop() }
      #expect("\(try #require(error))".contains("No space left"))
    }
  }

  /// Events that a full ring loses while the trace cannot be written count as lost to the full disk. Losses before
  /// and after do not.
  @Test func whyEventsAreLost() throws {
    try RecordingTurn.take {
      let sink = SinkWithoutRoom()
      let options = RecordingOptions(slotsPerRing: 256, hasHeartbeat: false)
      let recorder = try TraceRecorder.start(sink: sink, options: options)
      func emit(while isGoingOn: () -> Bool) {
        while isGoingOn() {
          for _ in 0..<100 { rlt_emit(EventKind.mark.rawValue, 1) }
          usleep(1000)
        }
      }
      sink.waitForBeginning()
      sink.isFull.isSet = true
      // At the second refusal, the recorder has handled the first one.
      emit { sink.refusals.value < 2 }
      for _ in 0..<1000 { rlt_emit(EventKind.mark.rawValue, 1) }
      let accepted = sink.accepted.value
      sink.isFull.isSet = false
      emit { sink.accepted.value == accepted }
      let summary = try recorder.stop()
      let losses = try openTrace(sink.bytes).allEvents().joined().filter {
        $0.kind == EventKind.lostEvents.rawValue
      }
      let lost = losses.reduce(0) { $0 + $1.arguments[0] }
      let toFullDisk = losses.reduce(0) { $0 + $1.arguments[1] }
      #expect(summary.lostEvents == lost && summary.lostForRoom == toFullDisk)
      #expect(toFullDisk >= 1000 && losses.allSatisfy { $0.arguments[1] <= $0.arguments[0] })
    }
  }

  @Test func objectIDsAreGenerational() throws {
    _ = try record { recorder in
      let first = recorder.makeObject()
      recorder.release(object: first)
      let second = recorder.makeObject()
      #expect(ObjectID(first).slot == ObjectID(second).slot)
      #expect(first != second)
      // A late release of the first object must not free the second.
      recorder.release(object: first)
      #expect(ObjectID(recorder.makeObject()).slot != ObjectID(second).slot)
    }
  }

  @Test func modesBeyondTheTableShareAnID() throws {
    let recording = try record { recorder in
      for i in 0..<300 { _ = recorder.mode("mode \(i)") }
      rlt_emit(EventKind.mark.rawValue, 1)
    }
    #expect(recording.reader.modes[ModeDefinition.overflowID] == ModeName.others)
    #expect(recording.reader.modes.count == 255)
  }

  /// The table of strings grows with their number.
  @Test func stringsAreWrittenOnce() throws {
    let recording = try record { recorder in
      func ids() -> [UInt32] { (0..<20_000).map { recorder.string("string \($0)") } }
      let first = ids()
      #expect(Set(first).count == 20_000 && !first.contains(0))
      #expect(ids() == first)
      #expect(recorder.string("") == 0)
      rlt_emit(EventKind.mark.rawValue, 1)
    }
    #expect(recording.reader.strings.count == 20_000)
  }

  /// A disk that is full as long as the test sets `isFull`.
  private final class SinkWithoutRoom: ByteSink, @unchecked Sendable {
    private let sink = MemorySink()
    let isFull = AtomicFlag(false)
    /// The number of refused writes.
    let refusals = AtomicWord()
    let accepted = AtomicWord()

    func write(_ bytes: UnsafeRawBufferPointer) throws(TraceFormatError) {
      if isFull.isSet {
        _ = refusals.add(1)
        throw .system(what: "cannot write the trace", code: ENOSPC)
      }
      sink.write(bytes)
      _ = accepted.add(1)
    }
    func commit() {}
    func discard() {}
    func leave() {}

    /// Waits until the file's header is written.
    func waitForBeginning() { while accepted.value == 0 { usleep(1000) } }

    var bytes: [UInt8] { sink.bytes }
  }
}
