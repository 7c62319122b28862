import TraceAnalysis
import TraceGate
import TraceTables

/// Writes the results of a gate as JSON. docs/reference/commands/gate.md defines each key.
public enum GateJSON {
  /// `isBuiltInBudget`: no rule was given, so the built-in ones apply.
  public static func encode(
    _ gate: Gate, file: String, baseline: String?, isBuiltInBudget: Bool = false
  ) throws -> String {
    try document.encode([(gate, file, baseline, isBuiltInBudget)])
  }

  /// Returns the JSON Schema of the document.
  public static func jsonSchema() throws -> String { try document.jsonSchema() }

  private typealias Document = (gate: Gate, file: String, baseline: String?, isBuiltInBudget: Bool)

  private static let document = JSONDocument<Document>("rltrace.gate/1", "rules, held against a trace") {
    Column("file", "as it was named") { $0.file }
    Column("baseline", "as it was named; null without") { $0.baseline }
    Column("outcome", "pass, broken or undecided") { $0.gate.outcome.rawValue }
    Column("baseline_problem", "why it cannot be used") { $0.gate.baselineProblem }
    Column("built_in_budget", "no rule was given") { $0.isBuiltInBudget }
    Column.row(FindingTables.verdict) { $0.gate.trace.findings.verdict }
    Column.rows(rules) { $0.gate.results }
    Column.rows(findings) { $0.gate.trace.findings.findings }
    Column.row(EndTables.end) { $0.gate.trace.findings.end }
    Column.rows(UnservedTables.unserved) { $0.gate.trace.findings.unserved }
  }

  private static let findings = ResultTable<Finding>("findings", "those of the trace") {
    [FindingTables.rule, FindingTables.severity, FindingTables.subject, FindingTables.text]
  }

  private static let rules = ResultTable<Gate.RuleResult>("rules", "one row per rule, as they were given") {
    Column("rule", "as it was written") { $0.rule.text }
    Column("name", "what the budget calls it") { $0.rule.name }
    Column("outcome", "pass, broken or undecided") { $0.outcome.rawValue }
    Column("unit", "ns, count or ratio") { $0.rule.measure.dimension.unit }
    Column.row(reading, as: "measured", ifAny: { $0.measured })
    Column.row(reading, as: "limit", ifAny: { $0.limit })
    Column.row(reading, as: "baseline", ifAny: { $0.baseline })
    Column("why", "it is undecided") { $0.why.isEmpty ? nil : $0.why }
  }

  private static let reading = ResultTable<Reading>("reading", "a number, or the span in which it lies") {
    Column("low", "the same as high where the recording tells exactly") { $0.low }
    Column("high", "null = nobody knows a limit") { $0.high.isFinite ? $0.high : nil }
  }
}

extension Dimension {
  fileprivate var unit: String {
    switch self {
    case .time: "ns"
    case .count: "count"
    case .ratio: "ratio"
    }
  }
}
