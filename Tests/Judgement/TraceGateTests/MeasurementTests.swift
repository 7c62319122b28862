import TestSupport
import Testing
import TraceAnalysis
import TraceReplay
import TraceFormat
import TraceGate

/// Rules on traces whose numbers are known.
@Suite struct MeasurementTests {
  private func gate(_ rules: [String], _ bytes: [UInt8], baseline: Gate.Baseline = .notGiven) throws
    -> Gate
  {
    let rules = try rules.map { try RuleParser.parse($0) }
    return Gate(rules, trace: try gated(bytes, rules), baseline: baseline)
  }

  private func gated(_ bytes: [UInt8], _ rules: [GateRule]) throws -> GatedTrace {
    let reader = try openTrace(bytes)
    let closer = GatedTrace.options(for: rules, AnalysisOptions(), of: reader) ?? AnalysisOptions()
    let numbers = try TraceAnalyzer(reader, options: closer).analyze()
    return GatedTrace(
      numbers: numbers, findings: try TraceAnalyzer(reader).analyze(),
      spansFromNs: GatedTrace.listedFromNs(closer, of: reader),
      problem: reader.problem.map { "\($0)" })
  }

  @Test(arguments: [
    ("skipped(timer=refresh)", "starvation-default-only", 199.0),
    ("skipped()", "starvation-default-only", 199),
    ("skipped(cause=wrong_mode)", "starvation-default-only", 199),
    ("skipped(cause=busy)", "starvation-default-only", 0),
    ("due(timer=refresh)", "starvation-default-only", 400), ("fired()", "starvation-default-only", 201),
    ("withdrawn()", "starvation-default-only", 0), ("pending()", "starvation-default-only", 0),
    ("early()", "starvation-default-only", 0), ("max(gap)", "stall-in-source", 2e9),
    ("max(busy)", "stall-in-source", 2e9), ("count(busy, at_least=hang)", "stall-in-source", 2),
    ("count(gap, at_least=2s)", "stall-in-source", 2), ("max(input_delay)", "stall-in-source", 2e9),
    ("max(callout, callout=sleeper)", "stall-in-source", 2e9),
    ("count(callout, kind=source0)", "stall-in-source", 2),
    ("count(pass)", "starvation-common", 601), ("findings(rule=RL001)", "starvation-default-only", 1),
    ("findings(severity=error)", "starvation-default-only", 1),
    ("findings(rule=RL002)", "starvation-common", 0),
    ("p99(signal_to_callout, source=\"touch events\")", "starvation-common", 99_990),
  ])
  func values(measure: String, sample name: String, value: Double) throws {
    let result = try #require(
      try gate(
        ["\(measure) == \(value == 0 || value < 1000 ? "\(Int(value))" : "\(Int(value))ns")"],
        SampleTraces.bytes(virtual: name)
      ).results.first)
    #expect(result.outcome == .pass, "\(measure): \(String(describing: result.measured)) \(result.why)")
  }

  /// An import of hangs alone has no loops or callouts. One hang in it is enough to break a rule.
  @Test func hangsWithoutLoops() throws {
    var hand = HandTrace(
      main: """
        0 Entry.low m1 #1
        10 BeforeTimers.low m1 #1
        20 BeforeSources.low m1 #1
        3000000 BeforeWaiting.low m1 #1
        4000000 AfterWaiting.low m1 #1
        4000010 Exit.low m1 #1
        """)
    hand.facts = ["hangs_only"]
    let bytes = try assembleTrace(hand.text().replacing("capture=callouts", with: "capture=imported"))
    let rules = ["findings(severity=error) == 0", "max(busy) < 250ms", "max(busy) < 10s", "unserved() == 0"]
    #expect(try gate(rules, bytes).results.map(\.outcome) == [.broken, .broken, .undecided, .undecided])
  }

  /// Every metric and aggregate gives a number or a reason, on every sample.
  @Test func allMetrics() throws {
    let rules = Metric.allCases.flatMap { metric in
      metric.aggregates.isEmpty
        ? ["\(metric.name)() >= 0"]
        : metric.aggregates.map { aggregate in
          let spans = aggregate == .count && metric.isOfSpans
          return
            "\(aggregate.rawValue)(\(metric.name)\(spans ? ", at_least=1ms" : "")) >= \(aggregate == .count ? "0" : "0ns")"
        }
    }
    #expect(rules.count > 60)
    for name in ["five-causes", "detect-idle", "timer-starvation", "leave-and-return"] {
      for result in try gate(rules, SampleTraces.bytes(virtual: name)).results {
        #expect(result.outcome == .pass || result.outcome == .undecided && !result.why.isEmpty, "\(result)")
      }
    }
  }

  @Test func againstABaseline() throws {
    let rules = try [
      "max(gap) <= 1.1 * baseline", "max(gap) < baseline", "max(gap) < baseline + 1ms",
      "skipped() <= baseline",
    ].map {
      try RuleParser.parse($0)
    }
    let base = try gated(SampleTraces.bytes(virtual: "starvation-common"), rules)
    let same = Gate(rules, trace: base, baseline: .trace(base))
    #expect(same.results.map(\.outcome) == [.pass, .broken, .pass, .pass] && same.outcome == .broken)
    let starved = Gate(
      rules, trace: try gated(SampleTraces.bytes(virtual: "starvation-default-only"), rules),
      baseline: .trace(base))
    #expect(starved.results.map(\.outcome).last == .broken)
    let missing = Gate(rules, trace: base, baseline: .notGiven)
    #expect(
      missing.outcome == .undecided
        && missing.results.allSatisfy { $0.why.hasSuffix("--baseline was not given") })
    #expect(missing.baselineProblem == nil)
  }

  /// An unusable baseline makes the gate undecided, whatever the rules are.
  @Test func aBaselineThatCannotBeUsed() throws {
    let common = try SampleTraces.bytes(virtual: "starvation-common")
    let whole = try SampleTraces.bytes(virtual: "modes")
    let cut = try gated(Array(whole.dropLast(40)), [])
    let silent = try gated(assembleTrace(HandTrace(main: "10 mark name=9").text()), [])
    for baseline in [.unusable("cannot open"), .trace(cut), .trace(silent)] as [Gate.Baseline] {
      for rule in ["max(gap) < 1s", "max(gap) < 1ns", "max(gap) < baseline"] {
        let gate = try gate([rule], common, baseline: baseline)
        #expect(gate.outcome == .undecided && gate.baselineProblem != nil, "\(rule)")
      }
    }
    #expect(try gate(["max(gap) < 1s"], common, baseline: .trace(gated(whole, []))).outcome == .pass)
  }

  // MARK: The built-in budget

  @Test func builtInBudget() throws {
    #expect(DefaultBudget.rules.count == 4 && DefaultBudget.rules.allSatisfy { $0.name != nil })
  }

  // MARK: Undecided rules

  private func undecided(_ rule: String, _ trace: HandTrace, _ why: String) throws {
    let result = try #require(try gate([rule], assembleTrace(trace.text())).results.first)
    #expect(
      result.outcome == .undecided && !result.why.isEmpty && (why.isEmpty || result.why.contains(why)),
      "\(rule): \(result)")
  }

  private static let calm =
    HandTrace.tick(due: 50_000) + HandTrace.asleep + """
      50000 AfterWaiting.low m1 #1
      50000 timer.due m1 #2 due=50000
      50000 timer.begin m1 #2
      50100 timer.end m1 #2
      60000 BeforeTimers.low m1 #1
      60005 BeforeSources.low m1 #1
      60010 Exit.low m1 #1
      """

  @Test func namesThatAreNotThere() throws {
    let trace = HandTrace(main: Self.calm)
    try undecided("skipped(timer=tock) == 0", trace, "no timer \"tock\"")
    try undecided("max(gap, mode=tracking) < 1s", trace, "mode \"tracking\" did not run")
    try undecided("max(gap, thread=io) < 1s", trace, "no thread \"io\"")
    try undecided(
      "max(gap, thread=worker) < 1s", HandTrace(main: Self.calm, worker: "10 mark name=9"),
      "no run loop ran on")
    try undecided("count(callout, callout=tock) == 0", trace, "has no such callout")
    try undecided("signals(source=tock) == 0", trace, "no source \"tock\"")
    try undecided("max(block_wait) < 1s", trace, "no blocks to measure")
    try undecided("p99(signal_to_callout) < 1s", trace, "no sources")
    try undecided("findings(rule=RL003) == 0", trace, "needs --profile")
  }

  @Test func nothingToMeasure() throws {
    let none = HandTrace(main: "10 mark name=9\n20 mark name=9")
    for rule in [
      "max(gap) < 1s", "max(pass) < 1s", "utilisation() < 1", "max(input_delay) < 1s", "skipped() == 0",
      "findings() == 0", "findings(severity=error) == 0", "max(busy) < 250ms", "count(callout) == 0",
    ] {
      try undecided(rule, none, "no run loop ran")
    }
    // The timer never fired: it has due points, but no lateness.
    let idle = HandTrace(
      main: HandTrace.tick(due: 900_000) + HandTrace.asleep
        + "60000 AfterWaiting.low m1 #1\n60010 Exit.low m1 #1\n")
    try undecided("p99(lateness, timer=tick) < 1s", idle, "no fires to measure")
    #expect(try gate(["skipped(timer=tick) == 0"], assembleTrace(idle.text())).outcome == .pass)
  }

  @Test func lostEvents() throws {
    try undecided(
      "max(gap) < 1h".replacing("1h", with: "60min"),
      HandTrace(main: Self.calm.replacing("60000 Bef", with: "55000 lostEvents m1 count=5\n60000 Bef")),
      "lost 5 events")
  }

  @Test func fireWithoutDuePoint() throws {
    let main = Self.calm.replacing("50000 timer.due m1 #2 due=50000\n", with: "")
    let trace = HandTrace(main: main.replacing(" due=50000 site", with: " due=-1 site"))
    let bytes = try assembleTrace(trace.text())
    let analysis = try TraceAnalyzer(openTrace(bytes)).analyze()
    #expect(analysis.timers.count == 1 && analysis.timers[0].ledger == nil)
    try undecided("skipped(timer=tick) == 0", trace, "due points of timer \"tick\" were not recorded")
    try undecided("findings() == 0", trace, "RL001 cannot be decided")
    #expect(try gate(["findings(rule=RL002) == 0"], bytes).outcome == .pass)
    #expect(try gate(["fired(timer=tick) == 1"], bytes).outcome == .pass)
  }

  @Test func captureLevel() throws {
    let text = HandTrace(
      main: HandTrace.asleep
        + "50000 AfterWaiting.low m1 #1\n60000 BeforeTimers.low m1 #1\n60005 BeforeSources.low m1 #1\n"
        + "60010 Exit.low m1 #1"
    ).text().replacing("capture=callouts", with: "capture=activities")
    let rules = [
      "skipped() == 0", "p99(lateness) < 1s", "max(callout) < 1s", "p99(wake_to_callout) < 1s",
      "wakes_for_nothing() == 0", "signals() == 0", "max(main_queue_wait) < 1s", "findings() == 0",
      "findings(rule=RL014) == 0",
    ]
    for result in try gate(rules, assembleTrace(text)).results {
      #expect(
        result.outcome == .undecided && result.why.contains("the capture level is activities"), "\(result)")
    }
    let decided = [
      "max(gap) < 1s", "p99(pass) < 1s", "max(input_delay) < 1s", "findings(rule=RL002) == 0", "polls() == 1",
    ]
    #expect(try gate(decided, assembleTrace(text)).results.map(\.outcome) == decided.map { _ in .pass })
  }

  /// An uncertain gap, during which the recorder itself was late, matters only if it could change the outcome.
  @Test func uncertainGaps() throws {
    let signs = (3...14).map { "\($0 * 50000) source.signal m1 #7\n" }.joined()
    let main =
      HandTrace.asleep + "100000 AfterWaiting.low m1 #1\n" + signs
      + "750000 BeforeTimers.low m1 #1\n750005 BeforeSources.low m1 #1\n750010 Exit.low m1 #1\n"
    let trace = HandTrace(main: main, recorder: "702000 heartbeat late_ns=490000000")
    try undecided("max(gap) < 250ms", trace, "uncertain")
    try undecided("count(gap, at_least=250ms) == 0", trace, "uncertain")
    let bytes = try assembleTrace(trace.text())
    #expect(try gate(["max(gap) < 2s"], bytes).outcome == .pass)
    #expect(try gate(["max(gap) < 1us"], bytes).outcome != .pass)
  }

  private static let held = HandTrace.held(at: 100, for: 3_000_000)

  @Test func uncertainHangs() throws {
    let trace = HandTrace(
      main: Self.held, worker: "1000000 mark name=9\n1200000 mark name=9\n1300000 mark name=9",
      recorder: "1300100 heartbeat late_ns=300000000 cpu_ns=100")
    for rule in ["max(busy) < 250ms"]
      + ["severity=error", "rule=RL002", ""].map({ "findings(\($0)) == 0" })
    {
      try undecided(rule, trace, "uncertain")
    }
    #expect(try gate(["findings(rule=RL004) == 0"], assembleTrace(trace.text())).outcome == .pass)
  }

  /// The final length of an unfinished callout is unknown. No limit is certain to hold, but some are already broken.
  @Test func aRecordingThatBreaksOff() throws {
    var trace = HandTrace(main: Self.held.split(separator: "\n").prefix(4).joined(separator: "\n"))
    trace.facts = [InfoEntry.endUnknown]
    for rule in [
      "findings(severity=error) == 0", "max(busy) < 250ms", "max(gap) < 100s",
      "count(busy, at_least=hang) == 0",
    ] {
      try undecided(rule, trace, "breaks off")
    }
    trace.main += "\n400000 mark name=9"
    #expect(try gate(["max(busy) < 250ms"], assembleTrace(trace.text())).outcome == .broken)
  }

  @Test func namesThatShareARow() throws {
    let tick = HandTrace.tick(due: 900_000)
    let shared = tick + tick.replacing("#2", with: "#3").replacing("name=2", with: "name=4")
    let trace = HandTrace(main: shared + Self.calm.dropFirst(HandTrace.tick(due: 50_000).count))
    try undecided("skipped(timer=tick) == 0", trace, "may share a row")
    try undecided("skipped(timer=parse) == 0", trace, "may share a row")
    #expect(try gate(["skipped() == 0"], assembleTrace(trace.text())).results[0].outcome != .undecided)
  }

  @Test func findingsThatTheRecordingCannotHave() throws {
    let trace = HandTrace(main: Self.calm)
    try undecided("findings(rule=RL030) == 0", trace, "needs --profile")
    try undecided("findings(rule=RL015) == 0", trace, "no high stamps")
  }

  /// The finding that summarizes the rest counts once for each finding that it summarizes.
  @Test func manyFindingsOfOneRule() throws {
    let tasks = (0..<20).map {
      "\(1000 + $0) backgroundTask.begin #\(60 + $0) name=2 budget_ns=1000\n\(1000 + $0) backgroundTask.expired #\(60 + $0)\n"
    }.joined()
    let trace = HandTrace(main: HandTrace.asleep + tasks)
    #expect(try gate(["findings(rule=RL018) == 20"], assembleTrace(trace.text())).outcome == .pass)
  }

  /// Gaps below a rule's threshold only have a range. The rule is decided if the whole range is on one side of the
  /// limit.
  @Test func shortGaps() throws {
    let bytes = try assembleTrace(
      HandTrace(main: HandTrace.asleep + "60000 AfterWaiting.low m1 #1\n60010 Exit.low m1 #1\n").text())
    #expect(try gate(["max(gap) < 250ms"], bytes).outcome == .pass)
    #expect(try gate(["max(gap) < 15us"], bytes).outcome == .pass)
    #expect(try gate(["max(gap) < 9us"], bytes).outcome == .broken)
    #expect(try gate(["max(gap) == 10us"], bytes).outcome == .pass)
  }
}
