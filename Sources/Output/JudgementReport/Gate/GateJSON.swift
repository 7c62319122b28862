import ReportWriting
import TraceAnalysis
import TraceGate
import TraceTables

/// Writes the results of a gate as JSON. docs/reference/commands/gate.md defines each key.
package enum GateJSON {
  /// `isBuiltInBudget`: no rule was given, so the built-in ones apply.
  package typealias Document = (gate: Gate, file: String, baseline: String?, isBuiltInBudget: Bool)

  package static let document = JSONDocument<Document>(
    "rltrace.gate/1", "result of checking rules against a trace"
  ) {
    Column("file", "file name as given") { $0.file }
    Column("baseline", "file name of the baseline as given; null = no baseline") { $0.baseline }
    Column("outcome", "pass, broken or undecided") { $0.gate.outcome.rawValue }
    Column("baseline_problem", "reason why the baseline cannot be used; null = there is none") {
      $0.gate.baselineProblem
    }
    Column("built_in_budget", "whether no rule was given, so that the built-in budget applies") {
      $0.isBuiltInBudget
    }
    Column.row(FindingTables.verdict) { $0.gate.trace.findings.verdict }
    Column.rows(rules) { $0.gate.results }
    Column.rows(findings) { $0.gate.trace.findings.findings }
    Column.row(EndTables.end) { $0.gate.trace.findings.end }
    Column.rows(UnservedTables.unserved) { $0.gate.trace.findings.unserved }
  }

  private static let findings = ResultTable<Finding>("findings", "findings of the trace") {
    [FindingTables.rule, FindingTables.severity, FindingTables.subject, FindingTables.text]
  }

  static let rules = ResultTable<Gate.RuleResult>(
    "rules", "results of the rules, one row per rule, in the given order"
  ) {
    Column("rule", "rule as written") { $0.rule.text }
    Column("name", "name of the rule in the budget") { $0.rule.name }
    Column("outcome", "pass, broken or undecided") { $0.outcome.rawValue }
    Column("unit", "ns, count, ratio, or ms_per_s") { $0.rule.measure.dimension.unit }
    Column.row(reading, as: "measured", ifAny: { $0.measured })
    Column.row(reading, as: "limit", ifAny: { $0.limit })
    Column.row(reading, as: "baseline", ifAny: { $0.baseline })
    Column("why", "reason why the rule is undecided; else null") { $0.why.isEmpty ? nil : $0.why }
  }

  private static let reading = ResultTable<Reading>(
    "reading", "measured number, or the range that contains it"
  ) {
    Column("low", "lower bound; equal to high if the number is exact") { $0.low }
    Column("high", "upper bound; null = unknown") { $0.high.isFinite ? $0.high : nil }
  }
}

extension Dimension {
  fileprivate var unit: String {
    switch self {
    case .time: "ns"
    case .count: "count"
    case .ratio: "ratio"
    case .rate: "ms_per_s"
    }
  }
}
