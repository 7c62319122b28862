import EmbeddedFiles
import ReportWriting
import TraceAnalysis
import TraceComparison
import TraceTables

/// A comparison as a page of its own. It has no script, loads nothing and escapes every name.
package struct ComparisonPage {
  /// One of the two traces, with its picture.
  package struct Side {
    let file: String
    let glance: Glance

    package init(file: String, _ glance: Glance) {
      self.file = file
      self.glance = glance
    }
  }

  private let comparison: Comparison

  package init(_ comparison: Comparison) { self.comparison = comparison }

  package func html(_ base: Side, _ new: Side) throws -> String {
    let verdict = comparison.verdict
    let reasons = verdict.furtherReasons.map { ["tone": $0.isWorse ? "worse" : "better", "text": $0.text] }
    let (baseFile, newFile) = (base.file, new.file)
    let axis = Glance.Axis(lengthNs: max(base.glance.lengthNs, new.glance.lengthNs))
    let glances = [("base", base), ("new", new)].map { name, side in
      [
        "side": name, "file": harmless(side.file, limit: 200), "rows": side.glance.rows(on: axis),
      ] as [String: Any]
    }
    let context: [String: Any] = [
      "css": PageStyle.common + EmbeddedFile.text("comparison.css"),
      "glances": glances, "ticks": Glance.ticks(axis),
      "dumbbells": Dumbbells(ComparisonTables.distributions(comparison)).map { [$0.context] } ?? [],
      "baseFile": harmless(baseFile, limit: 200), "newFile": harmless(newFile, limit: 200),
      "tone": tone(verdict.outcome), "headline": verdict.headline,
      "reasons": Array(reasons.prefix(ComparisonText.reasonsShown)),
      "moreReasons": reasons.count > ComparisonText.reasonsShown
        ? [
          [
            "count": "\(reasons.count - ComparisonText.reasonsShown)",
            "reasons": Array(reasons.dropFirst(ComparisonText.reasonsShown)),
          ]
        ] : [],
      "minor": comparison.minorDifferences.map { [$0] } ?? [],
      "sides": table(
        ComparisonTables.side, [("base", baseFile, comparison.base), ("new", newFile, comparison.new)]),
      "hangs": tables(ComparisonTables.hangsShown, ComparisonTables.hangs(comparison)),
      "counts": tables(ComparisonTables.countsShown, counts(.relevant)),
      "minorCounts": tables(ComparisonTables.countsShown, counts(.minor)),
      "equalCounts": tables(ComparisonTables.countsShown, counts(.none)),
      "timers": tables(ComparisonTables.timersShown, ComparisonTables.timers(comparison)),
      "frames": tables(ComparisonTables.framesShown, ComparisonTables.frames(comparison)),
      "flames": DifferenceFlames(comparison.base, comparison.new).map { [$0.context] } ?? [],
      "functions": tables(ComparisonTables.functions, comparison.changedFunctions),
      "times": tables(ComparisonTables.timesShown, ComparisonTables.times(comparison)),
      "lists": lists(), "relevant": comparison.relevant.timeText, "effect": comparison.relevant.effect.name,
      "hasDistributions": comparison.rows.contains { $0.presence == .both && !$0.distributions.isEmpty },
      "distributions": ComparisonTables.distributions(comparison, all: true).map(distribution),
    ]
    return try Markup.render(
      context, EmbeddedFile.text("comparison.mustache"),
      parts: [
        "table": EmbeddedFile.text("comparison-table.mustache"),
        "glance": EmbeddedFile.text("glance.mustache"),
        "axis": EmbeddedFile.text("glance-axis.mustache"),
      ])
  }

  /// Returns the colour of the headline: green only if neither trace has an error.
  private func tone(_ outcome: ComparisonVerdict.Outcome) -> String {
    switch outcome {
    case .worse, .mixed: comparison.hasErrors ? "bad" : "warn"
    case .better, .same: comparison.hasErrors ? "unknown" : "good"
    case .different, .undecided: "unknown"
    }
  }

  private func counts(_ difference: Difference) -> [ComparisonTables.Part<ComparedCount>] {
    ComparisonTables.counts(comparison, [difference])
  }

  private func lists() -> [[String: Any]] {
    func only(_ presence: Presence) -> [String] {
      comparison.rows.filter { $0.presence == presence }.map(\.account)
    }
    func findings(_ presence: Presence) -> [String] {
      comparison.groupedFindings.filter { $0.presence == presence }.map {
        let severity = $0.former == nil ? $0.finding.severity.name : $0.label
        return
          "\($0.difference == .minor ? "minor: " : "")\(severity) \($0.finding.rule.rawValue): \($0.finding.text)"
      }
    }
    return [
      ("New findings", findings(.new)), ("Findings that are gone", findings(.base)),
      ("Findings whose severity changed", findings(.both)),
      (
        "Work that was queued and never ran, in the new trace",
        comparison.new.unserved.filter(\.isUnserved).map(\.account)
      ),
      (
        "Work that was queued and never ran, in the base",
        comparison.base.unserved.filter(\.isUnserved).map(\.account)
      ),
      ("Changed timers and callouts", comparison.rows.compactMap(\.settings)),
      ("Only in the new trace", only(.new)), ("Only in the base", only(.base)),
      ("Limits of this comparison", comparison.notes),
    ].filter { !$1.isEmpty }.map { ["title": $0, "lines": $1] }
  }

  /// Returns no table if there are no rows.
  private func tables<Row>(_ result: ResultTable<Row>, _ rows: [Row]) -> [[String: Any]] {
    rows.isEmpty ? [] : [table(result, rows)]
  }

  private func table<Row>(_ result: ResultTable<Row>, _ rows: [Row]) -> [String: Any] {
    let columns = result.columns(for: .page)
    return table(columns.shownColumns(), rows.map { columns.shown($0) })
  }

  private func table(_ columns: [ShownColumn], _ rows: [[Shown]]) -> [String: Any] {
    func cell(_ text: String, _ column: ShownColumn) -> [String: Any] {
      ["text": text, "isWord": column.isOfWords]
    }
    return [
      "count": rows.count, "headings": columns.map { cell($0.title, $0) },
      "rows": rows.map { row in ["cells": zip(row, columns).map { cell($0.text(), $1) }] },
    ]
  }

  /// Returns the context of one distribution: the numbers of both sides and their curves.
  private func distribution(_ part: ComparisonTables.Part<ComparedDistribution>) -> [String: Any] {
    let compared = part.part
    let isChange = compared.difference == .relevant
    let effect =
      compared.isOfTail || compared.hasTooFewValues
      ? compared.effect.map { effect in
        effect + (compared.probability.map { " (p \($0))" } ?? " values to tell")
      }
      : compared.decidingTest.map { test in
        "\(compared.difference == .minor ? "minor; by ranks, a " : "")\(test.effect.name) effect "
          + "(delta \(test.signedDelta), p \(Units.probability(test.pValue)))"
      }
    let chart = CumulativeChart(compared.base, compared.new)
    return [
      "label": part.row.subject.label, "measure": compared.measure.title, "isChange": isChange,
      "tone": isChange ? compared.isWorse ? "worse" : "better" : "quiet",
      "effect": effect ?? "one trace has no values",
      "values": table(ComparisonTables.sidesShown, [("base", compared.base), ("new", compared.new)]),
      "rules": chart.rules, "basePath": chart.basePath, "newPath": chart.newPath,
    ]
  }
}
