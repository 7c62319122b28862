import CForkSupport
import CRLTraceShims
import Foundation
import Synchronization
import TestSupport
import Testing
import TraceFormat

@testable import TraceRecorder

/// Some rings are reserved for threads that run loops. When no other ring is free, threads without loops share one.
@Suite struct SharedRingTests {
  private static let events = 50

  /// Starts `count` threads at once. Each stores its events and lives until `release` is signalled.
  private func start(_ count: Int, runLoops: Bool, release: DispatchSemaphore, ended: DispatchGroup) {
    let stored = DispatchGroup()
    for number in 0..<count {
      stored.enter()
      ended.enter()
      Thread {
        if runLoops { rlt_join_recording() }
        for _ in 0..<SharedRingTests.events {
          rlt_emit(EventKind.mark.rawValue, UInt32(number))
          rlt_emit_inline(EventKind.loopStop.rawValue, 0, UInt32(number), [1, 2], 2)
        }
        stored.leave()
        release.wait()
        ended.leave()
      }.start()
    }
    stored.wait()
  }

  @Test func loopsAlwaysGetRings() throws {
    let others = 50
    let loops = 100
    let (bytes, summary) = try RecordingTurn.take {
      let sink = MemorySink()
      let recorder = try TraceRecorder.start(
        sink: sink, options: RecordingOptions(slotsPerRing: 1 << 15, hasHeartbeat: false))
      let release = DispatchSemaphore(value: 0)
      let ended = DispatchGroup()
      SharedRingTests.takeRings(forLoops: false)
      start(others, runLoops: false, release: release, ended: ended)
      start(loops, runLoops: true, release: release, ended: ended)
      let summary = try recorder.stop()
      for _ in 0..<others + loops { release.signal() }
      ended.wait()
      return (sink.bytes, summary)
    }
    let reader = try openTrace(bytes)
    #expect(summary.lostEvents == 0)
    #expect(summary.events == UInt64(2 * SharedRingTests.events * (others + loops)))
    let shared = try #require(reader.threads.values.first { $0.name == "(threads without a loop)" })
    #expect(shared.osThread != 0, "0 is for the recorder's own")
    #expect(reader.threads.count == Int(rlt_spool_rings_of_any_thread()) + loops + 1)
    let decoded = DecodedEvents()
    var times: [UInt64] = []
    for (number, block) in reader.blocks.enumerated()
    where block.type == .events && block.thread == shared.index {
      try reader.events(of: number, into: decoded)
      times += (0..<decoded.count).map { decoded.times[$0] }
    }
    #expect(times.count == 2 * SharedRingTests.events * others)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
  }

  /// Takes all rings that are available for threads with loops, or for threads without loops.
  private static func takeRings(forLoops: Bool) {
    var isScarce: Int32 = 0
    while rlt_spool_claim(rlt_current_spool(), forLoops ? 1 : 0, &isScarce) != nil {}
  }

  private static let ofOneThread = EventTable.definitions.filter {
    switch $0.role {
    case .activity, .callBegin, .callEnd, .calloutBegin, .calloutEnd, .answersDue: true
    default: $0.name.hasPrefix("topology.")
    }
  }

  /// Events that begin or end something on a thread need their place among that thread's events. A shared ring has no
  /// such place, so they count as lost.
  @Test func nestingIsNotShared() throws {
    let (bytes, summary) = try RecordingTurn.take {
      let sink = MemorySink()
      let recorder = try TraceRecorder.start(
        sink: sink, options: RecordingOptions(slotsPerRing: 1 << 12, hasHeartbeat: false))
      SharedRingTests.takeRings(forLoops: false)
      let ended = DispatchGroup()
      ended.enter()
      Thread {
        for kind in SharedRingTests.ofOneThread { rlt_emit(kind.kind.rawValue, 1) }
        rlt_emit_timer_begin(EventKind.timerDue.rawValue, EventKind.timerBegin.rawValue, 1, 0)
        rlt_emit(EventKind.sourceSignal.rawValue, 1)
        ended.leave()
      }.start()
      ended.wait()
      let summary = try recorder.stop()
      return (sink.bytes, summary)
    }
    let events = try openTrace(bytes).allEvents().flatMap { $0 }
    let stored = events.map(\.kind).filter { $0 != EventKind.lostEvents.rawValue }
    #expect(stored == [EventKind.sourceSignal.rawValue])
    #expect(summary.lostEvents == UInt64(SharedRingTests.ofOneThread.count + 1))
  }

