import TraceResults

extension RuleID { public static let starvedByBusy: RuleID = "RL004" }

extension FindingRule {
  static let starvedByBusy = FindingRule.timer(
    .starvedByBusy, "timer skips fires behind long callouts", of: .busy,
    plural: "skip fires behind long callouts",
    basis: .skippedFires,
    remedy: "Split that work, or move it off this loop's thread."
  ) { timer, ledger, _ in
    let points = ledger.skipped(.busy)
    guard points > 0 else { return nil }
    let worst = ledger.blockers.filter { $0.points > 0 && $0.points <= points }
      .max { ($0.points, $0.latenessNs) < ($1.points, $1.latenessNs) }
    let behind = worst?.points ?? points
    let who: Sentence = worst.map { Say.callout($0.kind, $0.name) } ?? "callouts"
    let others: Sentence =
      behind < points ? ", and \(count: points - behind, "skipped_behind_others") behind others" : ""
    var finding = Finding(
      ledger.severity(points), "\(timer.said) \(ledger.missed(behind)) behind \(who)\(others)",
      headline: ledger.headline(behind),
      evidence: ledger.blockers.sorted { $0.points > $1.points }.prefix(4).map {
        .noting(
          "\(count: $0.points, "skipped_behind", "fire", "fires") skipped while it ran",
          durationNs: $0.latenessNs, callout: "\($0.kind) \($0.name)")
      }, weight: timer.timeNs(of: points), cause: " behind \(who)")
    finding.blocker = worst?.name ?? ""
    return finding
  }
}
