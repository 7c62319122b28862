import ReportWriting
import TraceAnalysis
import TraceReplay
import TraceComparison
import TraceTables

/// Writes a comparison as text for people, in the width of the style.
package struct ComparisonText {
  /// The number of table rows before a line sums up the rest.
  private static let shown = 40
  static let reasonsShown = 6

  private let comparison: Comparison
  private let showsAll: Bool
  private let style: TextStyle

  /// `showsAll` also lists rows without a difference and cuts no table.
  package init(_ comparison: Comparison, showsAll: Bool, style: TextStyle) {
    self.comparison = comparison
    self.showsAll = showsAll
    self.style = style
  }

  package func lines(baseFile: String, newFile: String) -> [String] {
    var out = facts("BASE", baseFile, comparison.base) + facts("NEW ", newFile, comparison.new)
    if let note = comparison.optionsNote { out += style.wrapped("Note: \(note).", indent: "") }
    out.append("")
    out += verdict()
    out += minor()
    out += style.section("Functions that explain the difference, by the gaps that they held", functions())
    out += style.section(
      "Hangs of \(Units.duration(BusyClass.hangNs)) or more, by the mode in which they began", hangs())
    out += style.section(
      "Changed timers and callouts", comparison.rows.compactMap(\.settings).flatMap { style.wrapped($0) })
    out += style.section(
      "Skipped and late fires of timers",
      table(ComparisonTables.timersShown, ComparisonTables.timers(comparison)))
    out += style.section(
      "Hitches of frame sources",
      table(ComparisonTables.framesShown, ComparisonTables.frames(comparison, all: showsAll)))
    out += style.section("Counts", counts())
    out += style.section(
      "Times of callouts",
      table(ComparisonTables.timesShown, ComparisonTables.times(comparison, all: showsAll)))
    out += style.section("Only in NEW", only(.new))
    out += style.section("Only in BASE", only(.base))
    out += style.section(
      "Distributions",
      table(ComparisonTables.distributionsShown, ComparisonTables.distributions(comparison, all: showsAll)))
    for (side, analysis) in [("BASE", comparison.base), ("NEW", comparison.new)] {
      out += style.section(
        "Work that was queued and never ran in \(side)",
        table(
          UnservedTables.unserved,
          Array(analysis.unserved.filter(\.isUnserved).prefix(showsAll ? .max : Self.shown))))
    }
    out += style.section("Findings", findings())
    out += style.section("Limits of this comparison", notes().flatMap { style.wrapped($0) })
    return out
  }

  /// The notes below the tables.
  private func notes() -> ArraySlice<String> {
    comparison.notes.dropFirst(comparison.optionsNote == nil ? 0 : 1)
  }

  private func facts(_ side: String, _ file: String, _ analysis: Analysis) -> [String] {
    let trace = analysis.trace
    return [
      style.strong(TextTable.cut("\(side)  \(harmless(file, limit: 200))", style.width)),
      "      \(Units.duration(trace.toNs &- trace.fromNs)), \(trace.events) events, \(trace.lostEvents) lost, "
        + "capture level \(trace.captureLevel.name)",
    ]
      + style.wrapped("Verdict: \(analysis.verdict.briefLine)", indent: "      ").map {
        // A clear verdict is not green if the other side has an error.
        analysis.verdict.outcome == .clear && comparison.hasErrors ? $0 : style.toned($0, analysis.verdict)
      }
  }

  private func verdict() -> [String] {
    let verdict = comparison.verdict
    let lines = style.wrapped("Verdict: \(verdict.headline)", indent: "").map {
      switch verdict.outcome {
      case .worse, .mixed: style.alarm($0)
      case .better, .same: comparison.hasErrors ? style.strong($0) : style.good($0)
      case .different, .undecided: style.strong($0)
      }
    }
    let others = verdict.furtherReasons
    let shown = showsAll ? others : Array(others.prefix(Self.reasonsShown))
    return lines
      + shown.flatMap { style.wrapped("\($0.isWorse ? "worse: " : "better:") \($0.text).") }
      + Hint.more(others.count - shown.count, Hint.all)
  }

  /// Returns the number of differences without a row, so that the report omits nothing silently.
  private func minor() -> [String] {
    guard let minor = comparison.minorDifferences else { return [] }
    return style.wrapped(minor + (showsAll ? "." : ". \(Hint.all)."))
  }

  private func functions() -> [String] {
    let changed = comparison.changedFunctions
    let shown = showsAll ? changed : Array(changed.prefix(Self.reasonsShown))
    return shown.flatMap { style.wrapped("\($0.isWorse ? "worse: " : "better:") \($0.sentence).") }
      + Hint.more(changed.count - shown.count, Hint.all)
      + (showsAll ? table(ComparisonTables.functions, comparison.functions) : [])
  }

  // MARK: Tables

  private func table<Row>(_ result: ResultTable<Row>, _ rows: [Row]) -> [String] {
    guard !rows.isEmpty else { return [] }
    let lines = TextTable(result.columns(for: .text), rows).lines(style: style)
    return showsAll || lines.count <= Self.shown + 1
      ? lines
      : lines.prefix(Self.shown + 1) + Hint.more(lines.count - Self.shown - 1, Hint.all)
  }

  /// The section is always present, because the absence of hangs is also a result.
  private func hangs() -> [String] {
    let lines = table(ComparisonTables.hangsShown, ComparisonTables.hangs(comparison))
    return lines.isEmpty ? ["  none in either trace"] : lines
  }

  private func counts() -> [String] {
    showsAll
      ? table(
        ComparisonTables.allCountsShown, ComparisonTables.counts(comparison, [.none, .minor, .relevant]))
      : table(ComparisonTables.countsShown, ComparisonTables.counts(comparison, [.relevant]))
  }

  private func only(_ presence: Presence) -> [String] {
    let rows = comparison.rows.filter { $0.presence == presence && (showsAll || !$0.isUnknownElsewhere) }
    let shown = showsAll ? rows : Array(rows.prefix(Self.shown))
    return shown.flatMap { style.wrapped($0.account) }
      + Hint.more(rows.count - shown.count, Hint.all)
  }

  private func findings() -> [String] {
    comparison.groupedFindings.filter { showsAll || $0.difference == .relevant }.flatMap { compared in
      style.wrapped(
        "\(compared.difference == .minor ? "minor: " : "")\(compared.label) \(compared.finding.rule.rawValue) "
          + compared.finding.text)
    }
  }
}
