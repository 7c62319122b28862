import TraceAnalysis
import TraceReplay
import TraceComparison

/// A comparison as text for people, as wide as the style says.
public struct ComparisonText {
  /// Rows of a table before the rest is summed up in a line.
  private static let shown = 40
  private static let reasonsShown = 6

  private let comparison: Comparison
  private let showsAll: Bool
  private let style: TextStyle

  /// `showsAll`: also rows without a difference, and no table cut short.
  public init(_ comparison: Comparison, showsAll: Bool, style: TextStyle) {
    self.comparison = comparison
    self.showsAll = showsAll
    self.style = style
  }

  public func lines(baseFile: String, newFile: String) -> [String] {
    var out = facts("BASE", baseFile, comparison.base) + facts("NEW ", newFile, comparison.new)
    out.append("")
    out += verdict()
    out += minor()
    out += section(
      "Hangs of \(Units.duration(BusyClass.hangNs)) or more, by the mode that they began in", hangs())
    out += section("Counts", counts())
    out += section("Callouts, time of each", times())
    out += section("Timers whose settings changed", changes())
    out += section("Only in NEW", only(.new))
    out += section("Only in BASE", only(.base))
    out += section("Distributions", distributions())
    out += section("Findings", findings())
    out += section("What this comparison cannot tell", comparison.notes.flatMap { style.wrapped($0) })
    return out
  }

  private func section(_ title: String, _ lines: [String]) -> [String] {
    lines.isEmpty ? [] : ["", style.strong(title)] + lines
  }

  private func facts(_ side: String, _ file: String, _ analysis: Analysis) -> [String] {
    let trace = analysis.trace
    return [
      style.strong(TextTable.cut("\(side)  \(harmless(file, limit: 200))", style.width)),
      "      \(Units.duration(trace.toNs &- trace.fromNs)), \(trace.events) events, \(trace.lostEvents) lost, "
        + "capture level \(trace.captureLevel.name)",
    ]
      + style.wrapped("Verdict: \(analysis.verdict.line)", indent: "      ").map {
        // No green while the other side has an error.
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
      + (others.count > shown.count ? ["  … and \(others.count - shown.count) more; --all shows them"] : [])
  }

  /// How much is not worth a row, so that nothing is left out in silence.
  private func minor() -> [String] {
    let minor = MinorDifferences(comparison)
    guard !minor.isEmpty else { return [] }
    return style.wrapped(minor.text + (showsAll ? "." : ": --all shows them."))
  }

  // MARK: Tables

  /// Always there: that there are none is worth knowing.
  private func hangs() -> [String] {
    let rows = comparison.rows.compactMap { row in row.hangs.map { (row, $0) } }
      .filter { $1.base.count + $1.new.count > 0 }
    guard !rows.isEmpty else { return ["  none in either"] }
    var table = TextTable(["", "base", "longest", "in all", "new", "longest", "in all"])
    func cells(_ hangs: HangTimes) -> [String] {
      ["\(hangs.count)"]
        + [hangs.longestNs, hangs.timeNs].map { hangs.count == 0 ? "–" : Units.duration($0) }
    }
    for (row, hangs) in rows where row.subject != .trace || rows.count > 2 {
      table.add(
        [row.subject == .trace ? "all" : row.subject.label] + cells(hangs.base) + cells(hangs.new))
    }
    return cut(table)
  }

  private func counts() -> [String] {
    var table = TextTable(
      ["", "", "base", "new", "change"] + (showsAll ? ["difference"] : []), leftColumns: 2)
    for row in comparison.rows where row.presence == .both {
      for count in row.counts where showsAll || count.difference == .relevant {
        table.add(
          [
            row.subject.label, count.measure.title, known(count.base), known(count.new), count.changeText,
          ] + (showsAll ? [count.difference.label] : []))
      }
    }
    return cut(table)
  }

  private func known(_ count: UInt64?) -> String { count.map { "\($0)" } ?? "?" }

  /// Means and the longest of those whose distribution or sum is relevantly different.
  private func times() -> [String] {
    var table = TextTable(["", "base", "longest", "new", "longest", "in all"])
    for row in comparison.rows {
      guard row.presence == .both, let times = row.times, showsAll || row.hasRelevantTimes else { continue }
      table.add([
        row.subject.label, Units.duration(times.base.meanNs), Units.duration(times.base.longestNs),
        Units.duration(times.new.meanNs), Units.duration(times.new.longestNs), times.changeText,
      ])
    }
    return cut(table)
  }

  private func changes() -> [String] {
    comparison.rows.filter { !$0.changes.isEmpty }.flatMap { row in
      style.wrapped("\(row.subject.label): \(row.changes.joined(separator: "; "))")
    }
  }

  private func only(_ presence: Presence) -> [String] {
    let rows = comparison.rows.filter { $0.presence == presence && (showsAll || !$0.isUnknownElsewhere) }
    let shown = showsAll ? rows : Array(rows.prefix(Self.shown))
    return shown.flatMap { row in
      let counts = row.counts.compactMap { count -> String? in
        let value = (presence == .new ? count.new : count.base) ?? 0
        return value > 0 ? count.measure.text(value) : nil
      }
      let label = row.subject.label + (row.isUnknownElsewhere ? " (the other does not say)" : "")
      return style.wrapped(
        counts.isEmpty ? label : "\(label): \(counts.joined(separator: ", "))")
    } + (rows.count > shown.count ? ["  … and \(rows.count - shown.count) more; --all shows them"] : [])
  }

  /// p50 and p99 of both, and what the test says.
  private func distributions() -> [String] {
    var table = TextTable(
      ["", "", "base p50", "p99", "new p50", "p99", "effect", "p"], leftColumns: 2)
    for row in comparison.rows where row.presence == .both {
      for compared in row.distributions where showsAll || compared.difference == .relevant {
        table.add(
          [row.subject.label, compared.measure.title] + values(compared.base) + values(compared.new)
            + test(compared))
      }
    }
    return cut(table)
  }

  private func values(_ distribution: Distribution) -> [String] {
    guard distribution.count > 0 else { return ["–", "–"] }
    return [distribution.p50, distribution.p99].map(Units.duration)
  }

  private func test(_ compared: ComparedDistribution) -> [String] {
    guard let test = compared.decidingTest else { return ["–", "–"] }
    let delta = Units.significant(abs(test.delta))
    let effect = compared.difference == .minor ? "minor" : test.effect.name
    return ["\(effect) \(test.delta < 0 ? "−" : "+")\(delta)", probability(test.pValue)]
  }

  private func probability(_ p: Double) -> String { p < 0.001 ? "<0.001" : Units.significant(p) }

  private func findings() -> [String] {
    comparison.findings.filter { showsAll || $0.difference == .relevant }.flatMap { compared in
      style.wrapped(
        "\(compared.difference == .minor ? "minor: " : "")\(compared.label) \(compared.finding.rule.rawValue) "
          + compared.finding.text)
    }
  }

  private func cut(_ table: TextTable) -> [String] {
    guard !table.isEmpty else { return [] }
    let lines = table.lines(style: style)
    return showsAll || lines.count <= Self.shown + 1
      ? lines
      : lines.prefix(Self.shown + 1) + ["  … and \(lines.count - Self.shown - 1) more; --all shows them"]
  }
}
