import TestSupport
import Testing
import TraceAnalysis
import TraceFormat
import TraceReplay

/// Traces that lost events, or that have a damaged block. Their numbers are lower bounds. Times are microseconds.
@Suite struct LossTests {
  private func analyze(_ main: String, worker: String = "", hasHigh: Bool = false) throws -> Analysis {
    let analysis = try HandTrace(main: main, worker: worker, hasHigh: hasHigh).analysis()
    expectSumsToClose(analysis)
    return analysis
  }

  // MARK: Callouts and phases

  private static let begun =
    HandTrace.tick(due: 10_000, interval: 10_000) + HandTrace.asleep + """
      10000 AfterWaiting.low m1 #1
      10000 timer.due m1 #2 due=10000
      10000 timer.begin m1 #2

      """
  private static let later = """
    50000 BeforeWaiting.low m1 #1
    60000 AfterWaiting.low m1 #1
    60000 timer.due m1 #2 due=60000
    60000 timer.begin m1 #2
    61000 timer.end m1 #2
    61000 BeforeTimers.low m1 #1
    61000 BeforeSources.low m1 #1
    61000 BeforeWaiting.low m1 #1
    62000 AfterWaiting.low m1 #1
    62010 Exit.low m1 #1

    """

  /// The end of the first callout and further passes are lost.
  @Test func aCalloutCountsUpToTheLoss() throws {
    let analysis = try analyze(Self.begun + "10500 mark name=9\n50000 lostEvents m1 count=9\n" + Self.later)
    let timer = try #require(analysis.callouts.first)
    #expect(timer.count == 2 && timer.open == 0)
    #expect(timer.timeNs == 1_500_000 && timer.selfNs == 1_500_000 && timer.longestNs == 1_000_000)
    let mode = try #require(analysis.modes.first)
    #expect(mode.busyNs == 1_540_000 && mode.waitingNs == 20_970_000 && mode.passes == 1)
    // The points of 20 to 50 may have fired in the lost passes.
    #expect(analysis.timers.first?.fired == 2 && analysis.skipped(of: "tick") == [:])
    #expect(!analysis.findings.contains { $0.rule == .starvedByItself })
  }

  /// The callout runs the loop in mode 2 from 10.1 to beyond the loss.
  @Test func aLossInANestedRun() throws {
    let main =
      HandTrace.tick(due: 10_000) + HandTrace.asleep + """
        10000 AfterWaiting.low m1 #1
        10000 timer.due m1 #2 due=10000
        10000 timer.begin m1 #2
        10100 Entry.low m2 #1
        10110 BeforeTimers.low m2 #1
        10120 BeforeWaiting.low m2 #1
        30120 AfterWaiting.low m2 #1
        90000 lostEvents m2 count=9
        90000 AfterWaiting.low m2 #1
        90010 Exit.low m2 #1
        90020 timer.end m1 #2
        90030 BeforeTimers.low m1 #1
        90040 BeforeWaiting.low m1 #1
        95000 AfterWaiting.low m1 #1
        95010 Exit.low m1 #1
        """
    let analysis = try analyze(main)
    let timer = try #require(analysis.callouts.first)
    #expect(timer.count == 1 && timer.timeNs == 100_000 && timer.nestedNs == 20_020_000)
    let modes = Dictionary(uniqueKeysWithValues: analysis.modes.map { ($0.mode, $0) })
    #expect(modes["mode 1"]?.busyNs == 150_000 && modes["mode 1"]?.waitingNs == 14_930_000)
    #expect(modes["mode 2"]?.busyNs == 30_000 && modes["mode 2"]?.waitingNs == 20_000_000)
  }

  // MARK: Runs that may be over

  /// A source0 runs mode 2 in a run of mode 1 when events are lost. The next activity is one of mode 2.
  private static let nested =
    HandTrace.tick(due: 200_000) + HandTrace.asleep + """
      1000 AfterWaiting.low m1 #1
      1000 source0.begin m1 #5
      1010 Entry.low m2 #1
      1020 BeforeTimers.low m2 #1
      1030 BeforeWaiting.low m2 #1
      50000 lostEvents m2 count=9
      50000 AfterWaiting.low m2 #1
      50010 Exit.low m2 #1

      """

