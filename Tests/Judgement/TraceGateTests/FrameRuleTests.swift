import TestSupport
import Testing
import TraceAnalysis
import TraceGate

/// Rules about frame sources and their hitches.
@Suite struct FrameRuleTests {
  /// The second of the frames takes 15 ms, so that it is presented 10 ms too late: 10 ms in 50 ms.
  private static func trace(isDeclared: Bool = true) -> HandTrace {
    HandTrace(main: HandTrace.frames(5, took: [2: 15_000], isDeclared: isDeclared))
  }

  private func gate(_ rules: [String], _ trace: HandTrace = FrameRuleTests.trace()) throws -> Gate {
    let rules = try rules.map { try RuleParser.parse($0) }
    let trace = try GatedTrace(openTrace(assembleTrace(trace.text())), rules, AnalysisOptions())
    return Gate(rules, trace: trace, baseline: .notGiven)
  }

  @Test(
    arguments: [
      ("hitch_ratio(frames=tick) == 200ms/s", Gate.Outcome.pass), ("hitch_ratio < 5ms/s", .broken),
      ("max(hitch) == 10ms", .pass), ("sum(hitch, frames=tick) < 10ms", .broken),
      ("mean(hitch) == 10ms", .pass), ("count(hitch, frames=tick) == 1", .pass),
      ("count(hitch) < 1", .broken),
      ("findings(rule=RL041) == 1", .pass),
    ] as [(String, Gate.Outcome)])
  func values(rule: String, outcome: Gate.Outcome) throws {
    let result = try #require(try gate([rule]).results.first)
    #expect(result.outcome == outcome, "\(rule): \(String(describing: result.measured)) \(result.why)")
  }

  @Test func theUnitIsShown() throws {
    let measured = try #require(try gate(["hitch_ratio < 5ms/s"]).results.first?.measured)
    #expect(measured.text(.rate) == "200 ms/s")
  }

  /// A rule without a selector is about the declared source, even if another rule names a further one.
  @Test func aRuleDoesNotChangeAnother() throws {
    let other =
      "0 timer.create #5 name=6 interval_ns=20000000 tolerance_ns=0 due=20000 site=5\n"
      + "0 timer.add #5 mode=2 loop=1\n"
    let gate = try gate(
      ["hitch_ratio == 200ms/s", "count(hitch, frames=draw) == 0"], HandTrace(main: other + Self.trace().main)
    )
    #expect(gate.results[0].outcome == .pass, "\(gate.results[0].why)")
  }

  /// A rule names its source. Findings do not change by that.
  @Test func aTimerThatIsNotDeclared() throws {
    let trace = Self.trace(isDeclared: false)
    let rules = ["hitch_ratio(frames=tick) == 200ms/s", "findings(rule=RL041) == 0"]
    #expect(try gate(rules, trace).outcome == .pass)
  }

  @Test(arguments: [
    ("hitch_ratio == 0", false, "the trace has no frame source; frames=NAME selects a timer"),
    ("max(hitch, frames=tock) == 0", true, "no timer \"tock\"; did you mean 'tick'?"),
  ])
  func undecided(rule: String, isDeclared: Bool, why: String) throws {
    let result = try #require(try gate([rule], Self.trace(isDeclared: isDeclared)).results.first)
    #expect(result.outcome == .undecided && result.why.contains(why), "\(result.why)")
  }

  @Test func aTimerThatFiresOnce() throws {
    let main = HandTrace.tick(due: 20, interval: 0) + HandTrace.asleep
    let trace = HandTrace(main: main + "50 AfterWaiting.low m1 #1\n60 Exit.low m1 #1\n")
    let result = try #require(try gate(["count(hitch, frames=tick) == 0"], trace).results.first)
    #expect(result.outcome == .undecided && result.why.contains("makes no frames"), "\(result.why)")
  }

  /// The part of a recording that belongs to one test keeps the declaration.
  @Test func oneTest() throws {
    let main = "0 interval.begin #10 name=4\n" + Self.trace().main + "60000 interval.end #10\n"
    let text = HandTrace(main: main).text().replacing("\"parse\"", with: "\"test scroll()\"")
    let rules = try ["hitch_ratio(frames=tick) == 200ms/s", "count(hitch) == 0"].map {
      try RuleParser.parse($0)
    }
    let tests = try TestGate.all(in: openTrace(assembleTrace(text)), rules, AnalysisOptions(), problem: nil)
    #expect(tests.map(\.test) == ["scroll()"] && tests[0].outcome == .broken)
    #expect(tests[0].gate.results.map(\.outcome) == [.pass, .broken])
  }

