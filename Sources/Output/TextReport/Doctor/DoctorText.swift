import ReportWriting
import TraceResults

/// Writes what can be recorded on a system: a line for each check, advice below it, and the result.
package struct DoctorText {
  private let report: DoctorReport
  private let style: TextStyle

  /// The width of the first two columns, with the space behind them.
  private static let widths = (state: 9, name: 20)

  package init(_ report: DoctorReport, style: TextStyle) {
    self.report = report
    self.style = style
  }

  package func lines() -> [String] { report.checks.flatMap { lines(of: $0) } + ["", result] }

  private func lines(of check: DoctorCheck) -> [String] {
    let line =
      toned(TextTable.pad(check.state.rawValue, Self.widths.state, left: true), check.state)
      + TextTable.pad(check.name, Self.widths.name, left: true) + harmless(check.found, limit: 400)
    let indent = String(repeating: " ", count: Self.widths.state)
    guard let advice = check.advice else { return [line] }
    return [line] + style.wrapped(harmless(advice, limit: 1000), indent: indent, hanging: "")
  }

  private func toned(_ text: String, _ state: DoctorCheck.State) -> String {
    switch state {
    case .ok: style.good(text)
    case .limited: style.caution(text)
    case .missing: style.alarm(text)
    }
  }

  private var result: String {
    let what = report.program.map { harmless($0, limit: 100) } ?? "programs"
    guard report.canRecord else { return "\(what) cannot be recorded here" }
    let isLimited = report.checks.contains { $0.state != .ok }
    return "\(what) can be recorded here" + (isLimited ? ", within the limits above" : "")
  }
}