  /// The run of mode 1 may have ended in the loss, and another run of mode 2 begun.
  @Test func theRunAroundTheOneThatGoesOn() throws {
    let main =
      Self.nested + """
        5000000 Entry.low m1 #1
        5000010 BeforeTimers.low m1 #1
        5000020 timer.due m1 #2 due=200000
        5000020 timer.begin m1 #2
        5000030 timer.end m1 #2
        5000040 Exit.low m1 #1
        """
    let analysis = try analyze(main)
    #expect(analysis.lateness(of: "tick") == [.unknown: 4_800_000, .scheduler: 20])
    #expect(analysis.skipped(of: "tick") == [.unknown: 47, .scheduler: 1])
    #expect(analysis.findings.allSatisfy { $0.severity == .info || $0.rule == .lostEvents })
  }

  @Test func theRunAroundTheLastOne() throws {
    let analysis = try analyze(Self.nested, worker: "5000000 mark name=9\n")
    #expect(analysis.busy.isEmpty && analysis.gaps.isEmpty)
    #expect(analysis.loops.map(\.continuedNs) == [nil])
    #expect(analysis.findings.allSatisfy { $0.severity == .info || $0.rule == .lostEvents })
  }

  /// The run of mode 1 goes on: its next activity proves it.
  @Test func theRunAroundGoesOn() throws {
    let main =
      Self.nested + """
        250000 source0.end m1 #5
        250000 BeforeTimers.low m1 #1
        250010 timer.due m1 #2 due=200000
        250010 timer.begin m1 #2
        250020 timer.end m1 #2
        250030 Exit.low m1 #1
        """
    #expect(try analyze(main).lateness(of: "tick") == [.unknown: 50_000, .scheduler: 10])
  }

  // MARK: Observers, work and sources

  /// The observers of BeforeWaiting begin before the loss, and the end of their activity follows it.
  @Test func observers() throws {
    let main =
      HandTrace.asleepWithHighStamps + """
        500000 lostEvents m1 count=4
        500000 BeforeWaiting.high m1 #1
        600000 AfterWaiting.low m1 #1
        600001 AfterWaiting.high m1 #1
        600010 Exit.low m1 #1
        600011 Exit.high m1 #1
        """
    let analysis = try analyze(main, hasHigh: true)
    let mode = try #require(analysis.modes.first)
    #expect(mode.observersNs?[.beforeWaiting] == 0)
    #expect(mode.observersNs?.values.reduce(0, +) == 5000)
    #expect(mode.waitingNs == 100_000_000)
    #expect(!analysis.findings.contains { $0.rule == .costlyObservers })
  }

  @Test func aSliceOfWork() throws {
    let worker = """
      10 work.create #10 name=5 kind=0 queue=2
      10 work.begin #10 queue=2
      1010 mark name=9
      5000 lostEvents count=2
      5000000 mark name=9
      """
    let analysis = try HandTrace(main: "", worker: worker).analysis()
    #expect(analysis.callouts.map(\.timeNs) == [1_000_000])
  }

  /// The task may have run among the lost events. If it is queued again later, it waits from then on.
  @Test(arguments: [true, false]) func aTaskThatWaitsBeforeTheLoss(isQueuedAgain: Bool) throws {
    let main =
      "10 work.create #10 name=5 kind=1 queue=2\n"
      + (isQueuedAgain ? "900000 work.queue #10 queue=2\n" : "") + "900100 mark name=9\n"
    let worker = """
      5 mark name=9
      50 lostEvents count=2
      900010 work.begin #10 queue=2
      900020 work.end #10 why=0
      """
    let analysis = try QueueTrace(threads: [main, worker]).analysis()
    let db = try #require(analysis.work.queues.first { $0.name == "db" })
    #expect(db.waitNs.count == (isQueuedAgain ? 1 : 0) && db.waitNs.sum == (isQueuedAgain ? 10_000 : 0))
  }