  // MARK: States

  /// The state `read` has no value until 25 ms, then `draw` until 45 ms, then `parse`. The hitch begins at 30 ms.
  private static let states = "25000 state name=7 value=6\n45000 state name=7 value=4\n"

  /// 15, 20 and 15 of 50 ms; the hitch of 10 ms is in the second part.
  @Test(
    arguments: [
      ("hitch_ratio(state=read, value=draw) == 500ms/s", Gate.Outcome.pass),
      ("hitch_ratio(frames=tick, state=read, value=draw) < 5ms/s", .broken),
      ("hitch_ratio(state=read, value=parse) == 0", .pass),
      ("hitch_ratio(state=read, value=\"(none)\") == 0", .pass),
      ("max(hitch, state=read, value=draw) == 10ms", .pass),
      ("count(hitch, state=read, value=draw) == 1", .pass),
      ("count(hitch, state=read, value=parse) == 1", .broken),
    ] as [(String, Gate.Outcome)])
  func inAState(rule: String, outcome: Gate.Outcome) throws {
    let trace = HandTrace(main: Self.trace().main, worker: Self.states)
    let result = try #require(try gate([rule], trace).results.first)
    #expect(result.outcome == outcome, "\(rule): \(String(describing: result.measured)) \(result.why)")
  }

  @Test(arguments: [
    ("hitch_ratio(state=road, value=draw) == 0", "no state \"road\"; did you mean 'read'?"),
    ("hitch_ratio(state=read, value=drew) == 0", "was never \"drew\"; did you mean 'draw'?"),
    ("count(hitch, state=read, value=save) == 0", "no frame came due while state \"read\" was \"save\""),
  ])
  func undecidedInAState(rule: String, why: String) throws {
    // The state is `save` before the first due point.
    let early = "1 state name=7 value=8\n5000 state name=7 value=0\n"
    let trace = HandTrace(main: Self.trace().main, worker: early + Self.states)
    let result = try #require(try gate([rule], trace).results.first)
    #expect(result.outcome == .undecided && result.why.contains(why), "\(result.why)")
  }

  /// The results are split by one state only.
  @Test func twoStates() throws {
    let rules = ["hitch_ratio(state=read, value=parse) == 0", "hitch_ratio(state=save, value=x) == 0"]
    let trace = HandTrace(main: Self.trace().main, worker: "50 state name=8 value=9\n" + Self.states)
    let results = try gate(rules, trace).results
    #expect(results.map(\.outcome) == [.pass, .undecided])
    #expect(results[1].why.contains("another rule is about another state"), "\(results[1].why)")
  }

  /// Another thread set the state before the test began.
  @Test func theStateOfATest() throws {
    let main =
      Self.trace().main + "61000 interval.begin #10 name=4\n70000 Entry.low m1 #1\n"
      + "70000 timer.due m1 #2 due=70000\n70000 timer.begin m1 #2\n71000 timer.end m1 #2\n"
      + "80000 Exit.low m1 #1\n80000 interval.end #10\n"
    let worker = "25000 state name=7 value=6\n45000 state name=7 value=4\n50000 state name=8 value=6\n"
    let text = HandTrace(main: main, worker: worker).text()
      .replacing("\"parse\"", with: "\"test scroll()\"")
    let rules = try [#"count(hitch, state=read, value="test scroll()") == 0"#].map {
      try RuleParser.parse($0)
    }
    let tests = try TestGate.all(in: openTrace(assembleTrace(text)), rules, AnalysisOptions(), problem: nil)
    #expect(tests.map(\.test) == ["scroll()"])
    #expect(
      tests.first?.gate.results.map(\.outcome) == [.pass], "\(tests.first?.gate.results.first?.why ?? "")")
  }

  /// The message of a test's budget names the culprit.
  @Test(arguments: ["hitch_ratio(frames=tick) < 5ms/s", "max(hitch) < 1ms"])
  func theCulprit(rule: String) throws {
    let gate = try gate([rule])
    let evidence = RuleEvidence(gate.trace, try #require(gate.results.first).rule).text
    #expect(
      evidence == "timer \"tick\" is behind 1 hitch, 10.0 ms in all; the longest took 10.0 ms at 30.0 ms")
  }
}
