import TraceAnalysis

// The parts of a column, each for one of its readers. Documents and exported tables read the column itself.

/// A column in tables for people.
struct ColumnForPeople: Sendable {
  /// Nil = these tables do not show the column.
  var heading: Heading?
  var unit: Unit
  /// For a moment: the length of the span that begins there.
  var length: (@Sendable (AnyRow) -> UInt64)?
  /// The value that people see instead of the real one; nil = the real value.
  var replacement: (@Sendable (AnyRow) -> Shown?)?
}

/// A column in comparisons of two traces.
struct ColumnForComparison: Sendable {
  /// The name in comparisons and rules.
  var measure: Measure
  /// Nil = comparisons do not use the column.
  var rule: ComparisonRule?
  /// For a distribution column: how to read the distribution.
  var distribution: (@Sendable (AnyRow) -> Distribution?)?
  /// For a share: its part and whole, so that several rows can be combined.
  var fraction: (@Sendable (AnyRow) -> (part: UInt64, whole: UInt64))?
}

/// A column in rules.
struct ColumnForGate: Sendable {
  /// The name in rules; nil = rules may not use the column.
  var metric: String?
  /// The parts of the group by which the metric can be split.
  var splits: [AnyColumn] = []
}
