/// The rules for a trace if none are given: no known error, no long wait, no work that never ran, and a normal end.
/// Like all rules, they do not hold for a trace in which they cannot be decided.
package enum DefaultBudget {
  /// Defined only here. docs/reference/commands/gate.md shows the output of `--print-budget`.
  package static let texts = [
    (name: "no finding of severity error", rule: "findings(severity=error) == 0"),
    // Busy intervals include gaps, and loops that continue without ever waiting.
    (name: "no hang", rule: "max(busy) < 250ms"),
    (name: "no work that never ran", rule: "unserved() == 0"),
    (name: "no abnormal end", rule: "findings(rule=RL033) == 0"),
  ]

  package static let rules = texts.compactMap { try? RuleParser.parse($0.rule, name: $0.name) }
}
