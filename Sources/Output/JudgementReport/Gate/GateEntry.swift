import CallStacks
import ReportWriting
import TraceAnalysis
import TraceGate

/// An entry in the output of a gate: a rule, or a baseline that cannot be used. Names contain no control characters.
struct GateEntry {
  /// The rule's name in the budget, else the rule's text; never the measured value.
  var id: String
  /// The name followed by the rule, or the rule alone.
  var heading: String
  /// The rule itself.
  var rule: String
  var outcome: Gate.Outcome
  /// The measured value with further details, or the reason why there is none.
  var account: String
  /// For a broken rule, the rule, its value and the fault behind it with its place; otherwise `account`.
  var message: String
  /// Empty when not known.
  var measured: String
  var limit: String
  /// For a broken rule, the code that `message` names; nil = not known.
  var code: StackFrame?
}

extension Gate {
  var entries: [GateEntry] {
    results.map { GateEntry($0, in: trace) }
      + (baselineProblem.map {
        [
          GateEntry(
            id: "baseline", heading: Hint.baseline, rule: Hint.baseline, outcome: .undecided,
            account: harmless($0, limit: GateEntry.longest),
            message: harmless($0, limit: GateEntry.longest), measured: "", limit: "")
        ]
      } ?? [])
  }

  /// One line with the number of rules that hold, are broken or are undecided.
  var summary: String {
    let total = results.count
    let parts = [(count(.broken), "broken"), (count(.undecided), "undecided")].filter { $0.0 > 0 }
    let held = "\(count(.pass)) of \(total) \(total == 1 ? "rule holds" : "rules hold")"
    return ([held] + parts.map { "\($0.0) \($0.1)" }).joined(separator: ", ")
      + (baselineProblem == nil ? "" : "; undecided because the baseline cannot be used")
  }
}

extension GateEntry {
  /// The longest text, in characters: enough for any rule that users write.
  static let longest = 200
  private static let longestMessage = 1000

  init(_ result: Gate.RuleResult, in trace: GatedTrace) {
    let dimension = result.rule.measure.dimension
    rule = harmless(result.rule.text, limit: Self.longest)
    id = result.rule.name.map { harmless($0, limit: Self.longest) } ?? rule
    heading = result.rule.name == nil ? rule : "\(id): \(rule)"
    outcome = result.outcome
    measured = result.measured?.text(dimension) ?? ""
    limit = result.limit.map { "\(result.rule.comparison.rawValue) \($0.text(dimension))" } ?? ""
    account = GateEntry.account(result, dimension)
    message = account
    guard result.outcome == .broken else { return }
    let fault = RuleEvidence(trace, result.rule).fault
    let evidence = fault.map { "; " + harmless($0.text, limit: Self.longestMessage) }
    message = "\(rule): \(account)" + (evidence ?? "")
    code = fault?.code?.frame
  }

  private static func account(_ result: Gate.RuleResult, _ dimension: Dimension) -> String {
    guard result.outcome != .undecided, let measured = result.measured else { return result.why }
    let value = measured.text(dimension)
    guard let limit = result.limit?.text(dimension) else { return value }
    if let baseline = result.baseline {
      return "\(value), limit \(limit) (baseline \(baseline.text(dimension)))"
    }
    return value
  }
}
