import TestSupport
import Testing
import TraceAnalysis
import TraceFormat
import TraceGate

/// The part of a recording that belongs to one test.
@Suite struct TraceExcerptTests {
  /// Two threads at the same time: the main thread runs a loop with a short timer callout inside an interval, and the
  /// worker's timer callout is long.
  private let trace = HandTrace(
    main: """
      0 timer.create #5 name=2
      10 timer.begin m1 #5
      60 timer.end #5
      100 interval.begin #10 name=4
      110 Entry.low m1 #1
      120 BeforeTimers.low m1 #1
      130 timer.begin m1 #5
      140 timer.end #5
      190 Exit.low m1 #1
      200 interval.end #10
      300 timer.begin m1 #5
      900 timer.end #5
      """,
    worker: """
      50 interval.begin #11 name=6
      60 Entry.low m1 #2
      70 BeforeTimers.low m1 #2
      80 timer.begin m1 #6
      480 timer.end #6
      490 Exit.low m1 #2
      500 interval.end #11
      """)

  private func reader() throws -> TraceReader { try openTrace(assembleTrace(trace.text())) }

  @Test func findsTheIntervals() throws {
    let reader = try reader()
    let all = try ExcerptIndex(reader).intervals(in: reader) { _ in true }
    #expect(all.map(\.name) == ["draw", "parse"] && all.map(\.thread) == [1, 0])
    #expect(all.map(\.from) == [50, 100] && all.map(\.to) == [500, 200] && !all.contains(where: \.isOpen))
    #expect(try ExcerptIndex(reader).intervals(in: reader) { $0 == "parse" }.count == 1)
  }

  /// The numbers of a test are those of its own thread and time.
  @Test func excludesOtherThreadsAndTimes() throws {
    let reader = try reader()
    let interval = try #require(try ExcerptIndex(reader).intervals(in: reader) { $0 == "parse" }.first)
    let part = try openTrace(TraceExcerpt(reader, interval, ExcerptIndex(reader)).bytes())
    #expect(part.isClean && part.threads.keys.sorted() == [0])
    let analysis = try TraceAnalyzer(part).analyze()
    #expect(analysis.trace.durationNs == 100_000)
    #expect(analysis.callouts.map { "\($0.kind) \($0.count) \($0.timeNs)" } == ["timer 1 10000"])
    #expect(analysis.loops.map(\.runs) == [1])
    // The neighbour's part has its own callout only.
    let other = try #require(try ExcerptIndex(reader).intervals(in: reader) { $0 == "draw" }.first)
    let neighbour = try TraceAnalyzer(openTrace(TraceExcerpt(reader, other, ExcerptIndex(reader)).bytes()))
      .analyze()
    #expect(neighbour.callouts.map { "\($0.count) \($0.timeNs)" } == ["1 400000"])
  }

  /// Work of queues is left out, because it runs on several threads, and so are waits for queues. The test itself may
  /// run in a task.
  @Test func leavesOutWorkOfQueues() throws {
    let main = """
      5 work.create #10 name=6 kind=1 queue=1
      50 work.begin #10 queue=1
      100 interval.begin #20 name=5
      110 work.create #11 name=7 kind=0 queue=2 parent=10 site=9
      130 queueWait.begin #2 holder=101
      140 queueWait.end #2
      150 mark name=8
      160 interval.end #20
      170 work.end #10
      """
    let trace = QueueTrace(threads: [main, "120 work.begin #11 queue=2\n145 work.end #11"])
    let reader = try openTrace(assembleTrace(trace.text))
    let interval = try #require(try ExcerptIndex(reader).intervals(in: reader) { $0 == "work a" }.first)
    let part = try openTrace(TraceExcerpt(reader, interval, ExcerptIndex(reader)).bytes())
    #expect(part.isClean && part.threads.keys.sorted() == [0])
    let dump = try dumpTrace(part)
    #expect(!dump.contains(" work.") && !dump.contains(" queue"))
    let analysis = try TraceAnalyzer(part).analyze()
    #expect(analysis.marks.marks.map(\.name) == ["lost"] && analysis.work.queues.isEmpty)
    #expect(analysis.trace.contradictions == 0)
  }

