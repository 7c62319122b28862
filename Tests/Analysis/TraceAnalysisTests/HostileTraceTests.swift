import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

@testable import TraceReplay

/// Small valid traces that have absurd times, or that would need unlimited work or memory.
@Suite struct HostileTraceTests {
  private func analysis(_ bytes: [UInt8], steps: Int? = nil) throws -> Analysis {
    var options = AnalysisOptions()
    if let steps { options.replay.steps = steps }
    return try TraceAnalyzer(openTrace(bytes), options: options).analyze()
  }

  private func trace(
    _ threads: [[TestEvent]], unit: TimeUnit = .ns1, info: [InfoEntry] = []
  ) throws -> [UInt8] {
    try writeTrace(codec: .zstd, timeUnit: unit, hasHighStamps: false) { writer in
      if !info.isEmpty { try writer.write(info) }
      for (thread, events) in threads.enumerated() {
        try writer.write(EventBuffer(events), thread: UInt32(thread))
      }
    }
  }

  // MARK: Sums

  @Test func lostCountsDoNotWrap() throws {
    let lost = (1...2).map { TestEvent(time: $0, kind: .lostEvents, arguments: [1 << 63]) }
    #expect(try analysis(trace([lost])).trace.lostEvents == .max)
    #expect(try analysis(trace(lost.map { [$0] })).trace.lostEvents == .max)
  }

  private func timers(_ count: Int, intervalNs: UInt64, due: UInt64 = 1) -> [TestEvent] {
    (0..<count).flatMap { number in
      let object = UInt32(number + 2)
      return [
        TestEvent(time: 0, kind: .timerCreate, object: object, arguments: [0, intervalNs, 0, due, 0]),
        TestEvent(time: 0, kind: .timerAdd, object: object, arguments: [1, 1]),
      ]
    }
  }

  @Test func skippedPointsDoNotWrap() throws {
    let begin = TestEvent(time: 0, kind: .entryLow, mode: 1, object: 1)
    let end = TestEvent(time: 1 << 56, kind: .beforeTimersLow, mode: 1, object: 1)
    let result = try analysis(trace([timers(300, intervalNs: 1) + [begin, end]]))
    let ledger = try #require(result.timers.first?.ledger)
    #expect(ledger.skipped == .max && ledger.due == .max)
    #expect(ledger.byMode.contains { $0.due == .max })
  }

  @Test func latenessDoesNotWrap() throws {
    var events = timers(1, intervalNs: 1 << 56) + [TestEvent(time: 0, kind: .entryLow, mode: 1, object: 1)]
    for _ in 0..<300 {
      events += [
        TestEvent(time: 1 << 56, kind: .timerReschedule, object: 2, arguments: [1]),
        TestEvent(time: 1 << 56, kind: .timerDue, mode: 1, object: 2, arguments: [1]),
        TestEvent(time: 1 << 56, kind: .timerBegin, mode: 1, object: 2),
        TestEvent(time: 1 << 56, kind: .timerEnd, mode: 1, object: 2),
      ]
    }
    let timer = try #require(try analysis(trace([events])).timers.first)
    #expect(timer.fired == 300)
    #expect(timer.ledger == nil, "a ledger that does not add up is nil")
  }

  // MARK: Work

