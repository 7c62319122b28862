import EmbeddedFiles
import ReportWriting
import TraceAnalysis
import TraceFormat
import TraceTables

/// An overview of several traces, such as those of a program and its children. It shows a verdict and a picture of
/// each on one axis, with links into their reports. It has no script, loads nothing and escapes every name.
package struct FilesPage {
  /// One trace.
  package struct Entry {
    fileprivate let file: String
    /// The link to its report; nil = it has none.
    fileprivate var page: String?
    /// Why the trace could not be read completely; empty = it could.
    fileprivate var problem: String
    fileprivate var report: Report?

    /// Creates an entry for a trace that could not be read.
    package init(file: String, problem: String) {
      self.file = file
      self.problem = problem
    }

    /// Creates an entry. `timeline` must be the sink of `analysis`. `page` is the path from the overview to the
    /// report.
    package init(
      file: String, page: String, _ analysis: Analysis, _ timeline: TimelineBuilder, _ reader: TraceReader,
      problem: String?
    ) {
      self.file = file
      self.page = Markup.link(page)
      self.problem = problem ?? ""
      report = Report(analysis, timeline, TraceNames(reader))
    }
  }

  /// The parts of a report that the overview shows. The picture is drawn when the common axis is known.
  fileprivate struct Report {
    let verdict: Verdict
    let tone: String
    let summary: String
    let startNs: UInt64?
    let spanNs: UInt64
    let findings: [(finding: Finding, place: FindingPlaces.Place?)]
    let glance: Glance

    init(_ analysis: Analysis, _ timeline: TimelineBuilder, _ names: TraceNames) {
      verdict = analysis.verdict
      tone = HTMLReport.tone(analysis.verdict)
      let ratio = analysis.frames.judged.compactMap(\.ratio).max()
      let frames = ratio.map { ", hitch ratio \(Units.significant($0)) ms/s" } ?? ""
      summary = HTMLReport.summary(analysis) + frames
      startNs = analysis.trace.startRealtimeNs.map { $0 &+ analysis.trace.fromNs }
      spanNs = analysis.spanNs
      let places = FindingPlaces(analysis, timeline)
      findings = analysis.findings.map { ($0, places.of($0).first) }
      glance = Glance(analysis, timeline, names)
    }
  }

  private static let findingsShown = 3
  private let entries: [Entry]

  package init(_ entries: [Entry]) { self.entries = entries }

  package func html(title: String) throws -> String {
    let reports = entries.compactMap(\.report)
    let starts = reports.compactMap(\.startNs)
    // Traces share the wall clock if all of them have it and the distance between their beginnings is at most the sum
    // of their lengths.
    let first = starts.min() ?? 0
    let last = starts.max() ?? 0
    let isByClock =
      starts.count == reports.count && reports.count > 1
      && last &- first <= reports.reduce(0) { $0 &+ min($1.spanNs, UInt64.max / 2 &- $0) }
    func offset(_ report: Report) -> UInt64 { isByClock ? (report.startNs ?? first) &- first : 0 }
    let length = reports.map { offset($0) &+ $0.spanNs }.max() ?? 0
    let worst = entries.filter { $0.report != nil }.min { rank($0) < rank($1) }
    let context: [String: Any] = [
      "css": PageStyle.common + EmbeddedFile.text("comparison.css"),
      "title": harmless(title, limit: 200), "count": "\(entries.count)",
      "axisWords": isByClock
        ? "aligned by the wall clock" : "aligned at their beginnings",
      "tone": worst?.report?.tone ?? "unknown",
      "headline": worst.map { "\(harmless($0.file, limit: 80)): \($0.report?.verdict.text ?? "")" }
        ?? "None of these traces could be read.",
      "ticks": Glance.ticks(Glance.Axis(lengthNs: length)),
      "files": entries.enumerated().map { number, entry in
        [
          "number": "\(number)", "file": harmless(entry.file, limit: 200),
          "page": entry.page.map { ["is": $0] as Any } ?? false,
          "problem": entry.problem.isEmpty ? [] : [["words": harmless(entry.problem, limit: 400)]],
          "report": entry.report.map {
            [fields($0, entry.page ?? "", Glance.Axis(offsetNs: offset($0), lengthNs: length))]
          } ?? [],
        ] as [String: Any]
      },
    ]
    return try Markup.render(
      context, EmbeddedFile.text("files.mustache"),
      parts: [
        "glance": EmbeddedFile.text("glance.mustache"), "axis": EmbeddedFile.text("glance-axis.mustache"),
      ])
  }

  /// Returns the sort key of an entry; the worst comes first.
  private func rank(_ entry: Entry) -> (Int, Int) {
    guard let verdict = entry.report?.verdict else { return (.max, 0) }
    let weight = Int(clamping: verdict.finding?.weight ?? 0)
    return switch verdict.outcome {
    case .fault: (verdict.severity == .error ? 0 : 1, -weight)
    case .undecided: (2, 0)
    case .clear: (3, -weight)
    }
  }

  private func fields(_ report: Report, _ page: String, _ axis: Glance.Axis) -> [String: Any] {
    let shown = report.findings.prefix(Self.findingsShown)
    let left = report.findings.count - shown.count
    return [
      "summary": report.summary, "tone": report.tone, "verdict": report.verdict.text,
      "rows": report.glance.rows(on: axis, page: page),
      "findings": shown.map { finding, place in
        finding.row.merging([
          "places": place.map { [["page": page, "span": $0.link, "words": $0.words]] } ?? []
        ]) { $1 }
      },
      "more": left > 0
        ? [["page": page, "words": "\(left) more \(left == 1 ? "finding" : "findings")"]] : [],
    ]
  }
}
