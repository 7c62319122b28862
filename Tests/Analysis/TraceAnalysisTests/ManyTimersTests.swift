import Foundation
import TestSupport
import Testing
import TraceAnalysis
import TraceReplay
import TraceFormat

/// Programs that create very many timers.
@Suite struct ManyTimersTests {
  /// Timers that fire, skip points, are withdrawn or stay pending, in more classes than there are rows.
  @Test func classesBeyondTheLimit() throws {
    let count = 700
    var events: [TestEvent] = []
    for i in 0..<count {
      let object = UInt32(10 + i)
      events.append(
        TestEvent(
          time: 0, kind: .timerCreate, object: object,
          arguments: [1, 10_000, 0, 1000 + UInt64(i), UInt64(100 + i)]))
      events.append(TestEvent(time: 0, kind: .timerAdd, object: object, arguments: [1, 1]))
    }
    events.append(TestEvent(time: 500, kind: .entryLow, mode: 1, object: 1))
    events.append(TestEvent(time: 510, kind: .beforeWaitingLow, mode: 1, object: 1))
    events.append(TestEvent(time: 30_000, kind: .afterWaitingLow, mode: 1, object: 1))
    var expected: (fired: UInt64, lateness: UInt64) = (0, 0)
    for i in 0..<count where i % 3 != 2 {
      let object = UInt32(10 + i)
      let time = 30_000 + UInt64(i)
      if i % 3 == 0 {
        events.append(
          TestEvent(time: time, kind: .timerDue, mode: 1, object: object, arguments: [1000 + UInt64(i)]))
        events.append(TestEvent(time: time, kind: .timerBegin, mode: 1, object: object))
        events.append(TestEvent(time: time, kind: .timerEnd, mode: 1, object: object))
        expected.fired += 1
        expected.lateness += 29_000
      } else {
        events.append(TestEvent(time: time, kind: .timerInvalidate, mode: 1, object: object))
      }
    }
    events.append(TestEvent(time: 30_999, kind: .exitLow, mode: 1, object: 1))
    let bytes = try writeTrace(codec: .none, timeUnit: .ns1, hasHighStamps: false) {
      try $0.write(EventBuffer(events), thread: 0)
    }
    let analysis = try TraceAnalyzer(try openTrace(bytes)).analyze()
    expectSumsToClose(analysis)
    #expect(analysis.timers.count == AnalysisLimits.timerClasses + 1)
    let shared = analysis.timers.filter { $0.name == "other" }
    #expect(shared.count == 1 && shared[0].isRemainder && shared[0].intervalText == "–")
    #expect(analysis.timers.count { $0.isRemainder } == 1)
    func sum(_ value: (TimerResult) -> UInt64?) -> UInt64 {
      analysis.timers.reduce(0) { $0 + (value($1) ?? 0) }
    }
    #expect(sum { $0.objects } == UInt64(count))
    #expect(sum { $0.fired } == expected.fired)
    #expect(sum { $0.ledger?.latenessNs.sum } == expected.lateness)
    #expect(sum { $0.ledger?.withdrawn } == UInt64(count / 3))
    #expect(sum { $0.ledger?.pending } == UInt64(count / 3))
    // For each timer the points at 11 and 21 µs. The third lies after all fires and withdrawals, and after the end.
    #expect(sum { $0.ledger?.skipped } == UInt64(2 * count))
    #expect(sum { $0.ledger?.skippedBy[.scheduler] } == UInt64(2 * count))
  }

  private static func oneShots(_ count: UInt32) throws -> [UInt8] {
    let buffer = EventBuffer()
    return try writeTrace(codec: .zstd, timeUnit: .ns1, hasHighStamps: false) { writer in
      try writer.write([StringDefinition(id: 1, text: "once")])
      var time: UInt64 = 0
      buffer.append(time: 0, kind: EventKind.entryLow.rawValue, mode: 1, object: 1)
      for number in 0..<count {
        // The slots are reused many times, and the creation sites exceed the limit.
        let object = ObjectID(slot: 7 + number % 50, generation: (number / 50) & 0xFFF).rawValue
        if buffer.isFull || buffer.count > 60_000 {
          try writer.write(buffer, thread: 0)
          buffer.removeAll()
        }
        time += 100
        func add(_ kind: EventKind, after: UInt64, _ arguments: [UInt64] = []) {
          buffer.append(
            time: time + after, kind: kind.rawValue, mode: 1, object: object, arguments: arguments)
        }
        add(.timerCreate, after: 0, [1, 0, 0, time + 50, 1 + UInt64(number) % 1000])
        add(.timerAdd, after: 0, [1, 1])
        add(.timerDue, after: 60, [time + 50])
        add(.timerBegin, after: 60)
        add(.timerEnd, after: 70)
        add(.timerInvalidate, after: 70)
      }
      try writer.write(buffer, thread: 0)
    }
  }

  /// Returns the resident memory in bytes.
  static func resident() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
  }

  @Test(.optimizedBuild) func aMillionOneShots() throws {
    let analysis = try TraceAnalyzer(try openTrace(try Self.oneShots(1_000_000))).analyze()
    expectSumsToClose(analysis)
    #expect(analysis.timers.count == AnalysisLimits.timerClasses + 1)
    #expect(analysis.timers.reduce(0) { $0 + $1.objects } == 1_000_000)
    #expect(analysis.timers.reduce(0) { $0 + $1.fired } == 1_000_000)
    #expect(analysis.timers.allSatisfy { $0.ledger?.latenessNs.max == 10 })
    #expect(analysis.trace.events == 6_000_001)
  }

  #if os(Linux)
  /// Ten times the timers need the same memory. The test runs in its own process, where nothing else allocates.
  @Test(.optimizedBuild) func memoryDoesNotGrowWithTheTimers() async {
    await #expect(processExitsWith: .success) {
      let small = try openTrace(try ManyTimersTests.oneShots(100_000))
      let large = try openTrace(try ManyTimersTests.oneShots(1_000_000))
      _ = try TraceAnalyzer(small).analyze()
      let before = ManyTimersTests.resident()
      _ = try TraceAnalyzer(large).analyze()
      let grown = ManyTimersTests.resident() - before
      print("resident memory grew by \(grown / 1024) KiB")
      precondition(before > 0 && grown < 32 << 20)
    }
  }
  #endif
}
