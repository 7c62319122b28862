import ReportWriting
import TraceAnalysis
import TraceReplay
import TraceTables

extension AnalysisText {
  /// Returns each timer that was ever late or skipped, with its lateness by cause.
  func lateness() -> [String] {
    var lines: [String] = []
    for timer in ranked.prefix(AnalysisText.shown) {
      guard let ledger = timer.ledger, timer.wasLate else { continue }
      let modes =
        timer.modes.isEmpty ? "in no mode" : "in " + timer.modes.map { harmless($0) }.joined(separator: ", ")
      let marks = (timer.isCommon ? ", common modes" : "") + (timer.isDeferrable ? ", deferrable" : "")
      lines.append("  \(elided(timer.name, limit: style.width / 2)) (\(modes)\(marks))")
      lines += late(ledger.latenessNs)
      lines += parts("late by cause: ", TimerTables.ledger, timer) { "\($0) \(Units.duration($1))" }
      lines += parts("skipped by cause: ", TimerTables.skippedBy, timer) { "\($1) \($0)" }
      lines += blockers(ledger)
    }
    return lines
  }

  private func late(_ lateness: Distribution) -> [String] {
    guard lateness.count > 0 else { return [] }
    let (p50, p99, max) = (lateness.p50, lateness.p99, lateness.max)
    return wrap(
      "late: median \(Units.duration(p50)), p99 \(Units.duration(p99)), max \(Units.duration(max)), "
        + "total \(Units.duration(lateness.sum))", indent: "    ")
  }

  /// Returns the parts of a group that are not 0.
  private func parts(
    _ title: String, _ group: Column<TimerResult>, _ timer: TimerResult, _ text: (String, UInt64) -> String
  ) -> [String] {
    let parts = group.parts.compactMap { part in
      part.count(timer).flatMap { $0 > 0 ? text(part.name, $0) : nil }
    }
    return parts.isEmpty ? [] : wrap(title + parts.joined(separator: ", "), indent: "    ")
  }

  private func blockers(_ ledger: TimerLedgerResult) -> [String] {
    let named = ledger.notableBlockers.prefix(3).map { blocker in
      let skipped = blocker.points > 0 ? ", \(blocker.points) skipped" : ""
      return
        "\(blocker.kind) \"\(elided(blocker.name, limit: 48))\" (\(Units.duration(blocker.latenessNs))\(skipped))"
    }
    return named.isEmpty
      ? [] : wrap("delayed by: " + named.joined(separator: ", "), indent: "    ")
  }
}
