/// The rules for a trace when none are given: no long waits, no work that never ran, and no known error.
public enum DefaultBudget {
  /// The only place that has them; docs/commands/gate.md shows what `--print-budget` prints.
  private static let texts = [
    (name: "no finding of severity error", rule: "findings(severity=error) == 0"),
    // Busy intervals hold gaps, and loops that go on without ever waiting as well.
    (name: "no hang", rule: "max(busy) < 250ms"),
    (name: "no work that never ran", rule: "unserved() == 0"),
  ]

  public static let rules = texts.compactMap { try? RuleParser.parse($0.rule, name: $0.name) }
}
