import TraceAnalysis

/// The results of checking rules against a trace: which hold, which are broken, and which cannot be decided.
package struct Gate: Sendable {
  package var results: [RuleResult]
  package let trace: GatedTrace
  /// Why the given baseline cannot be used, whether a rule needs it or not; nil if it can be used, or none was given.
  package let baselineProblem: String?

  package enum Outcome: String, Sendable { case pass, broken, undecided }

  package struct RuleResult: Sendable {
    package var rule: GateRule
    package var outcome: Outcome
    /// Nil if it could not be measured.
    package var measured: Reading?
    /// The limit that it was compared with; nil if not known.
    package var limit: Reading?
    /// The value in the baseline; nil if the rule needs none.
    package var baseline: Reading?
    /// Why the rule is undecided; otherwise empty.
    package var why: String
  }

  /// The baseline that rules with `baseline` compare with.
  package enum Baseline: Sendable {
    case notGiven
    case trace(GatedTrace)
    /// The reason why the given baseline cannot be read.
    case unusable(String)
  }

  package init(_ rules: [GateRule], trace: GatedTrace, baseline: Baseline) {
    self.trace = trace
    results = rules.map { Gate.result($0, trace, baseline) }
    baselineProblem = Gate.problem(baseline)
  }

  /// The outcome of all rules. An unusable baseline leaves the outcome undecided, because the user asked for a
  /// comparison with it. Otherwise a broken rule outweighs an undecided one.
  package var outcome: Outcome {
    baselineProblem != nil
      ? .undecided
      : results.contains { $0.outcome == .broken }
        ? .broken : results.contains { $0.outcome == .undecided } ? .undecided : .pass
  }

  private static func problem(_ baseline: Baseline) -> String? {
    switch baseline {
    case .notGiven: nil
    case .unusable(let why): why
    case .trace(let trace): trace.doubt
    }
  }

  package func count(_ outcome: Outcome) -> Int { results.count { $0.outcome == outcome } }

  private static func result(_ rule: GateRule, _ trace: GatedTrace, _ baseline: Baseline) -> RuleResult {
    var result = RuleResult(rule: rule, outcome: .undecided, why: "")
    do throws(Undecidable) {
      let measured = try Measurement(trace: trace, measure: rule.measure).reading()
      result.measured = measured
      let limit: Reading
      switch rule.limit {
      case .literal(let value): limit = Reading(value)
      case .baseline(let factor, let plus):
        let base = try reading(baseline, rule.measure)
        result.baseline = base
        limit = base.scaled(factor, plus: plus)
      }
      result.limit = limit
      guard let holds = rule.comparison.holds(measured, limit) else {
        throw Undecidable(measured.doubt.isEmpty ? "baseline: \(limit.doubt)" : measured.doubt)
      }
      result.outcome = holds ? .pass : .broken
    } catch {
      result.why = error.why
    }
    return result
  }

  private static func reading(_ baseline: Baseline, _ measure: GateRule.Measure) throws(Undecidable)
    -> Reading
  {
    switch baseline {
    case .notGiven: throw Undecidable("the rule needs a baseline, and --baseline was not given")
    case .unusable(let why): throw Undecidable("baseline: \(why)")
    case .trace(let trace):
      do throws(Undecidable) {
        return try Measurement(trace: trace, measure: measure).reading()
      } catch {
        throw Undecidable("baseline: \(error.why)")
      }
    }
  }
}
