import ReportWriting
import TestSupport
import Testing
import TextReport
import TraceAnalysis
import TraceReplay
import TraceFormat

/// Analyses of events that no loop would produce. The results may make no sense, but the analysis must not trap or
/// hang, and its sums must be exact.
@Suite struct AnalysisFuzzTests {
  private static let kinds: [UInt8] =
    Array(1...12) + Array(1...12) + [16, 17] + Array(20...33) + Array(40...45) + Array(40...45) + [
      48, 51, 53, 56, 57, 72, 79, 200,
    ]

  private func event(_ time: UInt64, _ random: inout SeededGenerator) -> TestEvent {
    let kind = random.pick(AnalysisFuzzTests.kinds)
    let values: [UInt64] = [
      0, 1, 2, 3, 1000, time, time &- 5, time &+ 7, UInt64.max, 1 << 63, (1 << 63) - 1, random.next(),
    ]
    let count = random.pick([0, 1, 2, 5, 5])
    return TestEvent(
      time: time, kind: kind, mode: UInt8(random.next() % 4), object: UInt32(random.next() % 5),
      arguments: (0..<count).map { _ in random.pick(values) })
  }

  private func trace(_ random: inout SeededGenerator) throws -> [UInt8] {
    let threads = 1 + random.next() % 3
    let step = random.pick([0, 1, 50, 100_000, 1 << 40] as [UInt64])
    return try writeTrace(
      codec: .none, timeUnit: random.pick(TimeUnit.allCases), hasHighStamps: random.oneIn(2)
    ) { writer in
      try writer.write([StringDefinition(id: 1, text: "x"), StringDefinition(id: 2, text: "y")])
      try writer.write([
        ModeDefinition(id: 1, name: "a"), ModeDefinition(id: 3, name: "kCFRunLoopCommonModes"),
      ])
      for thread in 0..<threads {
        var time: UInt64 = 0
        for _ in 0..<(1 + random.next() % 3) {
          if random.oneIn(8) { time /= 2 }
          let buffer = EventBuffer()
          for _ in 0..<(random.next() % 200) {
            if step > 0 { time += random.next() % step }
            let event = event(time, &random)
            buffer.append(
              time: event.time, kind: event.kind, mode: event.mode, object: event.object,
              arguments: event.arguments)
          }
          try writer.write(buffer, thread: UInt32(thread))
        }
      }
    }
  }

  @Test(.optimizedBuild) func nonsense() throws {
    var random = SeededGenerator(named: "nonsense")
    for _ in 0..<800 {
      let reader = try openTrace(try trace(&random))
      var options = AnalysisOptions()
      options.replay.gapThresholdNs = random.pick([0, 1, 250_000_000])
      if random.oneIn(3) { options.from = random.next() % max(1, reader.lastTime) }
      if random.oneIn(3) { options.to = random.next() % max(1, reader.lastTime) }
      guard let analyzer = try? TraceAnalyzer(reader, options: options) else { continue }
      let analysis = try analyzer.analyze()
      for mode in analysis.modes { #expect(mode.busyNs + mode.waitingNs == mode.timeNs, "\(TestSeed.note)") }
      let lines = AnalysisText(analysis, gapThresholdNs: 1, style: TextStyle(isColoured: false)).lines(
        file: "x")
      // Large numbers are never truncated, so they may make a line longer than 100 characters.
      if analysis.timers.allSatisfy({ $0.ledger?.due ?? 0 < 1_000_000_000 }) {
        #expect(lines.first { $0.count > 100 } == nil, "\(TestSeed.note)")
      }
      _ = try AnalysisJSON.encode([("x", analysis)])
    }
  }

  /// A million one-shots that live one after another need the memory of one.
  @Test(.optimizedBuild) func manyShortLives() throws {
    let buffer = EventBuffer()
    let bytes = try writeTrace(codec: .zstd, timeUnit: .ns1, hasHighStamps: false) { writer in
      try writer.write([StringDefinition(id: 1, text: "once")])
      var time: UInt64 = 0
      buffer.append(time: 0, kind: EventKind.entryLow.rawValue, mode: 1, object: 1)
      for generation in 0..<100_000 as Range<UInt32> {
        let object = ObjectID(slot: 7, generation: generation & 0xFFF).rawValue
        if buffer.isFull || buffer.count > 60_000 {
          try writer.write(buffer, thread: 0)
          buffer.removeAll()
        }
        time += 100
        buffer.append(
          time: time, kind: EventKind.timerCreate.rawValue, mode: 1, object: object,
          arguments: [1, 0, 0, time + 50, 1])
        buffer.append(
          time: time, kind: EventKind.timerAdd.rawValue, mode: 1, object: object, arguments: [1, 1])
        buffer.append(
          time: time + 60, kind: EventKind.timerDue.rawValue, mode: 1, object: object, arguments: [time + 50])
        buffer.append(time: time + 60, kind: EventKind.timerBegin.rawValue, mode: 1, object: object)
        buffer.append(time: time + 70, kind: EventKind.timerEnd.rawValue, mode: 1, object: object)
        buffer.append(time: time + 70, kind: EventKind.timerInvalidate.rawValue, mode: 1, object: object)
      }
      try writer.write(buffer, thread: 0)
    }
    let analysis = try TraceAnalyzer(try openTrace(bytes)).analyze()
    let timer = try #require(analysis.timers.first)
    #expect(analysis.timers.count == 1)
    #expect(timer.objects == 100_000)
    #expect(timer.fired == 100_000)
    #expect(timer.ledger?.latenessNs.max == 10)
    expectSumsToClose(analysis)
  }

  /// With more classes than rows, the remaining classes share one row, which is marked.
  @Test func manyClasses() throws {
    let buffer = EventBuffer()
    for i in 0..<400 as Range<UInt64> {
      buffer.append(
        time: i, kind: EventKind.timerCreate.rawValue, mode: 0, object: UInt32(i + 1),
        arguments: [0, 1000 + i, 0, 5000 + i, i + 1])
      buffer.append(
        time: i, kind: EventKind.timerAdd.rawValue, mode: 0, object: UInt32(i + 1), arguments: [1, 1])
    }
    buffer.append(time: 100_000, kind: EventKind.mark.rawValue, mode: 0, object: 0)
    let bytes = try writeTrace(codec: .none, timeUnit: .ns1, hasHighStamps: false) {
      try $0.write(buffer, thread: 0)
    }
    let analysis = try TraceAnalyzer(try openTrace(bytes)).analyze()
    #expect(analysis.timers.count == AnalysisLimits.timerClasses + 1)
    #expect(analysis.timers.last?.name == "other")
    #expect(analysis.timers.reduce(0) { $0 + $1.objects } == 400)
    #expect(analysis.notes.contains { $0.text.contains("'other'") })
    expectSumsToClose(analysis)
  }
}
