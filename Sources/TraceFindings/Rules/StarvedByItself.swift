import TraceResults

extension RuleID { public static let starvedByItself: RuleID = "RL006" }

extension FindingRule {
  static let starvedByItself = FindingRule.timer(
    .starvedByItself, "timer's own callout takes longer than its interval", of: .ownCallout,
    plural: "have callouts that take longer than their intervals", basis: .skippedFires,
    remedy: "Make the callout shorter than the interval, or make the interval longer."
  ) { timer, ledger, analysis in
    let points = ledger.skipped(.ownCallout)
    guard points > 0, timer.longestCalloutNs >= timer.intervalNs else { return nil }
    let stall = analysis.stall(in: timer.callout)
    var finding = Finding(
      .warning,
      "\(timer.said) \(ledger.missed(points)) while its own callout ran, which took up to \(ns: timer.longestCalloutNs, "longest_callout_ns")\(stall?.blame ?? "")",
      advice: stall?.advice ?? "", headline: ledger.headline(points),
      evidence: [
        .span(nil, timer.longestCalloutNs, "longest callout", callout: timer.callout)
      ], weight: timer.timeNs(of: points))
    finding.blocker = stall?.holder?.frame.sourcePlace ?? ""
    finding.sampled = stall?.sampledPlaces ?? []
    return finding
  }
}