  /// The callout that served the first signal may be lost.
  @Test func aSignalBeforeTheLoss() throws {
    let main =
      "0 source.create #5 name=6 version=0 order=0 site=0\n0 source.add #5 mode=1 loop=1\n" + HandTrace.asleep
        + """
        50000 lostEvents m1 count=6
        50000 AfterWaiting.low m1 #1
        60010 source0.begin m1 #5
        60020 source0.end m1 #5
        60030 Exit.low m1 #1
        """
    let analysis = try analyze(main, worker: "1000 source.signal #5\n60000 source.signal #5\n")
    let source = try #require(analysis.sources.first)
    #expect(source.signals == 2 && source.mergedSignals == 0 && source.signalToCalloutNs.max == 10_000)
  }

  // MARK: Timers

  /// A lost event moves the timer to 940.
  @Test func aTimerThatALostEventMoved() throws {
    let main =
      HandTrace.tick(due: 100_000) + HandTrace.asleep + """
        50000 lostEvents m1 count=4
        50000 AfterWaiting.low m1 #1
        50010 Exit.low m1 #1
        940000 Entry.low m1 #1
        940010 BeforeTimers.low m1 #1
        940100 timer.due m1 #2 due=940000
        940100 timer.begin m1 #2
        940200 timer.end m1 #2
        940300 Exit.low m1 #1
        """
    let analysis = try analyze(main)
    let ledger = try #require(analysis.timers.first?.ledger)
    #expect(ledger.due == 1 && ledger.skipped == 0 && ledger.withdrawn == 0)
    #expect(analysis.lateness(of: "tick") == [.scheduler: 100])
    #expect(!analysis.findings.contains { $0.rule == .starvedByNoRun })
  }

  private static let starving =
    HandTrace.tick(due: 100_000, modes: [2], interval: 20_000) + HandTrace.asleep + """
      400000 AfterWaiting.low m1 #1
      400010 Exit.low m1 #1

      """
  private static let lossOnAnotherThread = "1 mark name=9\n200000 lostEvents count=3\n"

  /// The fire answers the point that was in force, so the points after it were missed.
  @Test func aFireConfirmsTheSchedule() throws {
    let main =
      Self.starving + """
        400020 Entry.low m2 #1
        400030 BeforeTimers.low m2 #1
        400040 timer.due m2 #2 due=100000
        400040 timer.begin m2 #2
        400050 timer.end m2 #2
        400060 Exit.low m2 #1
        """
    let whole = try analyze(main).skipped(of: "tick")
    #expect(whole?[.wrongMode] == 15)
    #expect(try analyze(main, worker: Self.lossOnAnotherThread).skipped(of: "tick") == whole)
  }

  /// A lost event may have ended or moved the timer.
  @Test func withoutAFireTheScheduleIsNotKnown() throws {
    let analysis = try analyze(Self.starving, worker: Self.lossOnAnotherThread)
    let ledger = try #require(analysis.timers.first?.ledger)
    #expect(ledger.due == 0 && ledger.skipped == 0 && ledger.pending == 0)
  }

  // MARK: Findings

  /// A lost event may have begun the run, the task or the service that these findings miss.
  @Test(arguments: [
    (RuleID.slowLaunch, "0 lifeCycle phase=1\n", HandTrace.held(at: 15_000_000, for: 100)),
    (RuleID.stuckBehindExit, HandTrace.held(at: 100, for: 500_000), ""),
    (
      RuleID.unprotectedBackground, "0 lifeCycle phase=4\n0 backgroundTask.begin #60 name=4 budget_ns=0\n",
      "1000000 backgroundTask.end #60\n" + HandTrace.held(at: 1_000_000, for: 100)
    ),
  ])
  func whatALostEventMayExplain(rule: RuleID, before: String, after: String) throws {
    for (loss, isFound) in [("", true), ("600000 lostEvents count=1\n", false)] {
      let analysis = try HandTrace(main: before + loss + after, worker: "31000000 mark name=9\n").analysis()
      #expect(analysis.findings.contains { $0.rule == rule && $0.severity < .info } == isFound)
    }
  }

