import TraceAnalysis

/// One rule: a measure, a comparison and a limit.
package struct GateRule: Sendable {
  /// The rule as written.
  package var text: String
  /// The name in a budget.
  package var name: String?
  package var measure: Measure
  package var comparison: Comparison
  package var limit: Limit

  package var needsBaseline: Bool { if case .baseline = limit { true } else { false } }

  /// The number that a rule is about.
  package struct Measure: Sendable {
    package var metric: Metric
    /// Nil for a single number.
    package var aggregate: Aggregate?
    /// Names as they appear in results; see `ShownName`.
    package var selectors: [Selector: String]
    /// The value of `at_least`.
    package var atLeastNs: UInt64?

    package var dimension: Dimension { aggregate == .count ? .count : metric.dimension }
    package subscript(_ selector: Selector) -> String? { selectors[selector] }
  }

  package enum Comparison: String, Sendable, CaseIterable {
    case lessOrEqual = "<="
    case greaterOrEqual = ">="
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case greater = ">"
  }

  package enum Limit: Sendable {
    case literal(Double)
    /// factor × the value in BASE + plus.
    case baseline(factor: Double, plus: Double)
  }
}

extension GateRule {
  /// The shortest gap or busy interval that must be listed for the rule, in nanoseconds; nil = the rule is about
  /// neither.
  package var spansFromNs: UInt64? {
    guard measure.metric.isOfSpans else { return nil }
    var from = Self.finestSpanNs
    if let least = measure.atLeastNs { from = Swift.min(from, least) }
    if measure.aggregate == .max, case .literal(let limit) = limit, limit > 0 {
      from = Swift.min(from, UInt64(limit))
    }
    return Swift.max(from, 1)
  }

  /// The shortest span that is listed, unless a rule asks for shorter ones.
  static let finestSpanNs: UInt64 = 100_000
}
