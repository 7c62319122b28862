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

  /// The message of a test's budget names the culprit.
  @Test(arguments: ["hitch_ratio(frames=tick) < 5ms/s", "max(hitch) < 1ms"])
  func theCulprit(rule: String) throws {
    let gate = try gate([rule])
    let evidence = RuleEvidence(gate.trace, try #require(gate.results.first).rule).text
    #expect(
      evidence == "timer \"tick\" is behind 1 hitch, 10.0 ms in all; the longest took 10.0 ms at 30.0 ms")
  }
}
