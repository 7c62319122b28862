import TraceAnalysis
import TraceGate
import TraceTables

/// Writes the results of a gate for people, one line for each rule.
public struct GateText {
  private let gate: Gate
  private let style: TextStyle

  public init(_ gate: Gate, style: TextStyle) {
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
      + (rest > 0 ? ["  … and \(rest) more; rltrace analyze lists all"] : [])
  }

  private static let shown = 12

  /// Returns the lines. `budget` is the YAML of the built-in budget if the user gave none.
  public func lines(builtInBudget budget: String? = nil) -> [String] {
    let verdict = gate.trace.findings.verdict
    let introduction = budget.map {
      [style.strong("No rules were given: the built-in budget applies. Copy it to make your own:")]
        + $0.split(separator: "\n").map { "    " + $0 } + [""]
    }
    return (introduction ?? [])
      + gate.entries.map { entry in
        let line = "\(entry.heading): \(entry.account)"
        switch entry.outcome {
        case .pass: return "pass       " + line
        case .broken: return style.alarm("BROKEN     ") + line
        case .undecided: return style.strong("undecided  ") + line
        }
      } + [gate.summary] + unserved
      + style.wrapped("Verdict of the trace: \(verdict.line)", indent: "").map {
        verdict.outcome == .clear && gate.outcome != .pass ? $0 : style.toned($0, verdict)
      }
      + (verdict.finding?.places ?? []).flatMap {
        style.wrapped(elided($0.text, limit: Sentence.nameLimit))
      }
  }
}
