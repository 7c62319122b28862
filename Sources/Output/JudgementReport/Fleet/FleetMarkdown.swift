import ReportWriting
import TraceFleet
import TraceResults

/// Writes a fleet as Markdown for the summary of a job.
package enum FleetMarkdown {
  private static let shown = 50

  package static func text(_ fleet: Fleet, by keys: [String], judgement: FleetJudgement?) -> String {
    var lines: [String] = []
    if let judgement {
      let title =
        judgement.isUndecided
        ? "undecided: too few sessions"
        : judgement.regressions.isEmpty
          ? "no relevant regression" : Phrase.count(judgement.regressions.count, "regression", "regressions")
      lines += ["### \(title)", "", Markdown.escape(judgement.headline), ""]
      let rows = judgement.differences
      if !rows.isEmpty {
        lines += Markdown.header(["", "what", "where", "base → new"])
        lines += rows.prefix(shown).map {
          Markdown.row([
            $0.outcome.rawValue, harmless($0.what, limit: 100), harmless($0.place, limit: 100),
            FleetJUnit.account($0),
          ])
        }
        lines.append("")
      }
    }
    lines += Markdown.header(["group", "sessions", "hang time per hour", "busy", "skipped"])
    let groups = FleetGroup.all(fleet, by: keys)
    lines += groups.prefix(shown).map { group in
      Markdown.row([
        harmless(group.name, limit: 100), "\(group.sessions)",
        group.hangNsPerHour.map { FleetWords.time($0) } ?? "",
        group.busyShare.map { FleetWords.percent($0) } ?? "",
        group.skippedShare.map { FleetWords.percent($0) } ?? "",
      ])
    }
    if groups.count > shown { lines += ["", "… and \(groups.count - shown) more groups."] }
    return lines.joined(separator: "\n") + "\n"
  }
}