  // MARK: Damaged blocks

  /// Returns the analysis of a trace with several blocks of the main thread. The block `number` is damaged.
  private func damaged(_ blocks: [String], worker: String = "", number: Int) throws -> Analysis {
    var text = HandTrace(main: blocks[0], worker: worker).text()
    for block in blocks.dropFirst() {
      let lines = block.split(separator: "\n").map { "  \($0)\n" }.joined()
      text.replace("\nend", with: "\nevents thread=0\n\(lines)end")
    }
    var bytes = try assembleTrace(text)
    let entries = try openTrace(bytes).blocks.filter { $0.type == .events && $0.thread == 0 }
    bytes[Int(entries[number].offset) + 45] ^= 1
    let analysis = try TraceAnalyzer(openTrace(bytes)).analyze()
    #expect(analysis.trace.damagedBlocks == 1 && analysis.trace.lostEvents == 0)
    expectSumsToClose(analysis)
    return analysis
  }

  /// The state is known up to the first event of the damaged block.
  @Test func aDamagedBlockIsALoss() throws {
    let lost = """
      11000 timer.end m1 #2
      11000 BeforeTimers.low m1 #1
      11000 BeforeSources.low m1 #1
      11000 BeforeWaiting.low m1 #1
      """
    let analysis = try damaged([Self.begun, lost, Self.later], number: 1)
    let timer = try #require(analysis.callouts.first)
    #expect(timer.count == 2 && timer.timeNs == 2_000_000 && timer.longestNs == 1_000_000)
    #expect(analysis.skipped(of: "tick") == [:])
  }

  /// The damaged block ends the callout and serves the block of the loop.
  @Test func aDamagedBlockAtTheEnd() throws {
    let begun = HandTrace.asleep + "1000 AfterWaiting.low m1 #1\n1000 source0.begin m1 #5\n"
    let lost = "1100 source0.end m1 #5\n1110 block.begin m1 #9\n1120 block.end m1 #9\n"
    let worker = "1000 block.create #9 name=4 loop=1 due=1000 mode=1\n5000000 mark name=9\n"
    let analysis = try damaged([begun, lost], worker: worker, number: 1)
    #expect(analysis.callouts.map(\.timeNs) == [100_000] && analysis.openCallouts.isEmpty)
    #expect(analysis.busy.isEmpty && analysis.gaps.isEmpty)
    #expect(analysis.unserved.map(\.isUncertain) == [true] && analysis.queues.unserved == nil)
    #expect(analysis.findings.first { $0.rule == .unservedWork }?.severity == .info)
    #expect(analysis.verdict.outcome == .undecided)
  }

  // MARK: Random losses

  /// Returns the events without a few stretches, as a full ring loses them. The timers are kept.
  private func lossy(_ events: [TestEvent], _ random: inout SeededGenerator) -> [TestEvent] {
    var events = events
    for _ in 0..<(1 + random.next() % 3) {
      let first = 1 + (events.lastIndex { $0.kind == EventKind.timerAdd.rawValue } ?? 0)
      let start = first + Int(random.next() % UInt64(events.count - first))
      let end = min(start + 1 + Int(random.next() % 60), events.count)
      let time = events[min(end, events.count - 1)].time
      let lost = TestEvent(time: time, kind: .lostEvents, arguments: [UInt64(end - start)])
      events.replaceSubrange(start..<end, with: [lost])
    }
    return events
  }

  /// Returns the events of a loop that takes a thousand times as long, in microseconds.
  private func slow(_ events: [TestEvent]) -> [TestEvent] {
    events.map { event in
      var event = event
      switch EventKind(event.kind) {
      case .timerCreate: event.arguments[EventKind.TimerCreate.intervalNs] *= 1000
      case .runBegin: event.arguments[EventKind.RunBegin.timeoutNs] *= 1000
      default: break
      }
      return event
    }
  }

