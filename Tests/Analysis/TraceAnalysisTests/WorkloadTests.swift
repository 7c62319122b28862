import Foundation
import TestSupport
import Testing
import TextReport
import TraceAnalysis
import TraceReplay
import TraceFormat

/// Callouts, sources, queues, polls, wakes and observers of small traces, counted by hand. Times are microseconds.
@Suite struct WorkloadTests {
  private static let head = """
    0 source.create #3 name=4 version=0 order=0 site=5
    0 source.create #4 name=7 version=1 order=0 site=5
    0 Entry.low m1 #1
    10 BeforeTimers.low m1 #1
    20 BeforeSources.low m1 #1
    30 BeforeWaiting.low m1 #1

    """

  private func row(_ analysis: Analysis, _ kind: String, _ name: String) throws -> CalloutResult {
    try #require(analysis.callouts.first { $0.kind == kind && $0.name == name })
  }

  // MARK: Callouts

  /// The passes in order: 300 in one callout, 2 · 200 in two, 500 in one, including 300 in a nested run.
  @Test func calloutsAndTheirWorstPass() throws {
    let main =
      Self.head + """
        1000 AfterWaiting.low m1 #1
        1000 source0.begin m1 #3
        1300 source0.end m1 #3
        2000 BeforeTimers.low m1 #1
        2100 BeforeSources.low m1 #1
        2200 source0.begin m1 #3
        2400 source0.end m1 #3
        2500 source0.begin m1 #3
        2700 source0.end m1 #3
        3000 BeforeTimers.low m1 #1
        3100 BeforeSources.low m1 #1
        3200 source0.begin m1 #3
        3250 Entry.low m2 #1
        3260 BeforeTimers.low m2 #1
        3300 source0.begin m2 #3
        3350 source0.end m2 #3
        3400 source1.begin m2 #4
        3410 source1.end m2 #4
        3550 Exit.low m2 #1
        3700 source0.end m1 #3
        4000 BeforeTimers.low m1 #1
        4010 Exit.low m1 #1
        """
    let analysis = try HandTrace(main: main).analysis()
    expectSumsToClose(analysis)
    let parse = try row(analysis, "source0", "parse")
    #expect(parse.count == 5)
    #expect(parse.timeNs == 950_000)
    #expect(parse.nestedNs == 300_000)
    #expect(parse.longestNs == 300_000)
    #expect(parse.longestStartNs == 1_000_000)
    #expect(parse.worstPassNs == 400_000)
    #expect(parse.worstPassStartNs == 2_000_000)
    #expect(parse.thread == 0)
    #expect(
      Dictionary(uniqueKeysWithValues: parse.timeNsByMode.map { ($0.mode, $0.ns) })
        == ["mode 1": 900_000, "mode 2": 50_000])
    let read = try row(analysis, "source1", "read")
    #expect(read.count == 1 && read.timeNs == 10_000 && read.worstPassStartNs == 3_260_000)
    #expect(analysis.callouts.map(\.name) == ["parse", "read"])
    // A pass that begins before the nested run, in the first mode, continues after it.
    #expect(analysis.modes.map(\.passes) == [4, 1])
    #expect(analysis.modes.map(\.polls) == [3, 1])
  }

  /// Callouts with the same name on two threads are two rows. So are callouts of different kinds.
  @Test func calloutsByThreadAndKind() throws {
    let work = """
      1000 Entry.low m1 #LOOP
      1010 BeforeTimers.low m1 #LOOP
      1020 block.begin m1 #9
      1050 block.end m1 #9
      1060 mainQueueBlock.begin m1 #9
      1100 mainQueueBlock.end m1 #9
      1200 Exit.low m1 #LOOP
      """
    let analysis = try HandTrace(
      main: "0 block.create #9 name=6 loop=1\n" + work.replacing("LOOP", with: "1"),
      worker: work.replacing("LOOP", with: "8").replacing("1050", with: "1055")
    ).analysis()
    let rows = analysis.callouts.map { "\($0.kind) \($0.name) \($0.thread) \($0.count) \($0.timeNs / 1000)" }
    #expect(
      Set(rows) == [
        "block draw 0 1 30", "block draw 1 1 35", "mainQueueBlock draw 0 1 40", "mainQueueBlock draw 1 1 40",
      ])
    #expect(rows.count == 4)
  }

  // MARK: Sources

  @Test func signalToCallout() throws {
    let main =
      Self.head + """
        2000 AfterWaiting.low m1 #1
        2010 source0.begin m1 #3
        2110 source0.end m1 #3
        2200 BeforeTimers.low m1 #1
        2220 source0.begin m1 #3
        2250 source0.end m1 #3
        2320 source1.begin m1 #4
        2400 source1.end m1 #4
        2500 source1.begin m1 #4
        2600 source1.end m1 #4
        3000 source0.begin m1 #3
        3010 source.signal m1 #3
        3100 source0.end m1 #3
        3200 source0.begin m1 #3
        3300 source0.end m1 #3
        3400 Exit.low m1 #1
        """
    // Two signals of source 3, the second merged; one of source 4 at the time of its callout; one that is never
    // served.
    let worker = """
      1000 source.signal #3
      1500 source.signal #3
      2320 source.signal #4
      3350 source.signal #4
      """
    let analysis = try HandTrace(main: main, worker: worker).analysis()
    let parse = try #require(analysis.sources.first { $0.name == "parse" })
    #expect(parse.signals == 3)
    #expect(parse.mergedSignals == 1)
    #expect(parse.callouts == 4)
    #expect(parse.unsignalled == 2)
    #expect(parse.negative == 0)
    #expect(parse.signalToCalloutNs.count == 2)
    #expect(parse.signalToCalloutNs.sum == 1_200_000)
    #expect(parse.signalToCalloutNs.min == 190_000)
    #expect(parse.signalToCalloutNs.max == 1_010_000)
  }

  @Test func signalsStampedAfterTheirCallout() throws {
    let main =
      Self.head + """
        2000 AfterWaiting.low m1 #1
        2320 source0.begin m1 #3
        2400 source0.end m1 #3
        2500 source0.begin m1 #3
        2600 source0.end m1 #3
        2700 source0.begin m1 #3
        2800 source0.end m1 #3
        3400 Exit.low m1 #1
        """
    // At the time of the callout, one unit after it, and two units after it: the last one counts as a signal for
    // another callout.
    let worker = "2320 source.signal #3\n2501 source.signal #3\n2702 source.signal #3\n"
    let parse = try #require(try HandTrace(main: main, worker: worker).analysis().sources.first)
    #expect(parse.signals == 3)
    #expect(parse.negative == 1)
    #expect(parse.unsignalled == 1)
    #expect(parse.mergedSignals == 0)
    #expect(parse.signalToCalloutNs.count == 2)
    #expect(parse.signalToCalloutNs.max == 0)
  }

  /// Random signals and callouts of three sources, against books kept as lists.
  @Test func randomSignals() throws {
    var random = SeededGenerator(named: "signals")
    for _ in 0..<TestRounds.value(100) {
      var events = [
        TestEvent(time: 0, kind: .entryLow, mode: 1, object: 1)
      ]
      var open: [UInt32: [UInt64]] = [:]
      var late: [UInt32: [UInt64]] = [:]
      var merged: [UInt32: UInt64] = [:]
      var unsignalled: [UInt32: UInt64] = [:]
      var time: UInt64 = 10
      for id in 5...7 as ClosedRange<UInt32> {
        events.append(TestEvent(time: 0, kind: .sourceCreate, object: id, arguments: [UInt64(id), 0, 0, 0]))
        late[id] = []
      }
      for _ in 0..<(random.next() % 300) {
        time += 2 + random.next() % 1000
        let id = UInt32(5 + random.next() % 3)
        if random.oneIn(2) {
          events.append(TestEvent(time: time, kind: .sourceSignal, mode: 1, object: id))
          if open[id, default: []].isEmpty { open[id] = [time] } else { merged[id, default: 0] += 1 }
        } else {
          events.append(TestEvent(time: time, kind: .source0Begin, mode: 1, object: id))
          if let since = open[id]?.popLast() {
            late[id]!.append(time - since)
          } else {
            unsignalled[id, default: 0] += 1
          }
          time += 2
          events.append(TestEvent(time: time, kind: .source0End, mode: 1, object: id))
        }
      }
      let bytes = try writeTrace(codec: .none, timeUnit: .ns1, hasHighStamps: false) { writer in
        try writer.write((5...7).map { StringDefinition(id: $0, text: "source \($0)") })
        try writer.write(EventBuffer(events), thread: 0)
      }
      let analysis = try TraceAnalyzer(try openTrace(bytes)).analyze()
      for found in analysis.sources {
        let id = UInt32(found.name.dropFirst(7))!
        #expect(found.mergedSignals == merged[id, default: 0], "\(TestSeed.note)")
        #expect(found.unsignalled == unsignalled[id, default: 0], "\(TestSeed.note)")
        #expect(found.signalToCalloutNs.count == UInt64(late[id]!.count), "\(TestSeed.note)")
        #expect(found.signalToCalloutNs.sum == late[id]!.reduce(0, +), "\(TestSeed.note)")
        #expect(found.signalToCalloutNs.max == late[id]!.max() ?? 0, "\(TestSeed.note)")
        #expect(
          found.callouts == UInt64(late[id]!.count) + unsignalled[id, default: 0], "\(TestSeed.note)")
      }
    }
  }

  // MARK: Queues

  @Test func waitsOfBlocks() throws {
    let main =
      Self.head + """
        40 block.create #5 name=6 loop=1
        50 block.create #8 name=9 loop=1 due=4200
        4000 AfterWaiting.low m1 #1
        4100 block.begin m1 #5
        4110 block.end m1 #5
        4120 block.begin m1 #6
        4130 block.end m1 #6
        4190 mainQueueDrain.begin m1 #1
        4200 mainQueueBlock.begin m1 #7
        4280 mainQueueBlock.end m1 #7
        4285 mainQueueBlock.begin m1 #8
        4290 mainQueueBlock.end m1 #8
        4300 mainQueueDrain.end m1 #1
        4400 Exit.low m1 #1
        """
    let worker = "3000 block.create #6 name=8 loop=1\n3500 block.create #7 name=9 loop=1"
    let analysis = try HandTrace(main: main, worker: worker).analysis()
    expectSumsToClose(analysis)
    #expect(analysis.queues.blockWaitNs.count == 2)
    #expect(analysis.queues.blockWaitNs.sum == 5_180_000)
    #expect(analysis.queues.blockWaitNs.max == 4_060_000)
    #expect(analysis.queues.blockWaitNs.min == 1_120_000)
    // The second block may only run at 4200.
    #expect(analysis.queues.mainQueueWaitNs.count == 2)
    #expect(analysis.queues.mainQueueWaitNs.sum == 700_000 + 85_000)
    #expect(analysis.modes.first?.wakeToCalloutNs.max == 100_000)
  }

  // MARK: Slices

  /// A drain takes a second, its only block the first 400 ms. The slice begins after the block.
  @Test func timeInsideACalloutBeforeTheSliceDoesNotCount() throws {
    let main =
      Self.head + """
        100000 AfterWaiting.low m1 #1
        100000 mainQueueDrain.begin m1 #1
        100000 mainQueueBlock.begin m1 #7
        500000 mainQueueBlock.end m1 #7
        1100000 mainQueueDrain.end m1 #1
        1100000 BeforeTimers.low m1 #1

        """
    var options = AnalysisOptions()
    options.from = 600_000
    let rows = try HandTrace(main: main).analysis(options).callouts
    #expect(rows.map(\.timeNs) == [500_000_000] && rows.map(\.selfNs) == [500_000_000])
  }

  // MARK: Polls, wakes and observers

  @Test func pollsAndWakesForNothing() throws {
    let wait = "BeforeTimers.low m1 #1,BeforeSources.low m1 #1,BeforeWaiting.low m1 #1,AfterWaiting.low m1 #1"
    let poll = "BeforeTimers.low m1 #1,BeforeSources.low m1 #1,source0.begin m1 #3,source0.end m1 #3"
    let observed = "observer.begin m1 #4,observer.end m1 #4"
    let block = "block.begin m1 #5,block.end m1 #5"
    // The waits end: with nothing, with a block, with only an observer, with nothing before a poll, and with nothing
    // at the end.
    let steps = [wait, wait, block, wait, observed, wait, poll, poll, wait]
    var time = 0
    let inner: [String] = steps.flatMap { $0.split(separator: ",").map(String.init) }
    let events: [String] = ["Entry.low m1 #1"] + inner + ["Exit.low m1 #1"]
    let lines = events.map { line -> String in
      time += 10
      return "\(time) \(line)"
    }
    let analysis = try HandTrace(main: lines.joined(separator: "\n")).analysis()
    expectSumsToClose(analysis)
    let mode = try #require(analysis.modes.first)
    #expect(mode.passes == 7)
    #expect(mode.polls == 2)
    #expect(mode.wakes == 5)
    // The source0 of the pass after the fourth wait is the work for which that wait ended.
    #expect(mode.emptyWakes == 3)
    #expect(mode.wakeToCalloutNs.count == 2)
    #expect(mode.wakeToCalloutNs.max == 30_000)
    #expect(mode.observersNs == nil)
  }

  /// An observer of AfterWaiting runs another mode, which serves a source. The outer run serves one afterwards, or not.
  @Test(arguments: [true, false]) func aNestedRunDoesNotAnswerAWake(isAnswered: Bool) throws {
    var main =
      Self.head + """
        100 AfterWaiting.low m1 #1
        110 observer.begin m1 #9
        120 Entry.low m2 #1
        130 BeforeTimers.low m2 #1
        140 BeforeSources.low m2 #1
        150 source0.begin m2 #3
        160 source0.end m2 #3
        170 Exit.low m2 #1
        180 observer.end m1 #9

        """
    if isAnswered { main += "200 source1.begin m1 #4\n210 source1.end m1 #4\n" }
    main += "220 Exit.low m1 #1\n"
    let analysis = try HandTrace(main: main).analysis()
    expectSumsToClose(analysis)
    let mode = try #require(analysis.modes.first { $0.mode == "mode 1" })
    #expect(mode.wakes == 1 && mode.emptyWakes == (isAnswered ? 0 : 1))
    #expect(mode.wakeToCalloutNs.count == (isAnswered ? 1 : 0))
    #expect(!isAnswered || mode.wakeToCalloutNs.max == 100_000)
  }

  /// Numbers of callouts are null at the level `activities`.
  @Test func numbersOfCalloutsNeedCallouts() throws {
    let text = HandTrace(main: Self.head + "100 AfterWaiting.low m1 #1\n").text()
    let bytes = try assembleTrace(text.replacing("capture=callouts", with: "capture=activities"))
    let analysis = try TraceAnalyzer(openTrace(bytes)).analyze()
    let json = try JSONValues(AnalysisJSON.encode([(file: "x", analysis: analysis)]))
    #expect(json.text("modes[0].wakes") == "1")
    for path in [
      "modes[0].wake_to_callout_ns", "modes[0].wakes_for_nothing", "queues.block_wait_ns",
      "queues.main_queue_wait_ns", "queues.unserved",
    ] {
      #expect(json.value(path) is NSNull, "\(path)")
    }
  }

  @Test func timeOfObservers() throws {
    let main = """
      0 Entry.low m1 #1
      1 Entry.high m1 #1
      10 BeforeTimers.low m1 #1
      12 BeforeTimers.high m1 #1
      20 BeforeSources.low m1 #1
      24 BeforeSources.high m1 #1
      30 BeforeWaiting.low m1 #1
      38 BeforeWaiting.high m1 #1
      100 AfterWaiting.low m1 #1
      116 AfterWaiting.high m1 #1
      200 BeforeTimers.low m1 #1
      232 BeforeTimers.high m1 #1
      300 Entry.low m2 #1
      364 Entry.high m2 #1
      400 Exit.low m2 #1
      528 Exit.high m2 #1
      600 Exit.low m1 #1
      856 Exit.high m1 #1
      """
    let analysis = try HandTrace(main: main, hasHigh: true).analysis()
    expectSumsToClose(analysis)
    let us: [[Phase: UInt64]] = analysis.modes.map {
      ($0.observersNs ?? [:]).filter { $0.value > 0 }.mapValues { $0 / 1000 }
    }
    #expect(
      us == [
        [
          .entry: 1, .beforeTimers: 34, .beforeSources: 4, .beforeWaiting: 8, .afterWaiting: 16, .exit: 256,
        ], [.entry: 64, .exit: 128],
      ])
    #expect(analysis.modes.map(\.timeNs) == [628_000, 228_000])
    #expect(analysis.modes.first?.waitingNs == 62_000)
  }

  /// The recording ends while observers of two runs are running.
  @Test func timeOfObserversUpToTheEnd() throws {
    let main =
      HandTrace.asleepWithHighStamps + """
        40 observer.begin m1 #9
        50 Entry.low m2 #1
        60 Entry.high m2 #1
        70 BeforeTimers.low m2 #1
        """
    let analysis = try HandTrace(main: main, worker: "170 mark name=9", hasHigh: true).analysis()
    expectSumsToClose(analysis)
    let us: [[Phase: UInt64]] = analysis.modes.map {
      ($0.observersNs ?? [:]).filter { $0.value > 0 }.mapValues { $0 / 1000 }
    }
    #expect(
      us == [
        [.entry: 1, .beforeTimers: 1, .beforeSources: 1, .beforeWaiting: 20],
        [.entry: 10, .beforeTimers: 100],
      ])
  }
}
