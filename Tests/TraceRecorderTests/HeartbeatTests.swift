import CRLTraceShims
import Foundation
import TestSupport
import Testing
import TraceFormat

@testable import TraceRecorder

/// The thread that notes when it woke late.
@Suite struct HeartbeatTests {
  private struct Recorded {
    let reader: TraceReader
    let tookNs: UInt64
    /// Of threads that are not the program's.
    let beats: [TestEvent]
  }

  private func record(
    _ options: RecordingOptions = RecordingOptions(), _ body: () throws -> Void
  ) throws -> Recorded {
    try RecordingTurn.take {
      let sink = MemorySink()
      let start = rlt_monotonic_ns()
      let recorder = try TraceRecorder.start(sink: sink, options: options)
      try body()
      _ = try recorder.stop()
      let tookNs = rlt_monotonic_ns() - start
      let reader = try openTrace(sink.bytes)
      #expect(reader.isClean)
      return Recorded(reader: reader, tookNs: tookNs, beats: try reader.eventsOfTheRecorder())
    }
  }

  /// A helper stops this process and continues it.
  private func standStill(seconds: Double) throws {
    let helper = Process()
    helper.executableURL = URL(fileURLWithPath: "/bin/sh")
    helper.arguments = ["-c", "kill -STOP \(getpid()); sleep \(seconds); kill -CONT \(getpid())"]
    try helper.run()
    helper.waitUntilExit()
    #expect(helper.terminationStatus == 0)
  }

  @Test(arguments: [ClockSource.cycleCounter, .monotonic])
  func aStoppedProcess(clock: ClockSource) throws {
    let recorded = try record(RecordingOptions(clock: clock)) {
      rlt_emit(EventKind.mark.rawValue, 1)
      usleep(150_000)
      try standStill(seconds: 0.4)
      rlt_emit(EventKind.mark.rawValue, 2)
    }
    #expect(recorded.beats.allSatisfy { $0.kind == EventKind.heartbeat.rawValue })
    let beat = try #require(recorded.beats.max { $0.arguments[0] < $1.arguments[0] })
    // The beat was due at most 20 ms after the stop.
    #expect(beat.arguments[0] >= 340_000_000 && beat.arguments[0] < recorded.tookNs, "\(beat)")
    // The CPU time of this process is always known, and no more than its cores can give between two beats.
    let cores = UInt64(ProcessInfo.processInfo.activeProcessorCount)
    #expect(beat.arguments.count == 2 && beat.arguments[1] <= 2 * cores * beat.arguments[0], "\(beat)")
    // The clocks stand beside it, before and behind.
    let due = beat.time - beat.arguments[0] / recorded.reader.header.timeUnit.nanoseconds
    #expect(recorded.reader.syncPoints.contains { $0.time == beat.time })
    #expect(recorded.reader.syncPoints.contains { $0.time > 0 && $0.time <= due })
    let marks = try recorded.reader.allEvents().flatMap { $0 }.filter { $0.kind == EventKind.mark.rawValue }
    #expect(marks.map(\.object) == [1, 2])
    #expect(marks[0].time < beat.time)
  }

  /// The stop lies where there is no clock line yet.
  @Test func aStopAtOnce() throws {
    let recorded = try record { try standStill(seconds: 0.3) }
    #expect(recorded.beats.contains { $0.arguments[0] >= 240_000_000 }, "\(recorded.beats)")
  }

  /// Late beats only: there cannot be more of them than fit into the time.
  @Test func beatsInTimeAreNotNoted() throws {
    let recorded = try record { usleep(400_000) }
    #expect(recorded.beats.allSatisfy { $0.arguments[0] >= Heartbeat.lateNs })
    #expect(UInt64(recorded.beats.count) * Heartbeat.lateNs <= recorded.tookNs, "\(recorded.beats)")
    let own = recorded.reader.threads.values.count { $0.name == RecorderThread.name }
    #expect(own == (recorded.beats.isEmpty ? 0 : 1))
  }

  @Test func canBeLeftOut() throws {
    let recorded = try record(RecordingOptions(hasHeartbeat: false)) {
      #expect(Self.beatingThreads == 0)
      try standStill(seconds: 0.2)
    }
    #expect(recorded.beats.isEmpty)
  }

  @Test func endsWithTheRecording() throws {
    try RecordingTurn.take {
      for _ in 0..<20 {
        let recorder = try TraceRecorder.start(sink: MemorySink(), options: RecordingOptions())
        try Self.wait { Self.beatingThreads == 1 }
        _ = try recorder.stop()
        try Self.wait { Self.beatingThreads == 0 }
      }
    }
  }

  private static func wait(_ condition: () -> Bool) throws {
    for _ in 0..<2000 where !condition() { usleep(1000) }
    try #require(condition())
  }

  private static var beatingThreads: Int {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.count {
      (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)) == "rltrace-beat\n"
    }
  }
}
