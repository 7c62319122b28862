import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

@testable import TraceReplay

/// Valid traces that once took disproportionate time. The extra work per event is now limited, or the trace is
/// refused. The test counts steps instead of measuring time.
@Suite struct BoundedWorkTests {
  private static let loop: UInt32 = 1

  /// Collects the events of a thread in order.
  struct Events {
    var list: [TestEvent] = []

    mutating func add(
      _ time: Int, _ kind: EventKind, _ object: UInt32, mode: UInt8 = 0, _ arguments: [UInt64] = []
    ) {
      list.append(
        TestEvent(time: UInt64(time), kind: kind, mode: mode, object: object, arguments: arguments))
    }

    /// Adds timers from object number `from` on, in a mode of a loop.
    mutating func timers(
      _ count: Int, intervalNs: UInt64, mode: UInt64 = 1, loop: UInt32 = BoundedWorkTests.loop,
      from: UInt32 = 10,
      at time: Int = 0
    ) {
      for number in 0..<UInt32(count) {
        add(time, .timerCreate, from + number, [0, intervalNs, 0, 10, 0])
        add(time, .timerAdd, from + number, [mode, UInt64(loop)])
      }
    }

    mutating func enter(_ time: Int, loop: UInt32 = BoundedWorkTests.loop, mode: UInt8 = 1) {
      add(time, .entryLow, loop, mode: mode)
    }

    /// Adds a run with many nested callouts.
    mutating func nest() {
      enter(0)
      for callout in 0..<200 as Range<UInt32> { add(1, .source0Begin, 100 + callout, mode: 1) }
    }
  }

  /// A kind of trace that can be made in any size.
  struct Shape: Sendable, CustomTestStringConvertible {
    let name: String
    let make: @Sendable (_ size: Int, inout Events) -> Void
    var testDescription: String { name }

    func events(_ size: Int) -> [TestEvent] {
      var events = Events()
      make(size, &events)
      return events.list
    }
  }

  static let shapes: [Shape] = [
    Shape(name: "one mode becomes common again and again") { size, events in
      events.timers(1000, intervalNs: 1 << 40, mode: 3)
      events.enter(0)
      for time in 0..<size { events.add(100 + time, .loopAddCommonMode, loop, [1]) }
    },
    Shape(name: "many modes become common") { size, events in
      events.timers(1000, intervalNs: 1 << 40, mode: 3)
      events.enter(0)
      for time in 0..<size { events.add(100 + time, .loopAddCommonMode, loop, [UInt64(4 + time % 250)]) }
    },
    Shape(name: "a thread runs two loops in turn") { size, events in
      events.timers(1000, intervalNs: 1 << 40)
      events.timers(1000, intervalNs: 1 << 40, loop: 2, from: 5000)
      for run in 0..<size {
        events.enter(100 + 2 * run, loop: UInt32(1 + run % 2))
        events.add(101 + 2 * run, .exitLow, UInt32(1 + run % 2), mode: 1)
      }
    },
    Shape(name: "a loop ends again and again") { size, events in
      events.timers(1000, intervalNs: 1 << 40)
      events.enter(0)
      for time in 0..<size { events.add(100 + time, .loopEnd, loop) }
    },
    Shape(name: "timers with tiny intervals starve") { size, events in
      events.timers(1000, intervalNs: 1)
      events.enter(0, mode: 2)
      for pass in 0..<size {
        events.add(100 + 2 * pass, .beforeTimersLow, loop, mode: 2)
        events.add(101 + 2 * pass, .beforeSourcesLow, loop, mode: 2)
      }
    },
    Shape(name: "many loops with a timer each") { size, events in
      for time in 0..<size {
        let number = UInt32(time % 10_000)
        events.timers(1, intervalNs: 1 << 40, loop: 40_000 + number, from: 10 + number, at: time)
      }
    },
    Shape(name: "nested runs inside many callouts") { size, events in
      events.nest()
      for run in 0..<size {
        events.enter(10 + 2 * run)
        events.add(11 + 2 * run, .exitLow, loop, mode: 1)
      }
    },
    Shape(name: "ends without begins inside many callouts") { size, events in
      events.nest()
      for time in 0..<size { events.add(10 + time, .source0End, 7, mode: 1) }
    },
    Shape(name: "activities while many callouts are open") { size, events in
      events.nest()
      for time in 0..<size { events.add(10 + time, .beforeTimersLow, loop, mode: 1) }
    },
    Shape(name: "fire dates move") { size, events in
      events.timers(1000, intervalNs: 1 << 40)
      events.enter(0)
      for time in 0..<size {
        events.add(100 + time, .timerReschedule, UInt32(10 + time % 3), [UInt64(90 + time)])
      }
    },
    Shape(name: "services, tasks and calls for runs") { size, events in
      for time in 0..<size {
        let object = UInt32(10 + time % 900)
        events.add(time, .serviceBegin, object, [0])
        events.add(time, .backgroundTaskBegin, object, [0, 1])
        events.add(time, .runBegin, object, mode: 1, [0, 0])
        events.add(time, .runEnd, object, mode: 1, [1])
        events.add(time, .backgroundTaskEnd, 5)
        events.add(time, .serviceEnd, 5)
        events.add(time, .intervalEnd, object + 5000)
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

  /// Returns the number of steps besides the events; nil when the trace was refused.
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

  @Test(.optimizedBuild, arguments: shapes) func grows(shape: Shape) throws {
    let (small, large) = (try steps(shape.events(4000)), try steps(shape.events(16_000)))
    guard let small else {
      return #expect(large == nil, "a larger trace must be refused if a smaller one is")
    }
    guard let large else { return }
    #expect(large < 6 * small + 100_000, "\(small) steps, four times the trace \(large)")
  }

  /// The work for a trace is limited by its size.
  @Test(.optimizedBuild, arguments: shapes) func isBounded(shape: Shape) throws {
    let events = shape.events(16_000)
    let bytes = try BoundedWorkTests.trace(events)
    guard let steps = try steps(events) else { return }
    #expect(
      steps <= AnalysisLimits.stepsOfAnyTrace + AnalysisLimits.stepsPerByte * bytes.count
        + AnalysisLimits.stepsPerEvent * events.count)
  }
}