  /// Rules about a share or a rate: the rest of the time may have more of it. Their numbers are compared instead.
  private static let ofShares: Set<RuleID> = [.spins, .costlyObservers, .shortHangs, .hitches]

  /// No number grows, and no cause other than `unknown` gets more. So each fault in the rest of the events is one of the
  /// whole trace.
  @Test func numbersAreLowerBounds() throws {
    var random = SeededGenerator(named: "lower bounds")
    for round in 0..<TestRounds.value(150) {
      let loop = SimulatedLoop(
        SeededGenerator(seed: random.next()), budget: 400, hasHigh: round.isMultiple(of: 2))
      let events = slow(loop.events)
      let rest = lossy(events, &random)
      let whole = try TraceAnalyzer(openTrace(loop.trace(codec: .none, timeUnit: .us1, of: events))).analyze()
      let part = try TraceAnalyzer(openTrace(loop.trace(codec: .none, timeUnit: .us1, of: rest))).analyze()
      expectSumsToClose(part)
      #expect(findingFaults(part) == [], "\(TestSeed.note)")
      try expectLowerBounds(part, whole)
      let faults = Set(part.findings.filter { $0.severity < .info }.map(\.rule))
      let known = Self.ofShares.union(whole.findings.map(\.rule)).union([.lostEvents])
      #expect(faults.isSubset(of: known), "\(faults.subtracting(known)), \(TestSeed.note)")
    }
  }

  private func expectLowerBounds(_ part: Analysis, _ whole: Analysis) throws {
    for row in part.callouts {
      let all = try #require(
        whole.callouts.first { ($0.kind, $0.name, $0.thread) == (row.kind, row.name, row.thread) },
        "\(TestSeed.note)")
      #expect(row.count <= all.count && row.longestNs <= all.longestNs, "\(TestSeed.note)")
      #expect(row.timeNs <= all.timeNs && row.selfNs <= all.selfNs, "\(TestSeed.note)")
      #expect(row.nestedNs <= all.nestedNs, "\(TestSeed.note)")
    }
    for row in part.modes {
      let all = try #require(whole.modes.first { $0.mode == row.mode }, "\(TestSeed.note)")
      #expect(row.waitingNs <= all.waitingNs && row.busyNs <= all.busyNs, "\(TestSeed.note)")
      #expect(row.passes <= all.passes && row.polls <= all.polls, "\(TestSeed.note)")
      #expect(row.emptyPolls ?? 0 <= all.emptyPolls ?? 0, "\(TestSeed.note)")
      for (phase, time) in row.observersNs ?? [:] {
        #expect(time <= all.observersNs?[phase] ?? 0, "\(TestSeed.note)")
      }
    }
    #expect(
      part.frames.sources.hitchTime.hitchNs <= whole.frames.sources.hitchTime.hitchNs, "\(TestSeed.note)")
    for row in part.timers {
      let all = try #require(whole.timers.first { $0.site == row.site }, "\(TestSeed.note)")
      #expect(row.fired <= all.fired, "\(TestSeed.note)")
      // A fire whose due point is lost leaves no ledger.
      guard let ledger = row.ledger, let full = all.ledger else { continue }
      #expect(ledger.skipped <= full.skipped && ledger.pending <= full.pending, "\(TestSeed.note)")
      #expect(ledger.latenessNs.sum <= full.latenessNs.sum, "\(TestSeed.note)")
      for cause in [Cause.notRunning, .wrongMode, .busy, .ownCallout] {
        #expect(
          ledger.skippedBy[cause, default: 0] <= full.skippedBy[cause, default: 0], "\(TestSeed.note)")
        #expect(ledger.ledgerNs[cause, default: 0] <= full.ledgerNs[cause, default: 0], "\(TestSeed.note)")
      }
    }
  }
}
