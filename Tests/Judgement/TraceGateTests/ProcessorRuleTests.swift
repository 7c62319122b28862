import TestSupport
import Testing
import TraceAnalysis
import TraceFormat
import TraceGate

/// Rules about the time on a processor, which a busy machine does not lengthen.
@Suite struct ProcessorRuleTests {
  private func gate(_ rule: String, _ bytes: [UInt8]) throws -> Gate.RuleResult {
    let rules = [try RuleParser.parse(rule)]
    let trace = try GatedTrace(openTrace(bytes), rules, AnalysisOptions())
    return try #require(Gate(rules, trace: trace, baseline: .notGiven).results.first)
  }

  /// The gap takes 400 ms. The thread had a processor for 85 to 97 ms of it.
  @Test(arguments: [
    ("max(processor) < 100ms", Gate.Outcome.pass), ("max(processor) < 90ms", .undecided),
    ("max(processor) < 80ms", .broken), ("max(processor, thread=main) <= 97ms", .pass),
    ("count(processor, at_least=98ms) == 0", .pass), ("count(processor, at_least=80ms) == 1", .pass),
    ("count(processor, at_least=90ms) == 0", .undecided), ("max(gap) < 250ms", .broken),
  ])
  func aSampledGap(rule: String, outcome: Gate.Outcome) throws {
    let result = try gate(rule, AccountTrace.bytes())
    #expect(result.outcome == outcome, "\(String(describing: result.measured)) \(result.why)")
    if outcome == .undecided { #expect(result.why.contains("not known for the whole gap"), "\(result.why)") }
  }

  /// A gap without samples may have spent all its time on a processor.
  @Test(arguments: [("max(processor) < 401ms", Gate.Outcome.pass), ("max(processor) < 250ms", .undecided)])
  func aGapWithoutSamples(rule: String, outcome: Gate.Outcome) throws {
    #expect(try gate(rule, AccountTrace.bytes("")).outcome == outcome)
  }
}
