import CRLTraceShims
import Foundation
import TestSupport
import Testing
import TraceFormat

@testable import TraceRecorder

/// The recorder's thread that notes when it woke late.
@Suite(.ownThread) struct HeartbeatTests {
  private struct Recorded {
    let reader: TraceReader
    let tookNs: UInt64
    /// The events on the recorder's threads.
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

  /// On a busy machine, the recorder's thread waits for a processor while other processes run. The program was not
  /// stopped.
  @Test(arguments: [(UInt64?.some(0), UInt64?.some(1_000)), (0, nil), (nil, nil)])
  func aBeatThatWaitedForAProcessor(used: UInt64?, usedBefore: UInt64?) throws {
    var clocks = ClockReading(ticks: 0, monotonicNs: 1_000_000_000, boottimeNs: 1_000_000_000, realtimeNs: 0)
    var before = Heartbeat.Beat(clocks: clocks, cpuNs: used)
    before.waitedNs = 5_000_000
    clocks.monotonicNs += 220_000_000
    clocks.boottimeNs += 220_000_000
    var now = Heartbeat.Beat(clocks: clocks, cpuNs: used.flatMap { _ in usedBefore })
    now.waitedNs = 185_000_000
    let note = try #require(Heartbeat.note(now, after: before, dueNs: 1_020_000_000))
    #expect(note.event?.arguments.count == 2)
    #expect(note.event?.arguments[0] == 200_000_000)
    #expect(note.event?.arguments[1] ?? 0 >= 180_000_000)
    // The thread was frozen with everything else, so it hardly waited for a processor.
    now.waitedNs = 6_000_000
    let frozen = try #require(Heartbeat.note(now, after: before, dueNs: 1_020_000_000))
    #expect(frozen.event?.arguments.dropFirst().allSatisfy { $0 < 2_000_000 } == true)
  }

  /// Stops this process. Another process continues it when all its threads have been stopped for this time.
  private func pauseProcess(milliseconds: UInt64) throws {
    let helper = Process()
    helper.executableURL = URL(fileURLWithPath: "/bin/sh")
    helper.arguments = [
      "-c",
      """
      while grep -Ls '^State:.T' /proc/\(getpid())/task/*/status | grep -q .; do sleep 0.01; done
      sleep \(Double(milliseconds) / 1000); kill -CONT \(getpid())
      """,
    ]
    try helper.run()
    raise(SIGSTOP)
    helper.waitUntilExit()
    #expect(helper.terminationStatus == 0)
  }

  @Test(arguments: [ClockSource.cycleCounter, .monotonic])
  func aStoppedProcess(clock: ClockSource) throws {
    let recorded = try record(RecordingOptions(clock: clock)) {
      rlt_emit(EventKind.mark.rawValue, 1)
      usleep(150_000)
      try pauseProcess(milliseconds: 400)
      rlt_emit(EventKind.mark.rawValue, 2)
    }
    #expect(recorded.beats.allSatisfy { $0.kind == EventKind.heartbeat.rawValue })
    let beat = try #require(recorded.beats.max { $0.arguments[0] < $1.arguments[0] })
    // The beat was due at most one interval after the stop.
    let intervalNs = try #require(recorded.reader.heartbeatNs)
    #expect(
      beat.arguments[0] >= 400_000_000 - intervalNs && beat.arguments[0] < recorded.tookNs, "\(beat)")
    // The CPU time of this process is always known. It is at most what its cores can provide between two beats.
    let cores = UInt64(ProcessInfo.processInfo.activeProcessorCount)
    #expect(beat.arguments.count == 2 && beat.arguments[1] <= 2 * cores * beat.arguments[0], "\(beat)")
    // Sync points surround the late interval: one before the due time, one at the beat.
    let due = beat.time - beat.arguments[0] / recorded.reader.header.timeUnit.nanoseconds
    #expect(recorded.reader.syncPoints.contains { $0.time == beat.time })
    #expect(recorded.reader.syncPoints.contains { $0.time > 0 && $0.time <= due })
    let marks = try recorded.reader.allEvents().flatMap { $0 }.filter { $0.kind == EventKind.mark.rawValue }
    #expect(marks.map(\.object) == [1, 2])
    #expect(marks[0].time < beat.time)
  }

  /// The stop happens before the clock is calibrated, and perhaps before the recorder's thread has begun.
  @Test func aStopAtOnce() throws {
    let recorded = try record { try pauseProcess(milliseconds: 300) }
    let intervalNs = try #require(recorded.reader.heartbeatNs)
    #expect(recorded.beats.contains { $0.arguments[0] >= 300_000_000 - intervalNs }, "\(recorded.beats)")
  }

