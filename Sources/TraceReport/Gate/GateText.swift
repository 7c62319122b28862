import TraceAnalysis
import TraceGate

/// What rules found, for people: one line a rule.
public struct GateText {
  private let gate: Gate
  private let style: TextStyle

  public init(_ gate: Gate, style: TextStyle) {
    self.gate = gate
    self.style = style
  }

  public func lines() -> [String] {
    gate.results.map { result in
      let line = "\(result.heading): \(result.account)"
      switch result.outcome {
      case .pass: return "pass       " + line
      case .broken: return style.alarm("BROKEN     ") + line
      case .undecided: return style.strong("undecided  ") + line
      }
    } + [summary]
  }

  private var summary: String {
    let total = gate.results.count
    let parts = [(gate.count(.broken), "broken"), (gate.count(.undecided), "undecided")].filter { $0.0 > 0 }
    let held = "\(gate.count(.pass)) of \(total) \(total == 1 ? "rule holds" : "rules hold")"
    return ([held] + parts.map { "\($0.0) \($0.1)" }).joined(separator: ", ")
  }
}

extension Gate.RuleResult {
  /// Long enough for any rule that people write.
  private static let ruleLength = 200

  /// What it says, and what a budget calls it.
  var heading: String {
    let text = harmless(rule.text, limit: Self.ruleLength)
    return rule.name.map { "\(harmless($0, limit: Self.ruleLength)): \(text)" } ?? text
  }

  /// The measured value and the limit, or why there is none.
  var account: String {
    guard outcome != .undecided, let measured else { return why }
    let value = measured.text(rule.measure.dimension)
    guard let baseline, let limit else { return value }
    return
      "\(value), limit \(limit.text(rule.measure.dimension)) (baseline \(baseline.text(rule.measure.dimension)))"
  }
}

extension Reading {
  func text(_ dimension: Dimension) -> String {
    isExact
      ? Self.text(low, dimension) : "\(Self.text(low, dimension)) to \(Self.text(high, dimension))"
  }

  private static func text(_ value: Double, _ dimension: Dimension) -> String {
    switch dimension {
    case .time: Units.duration(UInt64(clamping: Int64(min(max(value, 0), 9e18))))
    case .count: value.rounded() == value ? "\(Int64(min(max(value, 0), 9e18)))" : Units.significant(value)
    case .ratio: "\(Units.significant(value * 100)) %"
    }
  }
}
