import CRLTraceShims
import Foundation
import Synchronization
import TestSupport
import Testing
import TraceFormat

@testable import TraceRecorder

/// Rings go to threads that run loops; when they are scarce, the others share one.
@Suite struct SharedRingTests {
  private static let events = 50

  /// Runs `count` threads at a time; each stores its events, and lives until `release` is signalled.
  private func start(_ count: Int, runLoops: Bool, release: DispatchSemaphore, ended: DispatchGroup) {
    let stored = DispatchGroup()
    for number in 0..<count {
      stored.enter()
      ended.enter()
      Thread {
        if runLoops { rlt_join_recording() }
        for _ in 0..<SharedRingTests.events {
          rlt_emit(EventKind.mark.rawValue, UInt32(number))
          rlt_emit_pair(EventKind.loopStop.rawValue, 0, UInt32(number), 1, 2, 2)
        }
        stored.leave()
        release.wait()
        ended.leave()
      }.start()
    }
    stored.wait()
  }

  @Test func loopsGetRingsWhateverElseThereIs() throws {
    let others = 200
    let loops = 100
    let (bytes, summary) = try RecordingTurn.take {
      let sink = MemorySink()
      let recorder = try TraceRecorder.start(
        sink: sink, options: RecordingOptions(slotsPerRing: 1 << 15, hasHeartbeat: false))
      let release = DispatchSemaphore(value: 0)
      let ended = DispatchGroup()
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
    // Half of the rings at most went to threads without loops, and one to all the rest of them.
    #expect(reader.threads.count == Spool.ringCount / 2 + loops + 1)
    let decoded = DecodedEvents()
    var times: [UInt64] = []
    for (number, block) in reader.blocks.enumerated()
    where block.type == .events && block.thread == shared.index {
      try reader.events(of: number, into: decoded)
      times += (0..<decoded.count).map { decoded.times[$0] }
    }
    #expect(times.count == 2 * SharedRingTests.events * (others - Spool.ringCount / 2))
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
  }

  /// Rings too small for what two hundred loops store at once: each event is there, or counted where it is missing.
  @Test func nothingIsLostUnsaid() throws {
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

  /// A thread that shares, and then runs a loop, has a ring of its own from then on.
  @Test func whoRunsALoopLeaves() throws {
    let spool = try Spool(slotsPerRing: 64, usesCycles: false)
    var isScarce: Int32 = 0
    let half = UInt32(Spool.ringCount / 2)
    for _ in 0..<half { #expect(rlt_spool_claim(spool.header, half, &isScarce) != nil) }
    #expect(rlt_spool_claim(spool.header, half, &isScarce) == nil && isScarce != 0)
    #expect(rlt_spool_claim_shared(spool.header) != nil)
    #expect(rlt_spool_claim(spool.header, UInt32(Spool.ringCount), &isScarce) != nil)
  }
}