  /// Only late beats are recorded. Their number is limited by the time that passed.
  @Test func beatsOnTimeAreNotRecorded() throws {
    let recorded = try record { usleep(400_000) }
    #expect(recorded.beats.allSatisfy { $0.arguments[0] >= SuspensionSign.lateBeatNs })
    #expect(UInt64(recorded.beats.count) * SuspensionSign.lateBeatNs <= recorded.tookNs, "\(recorded.beats)")
    let own = recorded.reader.threads.values.count { $0.name == ThreadDefinition.recorderName }
    #expect(own == (recorded.beats.isEmpty ? 0 : 1))
    #expect(recorded.reader.heartbeatNs == 2 * StallWatch.standardBeatNs)
  }

  @Test func theRecordersThreadIsNamed() throws {
    let recorded = try record { try pauseProcess(milliseconds: 300) }
    let own = recorded.reader.threads.values.filter { $0.name == ThreadDefinition.recorderName }
    #expect(!own.isEmpty && recorded.reader.recorderThreads == Set(own.map(\.index)))
    #expect(recorded.reader.info.contains { $0.key == InfoEntry.recorderThread })
  }

  @Test func canBeLeftOut() throws {
    let recorded = try record(RecordingOptions(hasHeartbeat: false, stalls: nil)) {
      try pauseProcess(milliseconds: 200)
      // The thread of an earlier recording may be listed for a moment.
      #expect(isEventuallyTrue(withinS: 5) { Self.beatingThreads == 0 })
    }
    #expect(recorded.beats.isEmpty && recorded.reader.heartbeatNs == nil)
  }

  @Test func endsWithTheRecording() throws {
    try RecordingTurn.take {
      for _ in 0..<min(20, TestRounds.value(5)) {
        let recorder = try TraceRecorder.start(sink: MemorySink(), options: RecordingOptions())
        #expect(isEventuallyTrue(withinS: 5) { Self.beatingThreads == 1 })
        _ = try recorder.stop()
        #expect(isEventuallyTrue(withinS: 5) { Self.beatingThreads == 0 })
      }
    }
  }

  private static var beatingThreads: Int {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.count {
      (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)) == "rltrace-stalls\n"
    }
  }

  // MARK: The rule

  private struct Case {
    var lateNs: UInt64 = 0
    var asleepNs: UInt64 = 0
    var cpuNs: (before: UInt64?, now: UInt64?) = (nil, nil)
  }

  private func noted(_ one: Case) -> RecorderNote? {
    func clocks(_ ns: UInt64, asleepNs: UInt64) -> ClockReading {
      ClockReading(ticks: ns, monotonicNs: ns, boottimeNs: ns + asleepNs, realtimeNs: ns)
    }
    let dueNs: UInt64 = 1_000_000_000
    return Heartbeat.note(
      Heartbeat.Beat(clocks: clocks(dueNs + one.lateNs, asleepNs: 7 + one.asleepNs), cpuNs: one.cpuNs.now),
      after: Heartbeat.Beat(clocks: clocks(dueNs - 20_000_000, asleepNs: 7), cpuNs: one.cpuNs.before),
      dueNs: dueNs)
  }

  @Test func onTime() {
    #expect(noted(Case()) == nil)
    #expect(noted(Case(lateNs: 49_999_999, asleepNs: 49_999_999, cpuNs: (1, 2))) == nil)
  }

  @Test func late() throws {
    let note = try #require(noted(Case(lateNs: 50_000_000, cpuNs: (5, 12))))
    #expect(note.event?.kind == .heartbeat && note.event?.arguments == [50_000_000, 7])
    #expect(note.moment.monotonicNs == 1_050_000_000)
    #expect(note.clocks.map(\.monotonicNs) == [980_000_000, 1_050_000_000])
  }

  /// Unknown CPU times, and a process whose ID was reused.
  @Test func lateWithoutCPUTime() throws {
    for cpuNs in [(nil, nil), (5, nil), (nil, 5), (12, 5)] as [(UInt64?, UInt64?)] {
      #expect(noted(Case(lateNs: 60_000_000, cpuNs: cpuNs))?.event?.arguments == [60_000_000])
    }
  }

  /// The monotonic clock stood still: the beat is on time, and the clock readings are recorded.
  @Test func systemWasAsleep() throws {
    let note = try #require(noted(Case(lateNs: 1_000_000, asleepNs: 3_600_000_000_000)))
    #expect(note.event == nil)
    #expect(note.clocks.map { $0.boottimeNs - $0.monotonicNs } == [7, 3_600_000_000_007])
  }
}
