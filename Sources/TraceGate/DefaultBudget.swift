/// The rules for a trace if none are given: no long waits, no work that never ran, and no known error.
public enum DefaultBudget {
  /// Defined only here. docs/reference/commands/gate.md shows the output of `--print-budget`.
  private static let texts = [
    (name: "no finding of severity error", rule: "findings(severity=error) == 0"),
    // Busy intervals include gaps, and loops that continue without ever waiting.
    (name: "no hang", rule: "max(busy) < 250ms"),
    (name: "no work that never ran", rule: "unserved() == 0"),
  ]

  public static let rules = texts.compactMap { try? RuleParser.parse($0.rule, name: $0.name) }
}
