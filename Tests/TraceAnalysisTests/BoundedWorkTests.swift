import RunLoopVocabulary
import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

@testable import TraceReplay

/// Valid traces that once took time out of proportion: what they take beside their events grows with them, or they are
/// refused. Steps are counted, and no time is measured.
@Suite struct BoundedWorkTests {
  private static let loop: UInt32 = 1

  /// Timers of a loop, in the common modes or in mode 1.
  private static func timers(
    _ count: Int, intervalNs: UInt64, due: UInt64 = 10, mode: UInt64 = 1, loop: UInt32 = loop,
    from: UInt32 = 10
  ) -> [TestEvent] {
    (0..<UInt32(count)).flatMap { number in
      [
        TestEvent(time: 0, kind: .timerCreate, object: from + number, arguments: [0, intervalNs, 0, due, 0]),
        TestEvent(time: 0, kind: .timerAdd, object: from + number, arguments: [mode, UInt64(loop)]),
      ]
    }
  }

  private static func entry(_ time: Int = 0, loop: UInt32 = loop, mode: UInt8 = 1) -> TestEvent {
    TestEvent(time: UInt64(time), kind: .entryLow, mode: mode, object: loop)
  }

  /// A kind of trace, of any size.
  struct Shape: Sendable, CustomTestStringConvertible {
    let name: String
    /// Its events, for a size.
    let make: @Sendable (Int) -> [TestEvent]
    var testDescription: String { name }
  }

  static let shapes: [Shape] = [
    Shape(name: "one mode becomes common again and again") { size in
      timers(1000, intervalNs: 1 << 40, mode: 3) + [entry()]
        + (0..<size).map {
          TestEvent(time: UInt64(100 + $0), kind: .loopAddCommonMode, object: loop, arguments: [1])
        }
    },
    Shape(name: "many modes become common") { size in
      timers(1000, intervalNs: 1 << 40, mode: 3) + [entry()]
        + (0..<size).map {
          TestEvent(
            time: UInt64(100 + $0), kind: .loopAddCommonMode, object: loop, arguments: [UInt64(4 + $0 % 250)])
        }
    },
    Shape(name: "a thread runs two loops in turn") { size in
      timers(1000, intervalNs: 1 << 40) + timers(1000, intervalNs: 1 << 40, loop: 2, from: 5000)
        + (0..<size).flatMap { number in
          let run = UInt32(1 + number % 2)
          return [
            entry(100 + 2 * number, loop: run),
            TestEvent(time: UInt64(101 + 2 * number), kind: .exitLow, mode: 1, object: run),
          ]
        }
    },
    Shape(name: "a loop ends again and again") { size in
      timers(1000, intervalNs: 1 << 40) + [entry()]
        + (0..<size).map { TestEvent(time: UInt64(100 + $0), kind: .loopEnd, object: loop) }
    },
    Shape(name: "tiny intervals starve") { size in
      timers(1000, intervalNs: 1) + [entry(mode: 2)]
        + (0..<size).flatMap { number in
          [EventKind.beforeTimersLow, .beforeSourcesLow].enumerated().map { place, kind in
            TestEvent(time: UInt64(100 + 2 * number + place), kind: kind, mode: 2, object: loop)
          }
        }
    },
    Shape(name: "many loops with a timer each") { size in
      (0..<size).flatMap { number -> [TestEvent] in
        timers(
          1, intervalNs: 1 << 40, loop: UInt32(40_000 + number % 10_000), from: UInt32(10 + number % 10_000)
        )
        .map { event in
          var event = event
          event.time = UInt64(number)
          return event
        }
      }
    },
    Shape(name: "nested runs inside many callouts") { size in
      [entry()] + (0..<200).map { TestEvent(time: 1, kind: .source0Begin, mode: 1, object: UInt32(100 + $0)) }
        + (0..<size).flatMap { number in
          [
            entry(10 + 2 * number),
            TestEvent(time: UInt64(11 + 2 * number), kind: .exitLow, mode: 1, object: loop),
          ]
        }
    },
    Shape(name: "ends of nothing inside many callouts") { size in
      [entry()] + (0..<200).map { TestEvent(time: 1, kind: .source0Begin, mode: 1, object: UInt32(100 + $0)) }
        + (0..<size).map { TestEvent(time: UInt64(10 + $0), kind: .source0End, mode: 1, object: 7) }
    },
    Shape(name: "activities while many callouts are open") { size in
      [entry()] + (0..<200).map { TestEvent(time: 1, kind: .source0Begin, mode: 1, object: UInt32(100 + $0)) }
        + (0..<size).map { TestEvent(time: UInt64(10 + $0), kind: .beforeTimersLow, mode: 1, object: loop) }
    },
    Shape(name: "fire dates move") { size in
      timers(1000, intervalNs: 1 << 40) + [entry()]
        + (0..<size).map {
          TestEvent(
            time: UInt64(100 + $0), kind: .timerReschedule, object: UInt32(10 + $0 % 3),
            arguments: [UInt64(90 + $0)])
        }
    },
    Shape(name: "services, tasks and calls for runs") { size in
      (0..<size).flatMap { number -> [TestEvent] in
        let object = UInt32(10 + number % 900), time = UInt64(number)
        return [
          TestEvent(time: time, kind: .serviceBegin, object: object, arguments: [0]),
          TestEvent(time: time, kind: .backgroundTaskBegin, object: object, arguments: [0, 1]),
          TestEvent(time: time, kind: .runBegin, mode: 1, object: object, arguments: [0, 0]),
          TestEvent(time: time, kind: .runEnd, mode: 1, object: object, arguments: [1]),
          TestEvent(time: time, kind: .backgroundTaskEnd, object: 5),
          TestEvent(time: time, kind: .serviceEnd, object: 5),
          TestEvent(time: time, kind: .intervalEnd, object: object + 5000),
        ]
      }
    },
  ]

