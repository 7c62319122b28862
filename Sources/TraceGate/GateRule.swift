import TraceAnalysis

/// One rule: a measure, a comparison and a limit.
public struct GateRule: Sendable {
  /// The rule as written.
  public var text: String
  /// The name in a budget.
  public var name: String?
  public var measure: Measure
  public var comparison: Comparison
  public var limit: Limit

  public var needsBaseline: Bool { if case .baseline = limit { true } else { false } }

  /// The number that a rule is about.
  public struct Measure: Sendable {
    public var metric: Metric
    /// Nil for a single number.
    public var aggregate: Aggregate?
    /// Names as they appear in results; see `ShownName`.
    public var selectors: [Selector: String]
    /// The value of `at_least`.
    public var atLeastNs: UInt64?

    public var dimension: Dimension { aggregate == .count ? .count : metric.dimension }
    public subscript(_ selector: Selector) -> String? { selectors[selector] }
  }

  public enum Comparison: String, Sendable, CaseIterable {
    case lessOrEqual = "<="
    case greaterOrEqual = ">="
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case greater = ">"
  }

  public enum Limit: Sendable {
    case literal(Double)
    /// factor × the value in BASE + plus.
    case baseline(factor: Double, plus: Double)
  }
}

extension GateRule {
  /// The shortest gap or busy interval that must be listed for the rule, in nanoseconds; nil = the rule is about
  /// neither.
  public var spansFromNs: UInt64? {
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