  @Test func manyDuePointsAreRefused() throws {
    let events =
      timers(200, intervalNs: 10) + [TestEvent(time: 0, kind: .entryLow, mode: 1, object: 1)]
      + (1...200).map { TestEvent(time: 1000 * $0, kind: .beforeTimersLow, mode: 1, object: 1) }
    let bytes = try trace([events])
    _ = try analysis(bytes)
    #expect {
      try analysis(bytes, steps: -1_000_000)
    } throws: { error in
      "\(error)".contains("(stepsPerByte)")
    }
  }

  /// When a thread switches to another loop, the analysis visits all timers of that loop.
  @Test func threadsThatChangeLoopsAreRefused() throws {
    let entries = (1...50).flatMap { time in
      [EventKind.entryLow, .exitLow].map {
        TestEvent(time: time, kind: $0, mode: 1, object: time % 2 == 0 ? 1 : 1000)
      }
    }
    let bytes = try trace([timers(500, intervalNs: 1 << 40) + entries])
    let size = AnalysisLimits.stepsPerByte * bytes.count + AnalysisLimits.stepsPerEvent * 1100
    let each = 500 * WorkBudget.Cost.timer
    _ = try analysis(bytes, steps: 40 * each - size)
    #expect(throws: TraceFormatError.self) { try analysis(bytes, steps: 20 * each - size) }
  }

  /// Each event would have to be compared with every pending beat.
  @Test func lateBeatsThatOverlapAreNotAllWatched() throws {
    let beats = (0..<1000).map {
      TestEvent(time: 1_000_000_000 + $0, kind: .heartbeat, arguments: [900_000_000])
    }
    let program = (0..<100).map { TestEvent(time: 100_000 * $0, kind: .beforeTimersLow, mode: 1, object: 1) }
    let bytes = try writeTrace(codec: .zstd, timeUnit: .ns1, hasHighStamps: false) { writer in
      try writer.write([
        InfoEntry(key: InfoEntry.recorderThread, value: "1"),
        InfoEntry(key: InfoEntry.heartbeat, value: "1000000"),
      ])
      try writer.write(EventBuffer(program), thread: 0)
      try writer.write(EventBuffer(beats), thread: 1)
    }
    let notes = try analysis(bytes).notes.map(\.text)
    #expect(notes.contains { $0.contains("\(1000 - AnalysisLimits.watchedAtOnce) signs of suspension") })
  }

  /// The log gives the same result as applying each suspension to each time.
  @Test func momentsAreMovedBySuspensions() {
    var random = SeededGenerator(named: "stood still")
    var log = SuspensionShift()
    var spans: [(from: UInt64, to: UInt64)] = []
    var time: UInt64 = 0
    for _ in 0..<200 {
      time += random.next() % 50
      let from = time
      time += random.next() % 50
      spans.append((from, time))
      log.add(from: Moment(from), to: Moment(time))
    }
    for start in 0..<time + 10 {
      // Suspensions that ended before the start do not move it.
      let moved = spans.filter { $0.to > start }.reduce(start) { moment, span in
        moment <= span.from ? moment + (span.to - span.from) : max(moment, span.to)
      }
      #expect(log.moved(Moment(start)) == Moment(moved), "\(start) \(TestSeed.note)")
    }
  }

  // MARK: Memory

  private func run(_ loop: Int) -> [TestEvent] {
    let time = UInt64(1000 * loop), object = UInt32(loop + 1)
    return [
      TestEvent(time: time, kind: .runBegin, mode: 1, object: object, arguments: [0, 0]),
      TestEvent(time: time, kind: .entryLow, mode: 1, object: object),
      TestEvent(time: time + 10, kind: .beforeTimersLow, mode: 1, object: object),
      TestEvent(time: time + 20, kind: .beforeWaitingLow, mode: 1, object: object),
      TestEvent(time: time + 200 + UInt64(loop), kind: .afterWaitingLow, mode: 1, object: object),
      TestEvent(time: time + 210 + UInt64(loop), kind: .exitLow, mode: 1, object: object),
      TestEvent(time: time + 211 + UInt64(loop), kind: .runEnd, mode: 1, object: object, arguments: [3]),
    ]
  }

  @Test func threadsBeyondTheLimit() throws {
    let limit = AnalysisLimits.threads
    let mark = [TestEvent(time: 1, kind: .mark)]
    let busy = [TestEvent(time: 1, kind: .mark), TestEvent(time: 2, kind: .mark)]
    let result = try analysis(
      trace(Array(repeating: mark, count: limit) + Array(repeating: busy, count: 7)))
    #expect(result.trace.threads.count == limit && result.trace.threadsLeftOut == 7)
    #expect(result.trace.events == UInt64(limit + 7), "the threads with the most events are followed")
    #expect(
      result.notes.map(\.text).contains(
        "7 threads with 7 events were not followed: the analysis follows the \(limit) threads with the most events"
      ))
  }

  @Test func rowsBeyondTheLimit() throws {
    let count = AnalysisLimits.runRows + 3
    let result = try analysis(trace((0..<count).map(run)))
    #expect(result.utilisation.count == AnalysisLimits.utilisationRows)
    #expect(result.utilisation.map(\.thread) == result.utilisation.map(\.thread).sorted())
    #expect(result.utilisation.last?.thread == UInt32(count - 1), "the threads that ran longest are listed")
    #expect(result.runs.count == AnalysisLimits.runRows)
    let notes = result.notes.map(\.text)
    #expect(
      notes.contains(
        "the time of \(count - AnalysisLimits.utilisationRows) threads is not listed: the table has the \(AnalysisLimits.utilisationRows) threads that ran loops longest"
      ))
    #expect(
      notes.contains(
        "3 calls to run a loop are not listed: the table has the first \(AnalysisLimits.runRows) pairs of thread and mode"
      ))
  }

  /// Each of the different addresses would be looked up and named.
  @Test func framesBeyondTheLimit() throws {
    let frames = 250, count = AnalysisLimits.stackFrames / frames + 5
    let samples = (0..<count).map { sample -> TestEvent in
      let first = UInt64(1000 * sample + 1)
      let addresses = Array(first..<first + UInt64(frames))
      return TestEvent(time: UInt64(sample), kind: .threadStack, arguments: [1, 1] + addresses)
    }
    let result = try analysis(trace([samples]))
    #expect(result.sampledStacks.count == count - 5)
    #expect(result.notes.map(\.text).contains { $0.hasPrefix("5 stack samples") })
  }

  /// Samples of one stack whose frames have many inlined functions. The analysis expands the functions once, but
  /// visits them for every sample.
  @Test func inlinedFunctionsBeyondTheLimit() throws {
    let frames = 250, inlined = 240, count = 2000
    let address = { (frame: Int) in UInt64(1000 + 10 * frame) }
    let names = (0..<frames).flatMap { frame in
      (0..<inlined).map { depth in
        TestEvent(
          time: 0, kind: .frameName, arguments: [address(frame), UInt64(depth), UInt64(depth)])
      }
    }
    let stack = (0..<frames).map { address($0) + ($0 > 0 ? 1 : 0) }
    let samples = (0..<count).map {
      TestEvent(time: UInt64($0), kind: .threadStack, arguments: [1, 1] + stack)
    }
    let info = [InfoEntry(key: InfoEntry.recorderThread, value: "0")]
    let result = try analysis(trace([names + samples], info: info))
    let depth = AnalysisLimits.framesLookedAt / (count * frames)
    #expect(result.sampledStacks.map(\.frames.count) == [frames * depth])
    #expect(result.sampledStacks.first?.frames.last?.isInlined == false, "the functions themselves stay")
    #expect(
      result.notes.map(\.text).contains {
        $0.hasPrefix("\(frames * (inlined - depth)) inlined functions of sampled stacks")
      })
  }

  /// Runs and callouts that are nested deeper than the initial capacity.
  @Test func roomGrows() throws {
    let depth = 40
    var events: [TestEvent] = []
    for level in 0..<depth {
      let object = UInt32(100 + level)
      events.append(TestEvent(time: UInt64(10 * level), kind: .entryLow, mode: 1, object: object))
      events.append(TestEvent(time: UInt64(10 * level + 5), kind: .source0Begin, mode: 1, object: object))
    }
    for level in (0..<depth).reversed() {
      let object = UInt32(100 + level), time = UInt64(10 * (2 * depth - level))
      events.append(TestEvent(time: time, kind: .source0End, mode: 1, object: object))
      events.append(TestEvent(time: time + 5, kind: .exitLow, mode: 1, object: object))
    }
    let result = try analysis(trace([events]))
    #expect(result.loops.count == depth && result.loops.allSatisfy { $0.runs == 1 })
    // Each run has five units before its callout begins and five after it ends.
    #expect(result.loops.dropLast().allSatisfy { $0.timeNs == 20 })
    #expect(result.callouts.reduce(0) { $0 + $1.count } == UInt64(depth))
  }
}
