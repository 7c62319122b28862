import ReportWriting
import TraceAnalysis
import TraceGate
import TraceTables

/// Writes the results of a gate as Markdown for the summary of a job: the outcome, the rules with their measured
/// values, and the findings.
package enum GateMarkdown {
  /// The number of listed findings; the rest is counted, because a summary is limited to 1 MiB.
  private static let findingsShown = 20
  private static let rulesShown = 500

  package static func text(_ gate: Gate, file: String) -> String {
    let title = gate.outcome == .pass ? "passed" : gate.outcome.rawValue
    var lines = [
      "### \(sign(gate.outcome)) \(title): \(Markdown.escape(harmless(file, limit: 200)))",
      "",
      Markdown.escape(gate.summary) + ".", "",
      Markdown.escape("Verdict of the trace: \(gate.trace.findings.verdict.line)"), "",
    ]
    let entries = gate.entries
    lines += Markdown.header(["", "rule", "measured", "limit", "why"])
    lines += entries.prefix(rulesShown).map { entry in
      Markdown.row([
        "\(sign(entry.outcome)) \(entry.outcome.rawValue)", entry.heading, entry.measured, entry.limit,
        entry.outcome == .undecided ? entry.account : "",
      ])
    }
    if entries.count > rulesShown { lines += ["", "… and \(entries.count - rulesShown) more rules."] }
    lines +=
      findings(gate.trace.findings.findings) + unserved(gate.trace.findings.unserved.filter(\.isUnserved))
    return lines.joined(separator: "\n") + "\n"
  }

  private static func findings(_ findings: [Finding]) -> [String] {
    guard !findings.isEmpty else { return ["", "No findings."] }
    var lines = ["", "#### Findings", ""] + Markdown.header(["severity", "id", "finding", "where"])
    lines += findings.prefix(findingsShown).map {
      Markdown.row([
        $0.severity.name, $0.rule.rawValue, $0.text,
        $0.places.map { elided($0.text, limit: Sentence.nameLimit) }.joined(separator: "; "),
      ])
    }
    let rest = findings.count - findingsShown
    if rest > 0 { lines += ["", "… and \(rest) more: \(Hint.analyzeInMarkdown)."] }
    return lines
  }

  private static func unserved(_ work: [UnservedResult]) -> [String] {
    guard !work.isEmpty else { return [] }
    let columns = UnservedTables.unserved.columns(for: .text)
    var lines = ["", "#### Work that was queued and never ran", ""]
    lines += Markdown.header(columns.shownColumns().map(\.title))
    lines += work.prefix(findingsShown).map { row in Markdown.row(columns.shown(row).map { $0.text() }) }
    let rest = work.count - findingsShown
    if rest > 0 { lines += ["", "… and \(rest) more: \(Hint.analyzeInMarkdown)."] }
    return lines
  }

  private static func sign(_ outcome: Gate.Outcome) -> String {
    switch outcome {
    case .pass: "✅"
    case .broken: "❌"
    case .undecided: "⚠️"
    }
  }
}
