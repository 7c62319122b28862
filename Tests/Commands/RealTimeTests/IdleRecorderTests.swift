import CRLTraceShims
import Foundation
import TestSupport
import Testing
import TraceFormat

@testable import TraceRecorder

/// A recorder inside an app that does nothing: how often the recorder wakes, and which lock it holds.
@Suite(.ownThread) struct IdleRecorderTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Records this process into a file.
  private func record(_ body: (_ trace: String) throws -> Void) throws {
    try RecordingTurn.take {
      let trace = folder.file("idle.rltrace")
      let recorder = try TraceRecorder.start(
        sink: FileSink(recording: trace), options: RecordingOptions(), spoolPath: trace + ".spool")
      rlt_emit(EventKind.mark.rawValue, 1)
      do { try body(trace) } catch {
        _ = try? recorder.stop()
        throw error
      }
      _ = try recorder.stop()
    }
  }

  private func mark(_ phase: LifePhase) {
    rlt_emit_arguments(EventKind.lifeCycle.rawValue, 0, 0, [phase.rawValue], 1)
  }

  /// The number of times that the recorder's threads have gone to sleep so far.
  private static var sleeps: Int {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.reduce(0) { sum, task in
      guard
        let text = try? String(contentsOfFile: "/proc/self/task/\(task)/status", encoding: .utf8),
        text.hasPrefix("Name:\trltrace-"),
        let line = text.split(separator: "\n").first(where: { $0.hasPrefix("voluntary_ctxt_switches:") }),
        let count = Int(line.split(separator: "\t")[1])
      else { return sum }
      return sum + count
    }
  }

  /// The system reports an app that wakes more than 150 times a second. The recorder may use a tenth of that.
  @Test func wakesFewTimes() throws {
    try record { _ in
      usleep(1_000_000)
      let (before, begin) = (Self.sleeps, rlt_monotonic_ns())
      usleep(3_000_000)
      let seconds = Double(rlt_monotonic_ns() - begin) / 1e9
      let count = Self.sleeps - before
      #expect(count > 0 && Double(count) <= 15 * seconds + 2, "\(count) in \(seconds) s")
    }
  }

  /// In the background, the recorder does not wake and holds no lock. In the next phase, it wakes and locks again.
  @Test func restsInTheBackground() throws {
    try record { trace in
      #expect(FileSink.isBeingWritten(recording: trace))
      mark(.background)
      #expect(isEventuallyTrue(withinS: 10) { !FileSink.isBeingWritten(recording: trace) })
      usleep(300_000)
      let before = Self.sleeps
      usleep(1_500_000)
      #expect(Self.sleeps - before <= 1)
      mark(.active)
      #expect(isEventuallyTrue(withinS: 10) { FileSink.isBeingWritten(recording: trace) })
      let awake = Self.sleeps
      #expect(isEventuallyTrue(withinS: 10) { Self.sleeps > awake + 3 })
    }
    let reader = try openTrace(path: folder.file("idle.rltrace"))
    #expect(reader.isClean)
  }
}