  /// A thread that runs a loop never stores into a shared ring. Events that it cannot store are counted. A
  /// lost-events event precedes its first stored event.
  @Test func loopsNeverShare() throws {
    let (bytes, summary, lostBefore) = try RecordingTurn.take {
      let sink = MemorySink()
      let recorder = try TraceRecorder.start(
        sink: sink, options: RecordingOptions(slotsPerRing: 64, hasHeartbeat: false))
      SharedRingTests.takeRings(forLoops: true)
      let lostBefore = Mutex<UInt64>(0)
      let ended = DispatchGroup()
      ended.enter()
      Thread {
        rlt_join_recording()
        rlt_emit(EventKind.sourceSignal.rawValue, 7)
        rlt_emit(EventKind.timerBegin.rawValue, 7)
        let spool = rlt_current_spool()!
        let ring = rlt_spool_ring(spool, 5)!
        rlt_ring_set_state(ring, UInt32(RLT_RING_FREE))
        // The thread looks for a ring again after a while.
        while ring.pointee.head == 0 {
          rlt_emit(EventKind.timerEnd.rawValue, 7)
        }
        lostBefore.withLock { $0 = spool.pointee.ringless_lost }
        ended.leave()
      }.start()
      ended.wait()
      let summary = try recorder.stop()
      return (sink.bytes, summary, lostBefore.withLock { $0 })
    }
    let events = try openTrace(bytes).allEvents().flatMap { $0 }
    #expect(lostBefore >= 2 && summary.lostEvents == lostBefore)
    #expect(
      events.map(\.kind).prefix(2) == [EventKind.lostEvents.rawValue, EventKind.timerBegin.end.rawValue])
    #expect(events.first?.arguments.first == 0)
  }

  /// More threads than rings run one after another, several at a time. Each has its events under its own index.
  @Test func ringsOfEndedThreadsAreUsedAgain() throws {
    let threads = Spool.ringCount + 500
    let atOnce = 16
    let (bytes, summary) = try RecordingTurn.take {
      let sink = MemorySink()
      let recorder = try TraceRecorder.start(
        sink: sink, options: RecordingOptions(slotsPerRing: 64, hasHeartbeat: false))
      for start in stride(from: 0, to: threads, by: atOnce) {
        let ended = DispatchGroup()
        for number in start..<min(start + atOnce, threads) {
          ended.enter()
          let thread = Thread {
            rlt_join_recording()
            for _ in 0..<3 { rlt_emit(EventKind.sourceSignal.rawValue, UInt32(number)) }
            ended.leave()
          }
          thread.stackSize = 1 << 16
          thread.start()
        }
        ended.wait()
      }
      let summary = try recorder.stop()
      return (sink.bytes, summary)
    }
    let reader = try openTrace(bytes)
    #expect(summary.lostEvents == 0)
    #expect(summary.events == UInt64(3 * threads))
    #expect(reader.threads.count == threads)
    var objectOfThread: [UInt32: Set<UInt32>] = [:]
    let decoded = DecodedEvents()
    for (number, block) in reader.blocks.enumerated() where block.type == .events {
      try reader.events(of: number, into: decoded)
      objectOfThread[block.thread, default: []].formUnion(decoded.values.map(\.object))
    }
    #expect(objectOfThread.count == threads)
    #expect(objectOfThread.values.allSatisfy { $0.count == 1 })
  }

  /// An ended thread gives its ring back even if its variables are gone, as on Apple's systems, where dyld frees them
  /// before the last round of destructors.
  ///
  /// Guards the rule that the rounds are counted beside the ring, in the key's value. A count in a thread-local variable
  /// would start again in each round, and each ended thread would keep its ring for good.
  @Test func ringsOfThreadsWithoutVariablesAreUsedAgain() throws {
    let threads = Spool.ringCount + 100
    let summary = try RecordingTurn.take {
      let recorder = try TraceRecorder.start(
        sink: MemorySink(), options: RecordingOptions(slotsPerRing: 64, hasHeartbeat: false))
      for number in 0..<threads {
        let thread = Thread {
          rlt_forget_variables_at_end()
          rlt_join_recording()
          rlt_emit(EventKind.sourceSignal.rawValue, UInt32(number))
        }
        thread.start()
        while !thread.isFinished { usleep(20) }
      }
      return try recorder.stop()
    }
    #expect(summary.lostEvents == 0)
    #expect(summary.events == UInt64(threads))
  }

  /// The rings are too small for the events of two hundred loops. Each event is either stored or counted where it is
  /// missing.
  @Test func everyLossIsCounted() throws {
    let loops = 200
    let stored = 3000
    let (bytes, summary) = try RecordingTurn.take {
      let sink = MemorySink()
      let recorder = try TraceRecorder.start(
        sink: sink, options: RecordingOptions(slotsPerRing: 256, hasHeartbeat: false))
      let release = DispatchSemaphore(value: 0)
      let ended = DispatchGroup()
      for _ in 0..<loops {
        ended.enter()
        Thread {
          rlt_join_recording()
          release.wait()
          for number in 0..<stored { rlt_emit(EventKind.mark.rawValue, UInt32(number)) }
          ended.leave()
        }.start()
      }
      for _ in 0..<loops { release.signal() }
      ended.wait()
      let summary = try recorder.stop()
      return (sink.bytes, summary)
    }
    let events = try openTrace(bytes).allEvents().flatMap { $0 }
    let marks = events.count { $0.kind == EventKind.mark.rawValue }
    let lost = events.filter { $0.kind == EventKind.lostEvents.rawValue }.reduce(0) { $0 + $1.arguments[0] }
    #expect(UInt64(marks) + lost == UInt64(loops * stored))
    #expect(lost == summary.lostEvents)
  }

  /// A thread that shares a ring and then runs a loop has its own ring from then on.
  @Test func aThreadThatRunsALoopLeavesTheSharedRing() throws {
    let spool = try Spool(slotsPerRing: 64, usesCycles: false)
    var isScarce: Int32 = 0
    for _ in 0..<rlt_spool_rings_of_any_thread() {
      #expect(rlt_spool_claim(spool.header, 0, &isScarce) != nil)
    }
    #expect(rlt_spool_claim(spool.header, 0, &isScarce) == nil && isScarce != 0)
    #expect(rlt_spool_claim_shared(spool.header) != nil)
    let ring = rlt_spool_claim(spool.header, 1, &isScarce)
    #expect(ring?.pointee.capacity == 64)
  }
}
