import TraceResults

extension RuleID { package static let starvedByBusy: RuleID = "RL004" }

extension FindingRule {
  static let starvedByBusy = FindingRule.timer(
    .starvedByBusy, "timer skips fires while long callouts run", of: .busy,
    plural: "skip fires while long callouts run",
    basis: .skippedFires,
    remedy: "Split that work into smaller pieces, or move it off this thread."
  ) { timer, ledger, analysis in
    let points = ledger.skipped(.busy)
    guard points > 0 else { return nil }
    let blockers = ledger.blockers.filter { $0.points > 0 && $0.points <= points }
      .ordered { ($1.points, $1.latenessNs) < ($0.points, $0.latenessNs) }
    let worst = blockers.first
    let who: Sentence = worst.map { Phrase.callout($0.kind, $0.name) } ?? "callouts"
    let stall = analysis.stall(in: worst.map { "\($0.kind) \($0.name)" })
    var finding = Finding(
      ledger.severity(.busy),
      "\(timer.said) \(ledger.missed(points)) while \(behind(blockers, points)) ran\(stall?.blame() ?? "")",
      advice: stall?.advice ?? "", headline: ledger.headline(points),
      evidence: ledger.blockers.ordered { $0.points > $1.points }.prefix(4).map {
        .noting(
          "\(count: $0.points, "skipped_behind", "fire", "fires") skipped while it ran",
          durationNs: $0.latenessNs, callout: "\($0.kind) \($0.name)")
      }, weight: timer.timeNs(of: points),
      cause: ", most often while \(who) ran")
    finding.blame(stall, orCallout: worst?.name)
    return finding
  }

  /// Returns `timer "a"`, or `timer "a" (12), block "b" (4) and others (1)`: each blocker of a tenth of the points or
  /// more, and the rest.
  private static func behind(_ blockers: [BlockerResult], _ points: UInt64) -> Sentence {
    guard let worst = blockers.first else { return "callouts" }
    guard worst.points < points else { return Phrase.callout(worst.kind, worst.name) }
    let named = blockers.enumerated().filter { number, blocker in
      number == 0 || isAtLeast(blocker.points, FindingLimits.muchOfBlocked, of: points)
    }.map(\.element)
    let others = points &- min(points, named.map(\.points).saturatedSum)
    let parts = named.enumerated().map { number, blocker -> Sentence in
      "\(Phrase.callout(blocker.kind, blocker.name)) (\(count: blocker.points, "skipped_behind_\(number + 1)"))"
    }
    let rest: [Sentence] = others > 0 ? ["others (\(count: others, "skipped_behind_others"))"] : []
    return (parts + rest).listed()
  }
}
