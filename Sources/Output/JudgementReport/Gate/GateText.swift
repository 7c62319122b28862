import ReportWriting
import TraceAnalysis
import TraceGate
import TraceTables

/// Writes the results of a gate as text for people, one line for each rule.
package struct GateText {
  private let gate: Gate
  private let style: TextStyle

  package init(_ gate: Gate, style: TextStyle) {
    self.gate = gate
    self.style = style
  }

  /// Work that was queued and never ran, with a heading.
  private var unserved: [String] {
    let work = gate.trace.findings.unserved.filter(\.isUnserved)
    guard !work.isEmpty else { return [] }
    let table = TextTable(UnservedTables.unserved.columns(for: .text), Array(work.prefix(Self.shown)))
    let rest = work.count - Self.shown
    return [style.strong("Work that was queued and never ran")] + table.lines(style: style)
      + Hint.more(rest, Hint.analyze)
  }

  private static let shown = 12

  /// Returns the lines before the results: the built-in budget as YAML, if the user gave none.
  static func introduction(_ budget: String?, _ style: TextStyle) -> [String] {
    guard let budget else { return [] }
    return [style.strong("No rules were given: the built-in budget applies. Copy it to make your own:")]
      + budget.split(separator: "\n").map { "    " + $0 } + [""]
  }

  /// Returns the beginning of a line.
  static func mark(_ outcome: Gate.Outcome, _ style: TextStyle) -> String {
    switch outcome {
    case .pass: "pass       "
    case .broken: style.alarm("BROKEN     ")
    case .undecided: style.strong("undecided  ")
    }
  }

  /// Returns the lines. `budget` is the YAML of the built-in budget if the user gave none.
  package func lines(builtInBudget budget: String? = nil) -> [String] {
    let verdict = gate.trace.findings.verdict
    return Self.introduction(budget, style)
      + gate.entries.map { Self.mark($0.outcome, style) + "\($0.heading): \($0.account)" }
      + [gate.summary] + unserved
      + style.wrapped("Verdict of the trace: \(verdict.line)", indent: "").map {
        verdict.outcome == .clear && gate.outcome != .pass ? $0 : style.toned($0, verdict)
      }
      + (verdict.finding?.places ?? []).flatMap {
        style.wrapped(elided($0.text, limit: Sentence.nameLimit))
      }
  }
}
