import TestSupport
import Testing
import TraceGate

@Suite struct RuleParserTests {
  @Test func parts() throws {
    let rule = try RuleParser.parse(#" p99( lateness , timer = "my timer, \"big\"" )<=1.5*baseline + 2ms "#)
    #expect(rule.measure.metric.name == "lateness" && rule.measure.aggregate == .p99)
    #expect(rule.measure[.timer] == #"my timer, "big""#)
    #expect(rule.comparison == .lessOrEqual && rule.needsBaseline)
    guard case .baseline(let factor, let plus) = rule.limit else { Issue.record("\(rule.limit)"); return }
    #expect(factor == 1.5 && plus == 2_000_000)
  }

  @Test(arguments: [
    ("max(gap) < 250ms", 250_000_000.0), ("max(gap) < 1.5s", 1.5e9), ("max(gap)<2min", 1.2e11),
    ("max(gap) < 0", 0), ("max(gap) < 2.00 ms", 2e6),
    ("max(gap) < 1h", 3.6e12),
    ("max(gap) != 90ns", 90), ("max(gap) > 10us", 10_000), ("max(gap) >= 10µs", 10_000),
    ("utilisation() < 0.8", 0.8), ("utilisation(thread=main) < 80%", 0.8), ("skipped() == 3", 3),
    ("skipped == 3", 3), ("utilisation < 80%", 0.8), ("hitch_ratio < 5ms/s", 5),
    ("hitch_ratio(frames=tick) <= 2.5 ms/s", 2.5), ("hitch_ratio == 0", 0),
    ("count(gap, at_least=250ms) == 0", 0), ("findings(rule=RL001, severity=error) == 0", 0),
  ])
  func literals(text: String, value: Double) throws {
    let rule = try RuleParser.parse(text)
    guard case .literal(let literal) = rule.limit else { Issue.record("\(rule.limit)"); return }
    #expect(abs(literal - value) < 1e-9)
  }

  @Test func classes() throws {
    #expect(try RuleParser.parse("count(busy, at_least=hang) == 0").measure.atLeastNs == 500_000_000)
    #expect(try RuleParser.parse("count(gap, at_least=1ms) == 0").measure.atLeastNs == 1_000_000)
    #expect(try RuleParser.parse("max(gap) < baseline").needsBaseline)
  }

  @Test(arguments: [
    ("", 1, "begins with a measure"), ("foo(gap) < 1ms", 1, "no measure 'foo'"),
    ("gap < 1ms", 1, "needs an aggregate: max(gap)"), ("max gap < 1ms", 5, "expected '('"),
    ("max(skipped) < 1", 5, "max needs a series: gap, busy"),
    ("max(late) < 1ms", 5, "did you mean 'lateness'?"), ("skip == 0", 1, "did you mean 'skipped'?"),
    ("missed == 0", 1, "for example max(busy) < 250ms or skipped(timer=NAME) == 0"),
    ("max busy < 1ms", 5, "expected '(', as in max(busy)"),
    ("skipped timer=x == 0", 9, "as in skipped(timer=NAME) == 0"),
    ("p99(gap) < 1ms", 5, "gap has no p99; it has: max"),
    ("max(gap, timer=x) < 1ms", 10, "expected one of mode, thread, at_least"),
    ("hitch_ratio(state=x) < 5ms/s", 1, "state and value belong together"),
    ("max(hitch, value=x) < 5ms", 1, "state and value belong together"),
    ("max(block_wait, mode=x) < 1ms", 17, "has no selectors"), ("max(gap, mode x) < 1ms", 15, "expected '='"),
    ("max(gap, mode=) < 1ms", 15, "expected a value"),
    ("max(gap, mode=a b) < 1ms", 17, "expected ',' or ')'"),
    ("max(gap, mode=a, mode=b) < 1ms", 18, "twice"), ("max(gap, mode=\"a) < 1ms", 15, "has no closing quote"),
    ("max(gap) 250ms", 10, "expected a comparison"),
    ("max(gap) < 250 parsecs", 12, "units: ns, us, ms, s, min, h"),
    ("max(gap) < 250", 12, "'250' has no unit; write 250ms or 250s"),
    ("max(gap) < 5%", 12, "expected a time with its unit"),
    ("skipped() == 1.5", 14, "whole number"), ("skipped() == 1ms", 14, "whole number"),
    ("hitch_ratio < 5", 15, "milliseconds per second"), ("hitch_ratio < 5ms", 15, "such as 5ms/s"),
    ("max(hitch) < 5ms/s", 17, "nothing may follow"), ("hitch < 5ms", 1, "needs an aggregate: max(hitch)"),
    ("utilisation() < 3ms", 17, "a share"), ("max(gap) < baselin", 12, "expected a number, baseline"),
    ("max(gap) < 1.1 *", 17, "expected a number, baseline"),
    ("max(gap) < 1ms or so", 16, "nothing may follow"), ("max(gap) < 250 ms or so", 19, "nothing may follow"),
    ("max(gap", 8, "expected ',' or ')'"), ("count(gap) == 0", 1, "needs at_least"),
    ("max(gap, at_least=1ms) < 1s", 1, "only count takes at_least"),
    ("count(gap, at_least=hang) == 0", 21, "a time with its unit, such as 250ms"),
    ("count(busy, at_least=hung) == 0", 22, "microhang"), ("skipped(cause=rain) == 0", 15, "no cause 'rain'"),
    ("findings(rule=RL999) == 0", 15, "no rule 'RL999'"),
    ("findings(severity=fatal) == 0", 19, "error, warning, info"),
    ("max(gap) < 1..5ms", 12, "expected a number"), ("max(gap) < -5ms", 12, "expected a number"),
    ("max(gap) < 1e400s", 12, "expected a time with its unit"),
    ("max(gap) < 99999999999999999999s", 12, "expected a number"),
  ])
  func mistakes(text: String, column: Int, what: String) {
    let error = #expect(throws: RuleError.self) { try RuleParser.parse(text) }
    #expect(error?.column == column, "\(text): \(String(describing: error))")
    #expect(error?.what.contains(what) == true, "\(text): \(String(describing: error))")
  }

  @Test func anyTextIsReadOrRefused() {
    var random = SeededGenerator(seed: 3)
    let pieces = [
      "max", "count", "(", ")", "gap", "busy", "pass", ",", "mode", "=", "\"", "\\", " ", "<", "<=", "==",
      "baseline",
      "1.1", "*", "+", "5ms", "%", "at_least", "\u{202E}", "é", "\n", "findings", "severity", "1e9", "µs",
    ]
    for _ in 0..<5000 {
      let text = (0..<(random.next() % 14)).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }
        .joined()
      if case .failure(let error) = Result(catching: { try RuleParser.parse(text) }) {
        #expect(
          (error as? RuleError).map { $0.column >= 1 && $0.column <= text.count + 1 } == true, "\(text)")
      }
    }
    #expect(throws: RuleError.self) { try RuleParser.parse(String(repeating: "(", count: 200_000)) }
  }

  /// A bare number may be meant in any unit.
  @Test(arguments: [
    "max(busy) < 250", "p99(lateness) <= 1.1 * baseline + 5", "count(busy, at_least=250) == 0",
    "mean(pass) < 0.5",
  ])
  func timesNeedUnits(rule: String) {
    #expect { try RuleParser.parse(rule) } throws: { "\($0)".contains("units: ns, us, ms, s, min, h") }
  }

  @Test func zeroAndCountsNeedNoUnit() throws {
    for rule in ["max(busy) == 0", "skipped() < 250", "utilisation() < 0.8", "utilisation() < 80%"] {
      #expect(throws: Never.self, "\(rule)") { try RuleParser.parse(rule) }
    }
    #expect { try RuleParser.parse("utilisation() < 80") } throws: { "\($0)".contains("80%") }
  }
}