  private static func trace(_ events: [TestEvent]) throws -> [UInt8] {
    try writeTrace(codec: .zstd, timeUnit: .ns1, hasHighStamps: false) { writer in
      try writer.write([ModeDefinition(id: 3, name: ModeName.common)])
      for start in stride(from: 0, to: events.count, by: 8192) {
        try writer.write(EventBuffer(events.dropFirst(start).prefix(8192)), thread: 0)
      }
    }
  }

  private final class Counter: @unchecked Sendable { var steps = 0 }

  /// Steps beside the events; nil = refused.
  private func steps(_ events: [TestEvent]) throws -> Int? {
    let counter = Counter()
    var options = AnalysisOptions()
    options.replay.noteSteps = { counter.steps = $0 }
    let reader = try openTrace(BoundedWorkTests.trace(events))
    do throws(TraceFormatError) {
      _ = try TraceAnalyzer(reader, options: options).analyze()
      return counter.steps
    } catch {
      guard case .limit(_, _, let what) = error, what.contains("(stepsPerByte)") else { throw error }
      return nil
    }
  }

  @Test(arguments: shapes) func grows(shape: Shape) throws {
    let (small, large) = (try steps(shape.make(4000)), try steps(shape.make(16_000)))
    guard let small else {
      return #expect(large == nil, "what a small one takes, a larger one takes as well")
    }
    guard let large else { return }
    #expect(large < 6 * small + 100_000, "\(small) steps, four times the trace \(large)")
  }

  /// What a trace may cost is bounded by what it is.
  @Test(arguments: shapes) func isBounded(shape: Shape) throws {
    let events = shape.make(16_000)
    let bytes = try BoundedWorkTests.trace(events)
    guard let steps = try steps(events) else { return }
    #expect(
      steps <= AnalysisLimits.stepsOfAnyTrace + AnalysisLimits.stepsPerByte * bytes.count
        + AnalysisLimits.stepsPerEvent * events.count)
  }
}
