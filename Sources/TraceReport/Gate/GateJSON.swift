// The property names are the JSON keys.
// swift-format-ignore-file: AlwaysUseLowerCamelCase
import Foundation
import TraceAnalysis
import TraceGate

/// What rules found, as JSON, schema `rltrace.gate/1`. docs/commands/gate.md defines each key.
public enum GateJSON {
  public static let schema = "rltrace.gate/1"

  /// `isBuiltInBudget`: no rule was given, so those are the built-in ones.
  public static func encode(
    _ gate: Gate, file: String, baseline: String?, isBuiltInBudget: Bool = false
  ) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let document = Document(
      file: file, baseline: baseline, outcome: gate.outcome.rawValue,
      baseline_problem: gate.baselineProblem, built_in_budget: isBuiltInBudget,
      verdict: FindingTables.verdict.object(gate.trace.findings.verdict),
      rules: gate.results.map(Row.init), findings: gate.trace.findings.findings.map(FindingRow.init))
    return String(decoding: try encoder.encode(document), as: UTF8.self)
  }

  private struct Document: Encodable {
    let schema = GateJSON.schema
    let file: String
    @OrNull var baseline: String?
    let outcome: String
    @OrNull var baseline_problem: String?
    let built_in_budget: Bool
    let verdict: Value
    let rules: [Row]
    let findings: [FindingRow]
  }

  private struct FindingRow: Encodable {
    let rule: String
    let severity: String
    let subject: String
    let text: String

    init(_ finding: Finding) {
      rule = finding.rule.rawValue
      severity = finding.severity.name
      subject = finding.subject
      text = finding.text
    }
  }

  private struct Row: Encodable {
    let rule: String
    @OrNull var name: String?
    let outcome: String
    let unit: String
    @OrNull var measured: Span?
    @OrNull var limit: Span?
    @OrNull var baseline: Span?
    @OrNull var why: String?

    init(_ result: Gate.RuleResult) {
      rule = result.rule.text
      name = result.rule.name
      outcome = result.outcome.rawValue
      unit =
        switch result.rule.measure.dimension {
        case .time: "ns"
        case .count: "count"
        case .ratio: "ratio"
        }
      measured = result.measured.map(Span.init)
      limit = result.limit.map(Span.init)
      baseline = result.baseline.map(Span.init)
      why = result.why.isEmpty ? nil : result.why
    }
  }

  /// `low` and `high` are the same where the recording tells exactly; `high` is null where nobody knows a limit.
  private struct Span: Encodable {
    let low: Double
    @OrNull var high: Double?

    init(_ reading: Reading) {
      low = reading.low
      high = reading.high.isFinite ? reading.high : nil
    }
  }
}
