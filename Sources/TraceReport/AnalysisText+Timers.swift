import TraceAnalysis
import TraceReplay

extension AnalysisText {
  /// One row per timer and mode. Timers that are never due in a mode without them say little and are left to JSON.
  func points() -> [String] {
    var table = TextTable(
      ["timer", "mode", "due", "fired", "skipped", "worst late", "callouts"], leftColumns: 2)
    for timer in ranked {
      for row in timer.ledger?.byMode ?? [] {
        let price = timer.calloutNsByMode.first { $0.mode == row.mode }?.ns ?? 0
        table.add([
          name(timer), written(row.mode), "\(row.due)", "\(row.fired)",
          "\(row.skipped)", row.fired > 0 ? Units.duration(row.worstLatenessNs) : "–", Units.duration(price),
        ])
      }
    }
    return lines(table, limit: 2 * AnalysisText.shown)
  }

  /// Each timer that was ever late or skipped, its lateness split by cause.
  func lateness() -> [String] {
    var lines: [String] = []
    for timer in ranked.prefix(AnalysisText.shown) {
      guard let ledger = timer.ledger, ledger.latenessNs.sum > 0 || ledger.skipped > 0 else { continue }
      let modes =
        timer.modes.isEmpty ? "in no mode" : "in " + timer.modes.map { harmless($0) }.joined(separator: ", ")
      let marks = (timer.isCommon ? ", as common modes" : "") + (timer.isDeferrable ? ", deferrable" : "")
      lines.append(
        TextTable.cut("  \(elided(name(timer), limit: style.width / 2)) (\(modes)\(marks))", style.width))
      lines += wrap(late(ledger.latenessNs), indent: "    ")
      let causes = Cause.allCases.filter { ledger.ledgerNs[$0, default: 0] > 0 }
        .map { "\($0.name) \(Units.duration(ledger.ledgerNs[$0, default: 0]))" }
      if !causes.isEmpty {
        lines += wrap("made of " + causes.joined(separator: ", "), indent: "    ")
      }
      let skipped = Cause.allCases.filter { ledger.skippedBy[$0, default: 0] > 0 }
        .map { "\(ledger.skippedBy[$0, default: 0]) \($0.name)" }
      if !skipped.isEmpty {
        lines += wrap("skipped by cause: " + skipped.joined(separator: ", "), indent: "    ")
      }
      lines += blockers(ledger)
    }
    return lines
  }

  func late(_ lateness: Distribution) -> String {
    let values = percentiles(lateness)
    return
      "late: p50 \(values[0]), p99 \(values[2]), max \(values[4]), in all \(Units.duration(lateness.sum))"
  }

  private func blockers(_ ledger: TimerLedgerResult) -> [String] {
    let named = ledger.blockers.prefix(3).map { blocker in
      let skipped = blocker.points > 0 ? ", \(blocker.points) skipped" : ""
      return
        "\(blocker.kind) \"\(elided(blocker.name, limit: 48))\" (\(Units.duration(blocker.latenessNs))\(skipped))"
    }
    return named.isEmpty
      ? [] : wrap("busy with: " + named.joined(separator: ", "), indent: "    ")
  }
}