  /// A test does not see objects that ended before it began, even if its own objects reuse their ids.
  @Test func leavesOutEarlierObjects() throws {
    let trace = HandTrace(
      main: """
        0 timer.create #5 name=2
        5 timer.create #7 name=8
        10 timer.invalidate #5
        20 timer.create #5 name=9
        100 interval.begin #10 name=4
        110 Entry.low m1 #1
        130 timer.begin m1 #5
        140 timer.end #5
        190 Exit.low m1 #1
        200 interval.end #10
        """)
    let reader = try openTrace(assembleTrace(trace.text()))
    let index = try ExcerptIndex(reader)
    let interval = try #require(index.intervals(in: reader) { _ in true }.first)
    let part = try TraceExcerpt(reader, interval, index).trace()
    #expect(part.eventCount == 8)
    #expect(try TraceAnalyzer(part).analyze().timers.map(\.name) == ["x"])
  }

  /// A block that ran before the test does not count as waiting in it.
  @Test func leavesOutEarlierBlocks() throws {
    let trace = HandTrace(
      main: """
        0 block.create #8 name=8 loop=1
        10 Entry.low m1 #1
        20 block.begin m1 #8
        30 block.end #8
        40 Exit.low m1 #1
        50 block.create #9 name=9 loop=1
        100 interval.begin #10 name=4
        110 Entry.low m1 #1
        190 Exit.low m1 #1
        400000 interval.end #10
        """)
    let reader = try openTrace(assembleTrace(trace.text()))
    let index = try ExcerptIndex(reader)
    let interval = try #require(index.intervals(in: reader) { _ in true }.first)
    let analysis = try TraceAnalyzer(TraceExcerpt(reader, interval, index).trace()).analyze()
    // The other block was queued before the test and did wait.
    #expect(analysis.unserved.map(\.name) == ["x"])
  }

  /// Blocks that are appended later are read later, each once.
  @Test func theIndexGrows() throws {
    let reader = try reader()
    var index = try ExcerptIndex(reader)
    let count = index.intervals(in: reader) { _ in true }.count
    try index.add(reader)
    #expect(index.intervals(in: reader) { _ in true }.count == count && count == 2)
  }

  @Test func anOpenIntervalLastsToTheEnd() throws {
    let trace = HandTrace(main: "100 interval.begin #10 name=4\n300 mark name=9")
    let reader = try openTrace(assembleTrace(trace.text()))
    let all = try ExcerptIndex(reader).intervals(in: reader) { _ in true }
    #expect(all.map(\.isOpen) == [true] && all.map(\.to) == [300])
  }
}

/// Budgets from several good runs.
@Suite struct BudgetSuggestionTests {
  private func run(_ sample: String) throws -> GatedTrace {
    let reader = try openTrace(path: SampleTraces.virtual(sample))
    let options =
      GatedTrace.options(for: BudgetSuggestion.rules, AnalysisOptions(), of: reader) ?? AnalysisOptions()
    return GatedTrace(
      numbers: try TraceAnalyzer(reader, options: options).analyze(),
      findings: try TraceAnalyzer(reader).analyze(),
      spansFromNs: GatedTrace.listedFromNs(options, of: reader), problem: nil)
  }

  /// The runs themselves stay within the budget that they suggest.
  @Test(arguments: ["starvation-common", "timer-starvation", "stall-in-timer", "stuttering-app"])
  func theRunsPassTheirOwnBudget(sample: String) throws {
    let runs = try (0..<3).map { _ in try run(sample) }
    let suggestion = BudgetSuggestion(runs)
    #expect(!suggestion.lines.isEmpty && suggestion.runs == 3)
    for line in suggestion.lines {
      let gate = Gate([line.rule], trace: runs[0], baseline: .notGiven)
      #expect(gate.outcome == .pass, "\(line.rule.text): \(line.derivation)")
    }
  }

  @Test func theWorstRunSetsTheCounts() throws {
    let suggestion = BudgetSuggestion(
      try [run("starvation-common"), run("starvation-common"), run("starvation-default-only")])
    let skipped = try #require(suggestion.lines.first { $0.rule.text.hasPrefix("skipped()") })
    #expect(skipped.rule.text == "skipped() <= 199", "\(skipped.rule.text)")
  }
}
