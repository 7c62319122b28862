import EmbeddedFiles
import Foundation
import ReportWriting
import TraceAnalysis
import TraceFormat
import TraceTables

/// Writes an analysis as one HTML file. The file loads nothing and escapes every name. Its only script is inline.
/// docs/reference/report.md describes how it is built.
package struct HTMLReport {
  private let reader: TraceReader
  private let file: String

  /// `file` is the name on the command line.
  package init(_ reader: TraceReader, file: String) {
    self.reader = reader
    self.file = file
  }

  /// Returns the page. `analysis` must be the unfiltered analysis of `reader`, and `timeline` must have been its sink.
  package func render(_ analysis: Analysis, timeline: TimelineBuilder) throws -> String {
    var encoder = TimelineEncoder(timeline, analysis, TraceNames(reader), names: NameList())
    let lanes = encoder.encode()
    var tables = ReportTables(analysis: analysis, names: encoder.names)
    let starvation = Starvation(analysis)
    let places = FindingPlaces(analysis, timeline)
    let findings = self.findings(analysis, places)
    var sections: [PagePart.Section: [Table]] = [:]
    var context: [String: Any] = [
      "style": PageStyle.common, "script": ReportScript.text, "policy": Self.policy,
      "file": NameList.clean(file), "facts": facts(analysis, &tables), "info": info(),
      "notes": analysis.noteTexts,
      "verdict": verdictContext(analysis.verdict), "isWhole": analysis.trace.clean,
      "findings": Array(findings.prefix(Self.findingsShown)),
      "moreFindings": Self.rest(findings, analysis),
      "hasFindings": !analysis.findings.isEmpty,
      "starvation": starvationContext(starvation, &tables),
      "starvationRest": starvation.omitted > 0 ? ["count": "\(starvation.omitted)"] : [:] as [String: String],
      "hasStalls": !analysis.stalls.isEmpty, "hasStarvation": !starvation.groups.isEmpty,
      "summary": Self.summary(analysis),
    ]
    for part in PagePart.all {
      guard let table = part.table(&tables) else { continue }
      sections[part.section, default: []].append(table)
    }
    var leftOut: [String] = []
    for section in PagePart.Section.allCases {
      let tables = sections[section, default: []]
      context["\(section.rawValue)Tables"] = tables.filter { !$0.isEmpty }
      leftOut += tables.filter(\.isEmpty).map(\.title)
    }
    func has(_ parts: PagePart.Section...) -> Bool {
      parts.contains { sections[$0, default: []].contains { !$0.isEmpty } }
    }
    context["hasTimers"] = has(.timers)
    context["hasLatencies"] = has(.latencies, .modes)
    context["hasGaps"] = has(.gaps)
    context["hasLoad"] = has(.load)
    context["leftOut"] = leftOut.isEmpty ? [] : [["words": leftOut.joined(separator: ", ")]]
    context["delay"] = analysis.inputDelay.map { delay($0, &tables) }
    // The data comes last because it holds the long names of the tables.
    context["data"] = try PageDataBuilder.island(analysis, lanes, tables.names, starvation, places)
    return try Markup.render(
      context, EmbeddedFile.text("report.mustache"),
      parts: [
        "finding": EmbeddedFile.text("report-finding.mustache"),
        "table": EmbeddedFile.text("report-table.mustache"),
        // The template is included in the middle of lines, so its final newline is removed.
        "number": String(EmbeddedFile.text("report-number.mustache").dropLast()),
      ])
  }

  /// Allows only this script and this style, by their hashes.
  private static let policy =
    "default-src 'none'; script-src 'sha256-\(PageHashes.script)'; style-src 'sha256-\(PageHashes.style)'; "
    + "base-uri 'none'; form-action 'none'"

  // MARK: Values for the template

  static func summary(_ analysis: Analysis) -> String {
    let trace = analysis.trace
    return
      "\(Units.duration(trace.toNs &- trace.fromNs)), \(Cell.grouped(trace.events)) events, \(Cell.grouped(trace.lostEvents)) lost, "
      + "capture level \(trace.captureLevel.name)"
  }

  /// Returns the context of the verdict. Its sentence is the page's heading, in the tone of its severity.
  private func verdictContext(_ verdict: Verdict) -> [String: Any] {
    let headline = verdict.outcome == .fault ? verdict.finding?.headline : nil
    return [
      "text": verdict.text.prefix(1).uppercased() + verdict.text.dropFirst(),
      "rest": verdict.remedy.isEmpty ? [] : [["words": verdict.remedy]],
      "also": verdict.also.isEmpty ? [] : [["words": verdict.also]], "tone": Self.tone(verdict),
      "figure": headline.map { [["value": $0.value, "label": $0.label]] } ?? [],
    ]
  }

  static func tone(_ verdict: Verdict) -> String {
    switch verdict.outcome {
    case .fault: verdict.severity == .error ? "bad" : "warn"
    case .clear: verdict.hasMissedFires ? "unknown" : "good"
    case .undecided: "unknown"
    }
  }

  /// The number of findings that are not folded, so that the timeline is near the top.
  private static let findingsShown = 3

  /// Returns the folded findings with the number of each severity.
  private static func rest(_ findings: [[String: Any]], _ analysis: Analysis) -> [[String: Any]] {
    let folded = analysis.findings.dropFirst(findingsShown)
    guard !folded.isEmpty else { return [] }
    let severities = Finding.Severity.allCases.compactMap { severity in
      let count = folded.count { $0.severity == severity }
      return count > 0 ? "\(count) \(severity.name)" : nil
    }
    return [
      [
        "count": Phrase.count(folded.count, "more finding", "more findings"),
        "severities": severities.joined(separator: ", "),
        "findings": Array(findings.dropFirst(findingsShown)),
      ]
    ]
  }

  private func findings(_ analysis: Analysis, _ places: FindingPlaces) -> [[String: Any]] {
    analysis.findings.enumerated().map { number, finding in
      let spans = places.of(finding).map { place in
        ["span": place.link, "words": place.words]
      }
      let shown = 8
      return finding.row.merging([
        "number": "\(number)", "words": finding.text,
        "remedy": finding.remedy.isEmpty ? [] : [["words": finding.remedy]],
        "worth": finding.worth.map { [["words": $0.sentence]] } ?? [],
        "subjects": subjects(of: finding), "hasSubjects": !finding.members.isEmpty,
        "code": finding.places.map { ["words": elided($0.text, limit: Sentence.nameLimit)] },
        "facts": places.facts(finding).map { ["words": $0] },
        "evidence": Array(spans.prefix(shown)),
        "moreEvidence": spans.count > shown
          ? [["count": "\(spans.count - shown)", "spans": Array(spans.dropFirst(shown))] as [String: Any]]
          : [],
      ]) { $1 }
    }
  }

  /// Returns each of several subjects with a bar: its count as a share of the total, else its time as a share of
  /// the longest.
  private func subjects(of finding: Finding) -> [[String: Any]] {
    let longest = finding.members.compactMap { $0.headline?.timeNs }.max()
    return finding.members.map { member in
      let bar = member.headline.flatMap { headline -> (UInt64, UInt64)? in
        headline.share ?? headline.timeNs.flatMap { time in longest.map { (time, $0) } }
      }
      return [
        "name": harmless(member.listedName, limit: 120),
        "value": member.headline?.value ?? "", "words": member.text,
        "bar": bar.map { [["part": "\($0.0)", "whole": "\(max($0.1, 1))"]] } ?? [],
      ]
    }
  }

  private func starvationContext(_ starvation: Starvation, _ tables: inout ReportTables) -> [[String: Any]] {
    starvation.groups.enumerated().map { number, group in
      [
        "number": "\(number)", "heading": NameList.clean(String(group.name.prefix(200))),
        "table": tables.starvation(number, group),
        "lanes": group.variants.map { ["kind": String($0.kind.prefix(80)), "timer": "\($0.timer.id)"] },
      ]
    }
  }

  private func delay(_ result: InputDelayResult, _ tables: inout ReportTables) -> [String: Any] {
    let columns = LoopTables.inputDelay.columns
    let cells = tables.cells(columns, (result, LoopTables.inputDelay.name))
    return ["cells": Dictionary(zip(columns.map(\.name), cells)) { first, _ in first }]
  }

  // MARK: Recording facts

  private func fact(_ name: String, _ cell: Cell) -> [String: Any] { ["name": name, "cell": cell] }

  private func facts(_ analysis: Analysis, _ tables: inout ReportTables) -> [[String: Any]] {
    let trace = analysis.trace
    let columns = RecordingTables.trace.columns(for: .page)
    var rows = zip(columns, tables.cells(columns, (trace, RecordingTables.trace.name))).map {
      fact($0.heading?.title ?? "", $1)
    }
    rows += [
      fact("Clock", .text(reader.header.clock.name)),
      fact(
        "Size of the trace",
        Cell(
          text: Units.bytes(reader.fileSize), value: "\(reader.fileSize)",
          title: "\(Cell.grouped(reader.fileSize)) bytes")),
      fact("Cost of the recording itself", .text("not recorded in the trace")),
    ]
    if let start = trace.startRealtimeNs {
      let date = Date(timeIntervalSince1970: Double(start / 1_000_000) / 1000)
      let text = date.ISO8601Format(.init(includingFractionalSeconds: true))
      rows.insert(
        fact("Origin, wall clock", Cell(text: text, key: "trace.start_realtime_ns", value: "\(start)")), at: 0
      )
    }
    if let profile = analysis.profile {
      rows.append(fact("Profile", .text(NameList.clean(profile.name), "profile")))
    }
    return rows
  }

  private func info() -> [[String: String]] {
    reader.info.map { ["name": harmless($0.key, limit: 80), "words": harmless($0.value, limit: 400)] }
  }
}
