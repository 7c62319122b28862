import Testing

@testable import TraceGate

/// Rules about a recording under way.
@Suite struct LiveRuleTests {
  @Test(arguments: [
    "max(busy) < 250ms", "p99(lateness, timer=refresh) < 20ms", "skipped == 0",
    "utilisation(thread=main) < 80%",
    "unserved() == 0", "count(gap, at_least=250ms) == 0",
  ])
  func accepted(text: String) throws { #expect(try RuleParser.parse(text).liveProblem == nil) }

  @Test func refused() throws {
    let baseline = try RuleParser.parse("max(pass) < 1.1 * baseline")
    #expect(baseline.liveProblem?.contains("no baseline") == true)
    let findings = try #require(try RuleParser.parse("findings(severity=error) == 0").liveProblem)
    for metric in Metric.allCases where metric.name != "findings" {
      #expect(findings.contains(metric.name), "\(findings) lacks \(metric.name)")
    }
    #expect(!findings.contains("\n") && findings.hasPrefix("findings are about a whole recording"))
  }

  private func result(_ outcome: Gate.Outcome, _ ms: Double) throws -> Gate.RuleResult {
    Gate.RuleResult(
      rule: try RuleParser.parse("max(busy) < 200ms"), outcome: outcome,
      measured: outcome == .undecided ? nil : Reading(ms * 1e6), limit: nil, baseline: nil, why: "")
  }

  /// Each violation is reported once, at the next judgement.
  @Test func oneReportForEachViolation() throws {
    var episode = RuleEpisode()
    let judgements: [(Gate.Outcome, Double)] = [
      (.pass, 3), (.broken, 210), (.broken, 400), (.broken, 400), (.undecided, 0), (.broken, 400), (.pass, 3),
      (.undecided, 0), (.broken, 220), (.pass, 3), (.pass, 3), (.broken, 230), (.undecided, 0), (.pass, 3),
    ]
    let reports = try judgements.map { episode.take(try result($0.0, $0.1)) }
    let expected: [Int: String] = [2: "400 ms", 9: "220 ms", 12: "230 ms"]
    for (place, report) in reports.enumerated() {
      let words = expected[place].map { "max(busy) < 200ms did not hold: \($0)" }
      #expect(report == words, "\(place)")
    }
  }

  @Test func aRuleOnATerminal() throws {
    var episode = RuleEpisode()
    var broken = try result(.broken, 300)
    broken.rule.text = "max(busy)\n< 200ms\u{1B}[2J"
    _ = episode.take(broken)
    let reported = episode.take(broken)
    let words = try #require(reported)
    #expect(!words.unicodeScalars.contains { $0.value < 0x20 })
  }
}
