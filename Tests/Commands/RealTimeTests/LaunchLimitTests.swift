import Foundation
import TestSupport
import Testing
import TraceFormat
import TraceRecorder

/// A launch that takes too long before a loop runs: the thread's stack at the moment when the limit is reached.
@Suite(.ownThread) struct LaunchLimitTests {
  private static let limitNs: UInt64 = 300_000_000

  /// Returns the times of the stacks that were sampled at a limit while `body` ran on this thread, in nanoseconds
  /// after the mark.
  private func sampled(_ body: () -> Void) throws -> [UInt64] {
    let sink = MemorySink()
    var watch = StallWatch()
    watch.limitsNs[.launching] = Self.limitNs
    try RecordingTurn.take {
      let recorder = try TraceRecorder.start(sink: sink, options: RecordingOptions(stalls: watch))
      recorder.emit(.lifeCycle, LifePhase.launching.rawValue)
      body()
      recorder.emit(.lifeCycle, LifePhase.active.rawValue)
      usleep(400_000)
      _ = try recorder.stop()
    }
    let reader = try openTrace(sink.bytes)
    let events = try reader.allEvents().flatMap { $0 }
    let mark = try #require(events.first { $0.kind == EventKind.lifeCycle.rawValue })
    let stacks = events.filter {
      $0.kind == EventKind.threadStack.rawValue && $0.arguments[1] == StackReason.limit.rawValue
    }
    #expect(stacks.allSatisfy { $0.arguments.count > 3 })
    return stacks.map { ($0.time - mark.time) * reader.header.timeUnit.nanoseconds }
  }

  @Test func beforeAnyLoopRuns() throws {
    let moments = try sampled { usleep(600_000) }
    // The sample comes between two beats before the limit and one after it; later on a busy machine, but never
    // earlier.
    #expect(moments.contains { $0 >= 180_000_000 }, "\(moments)")
    #expect(moments.allSatisfy { $0 >= 180_000_000 }, "\(moments)")
  }

  /// The next phase began in time.
  @Test func noSampleOfAShortLaunch() throws {
    #expect(try sampled { usleep(50_000) }.isEmpty)
  }
}
