import TraceResults

extension RuleID { package static let starvedByItself: RuleID = "RL006" }

extension FindingRule {
  static let starvedByItself = FindingRule.timer(
    .starvedByItself, "timer's own callout takes longer than its interval", of: .ownCallout,
    plural: "have callouts that take longer than their intervals", basis: .skippedFires,
    remedy: "Make the callout shorter than the interval, or make the interval longer."
  ) { timer, ledger, analysis in
    let points = ledger.skipped(.ownCallout)
    guard points > 0 else { return nil }
    let row = analysis.callouts.first {
      $0.kind == CalloutKind.timer.rawValue && $0.name == timer.name && $0.thread == timer.thread
    }
    guard timer.longestCalloutNs >= timer.intervalNs else {
      return row.flatMap {
        $0.longestNestedNs >= timer.intervalNs ? nested(timer, ledger, points, $0, analysis) : nil
      }
    }
    let stall = analysis.stall(in: timer.callout)
    var finding = Finding(
      ledger.severity(.ownCallout),
      "\(timer.said) \(ledger.missed(points)) while its own callout ran, which took up to \(ns: timer.longestCalloutNs, "longest_callout_ns")\(stall?.blame() ?? "")",
      advice: stall?.advice ?? "", headline: ledger.headline(points),
      evidence: [
        .span(nil, timer.longestCalloutNs, "longest callout", callout: timer.callout)
      ], weight: timer.timeNs(of: points))
    finding.blame(stall)
    return finding
  }

  /// The callout's own work is short, but the callout runs nested loops and returns only after they end.
  private static func nested(
    _ timer: TimerResult, _ ledger: TimerLedgerResult, _ points: UInt64, _ row: CalloutResult,
    _ analysis: Analysis
  ) -> Finding {
    var finding = Finding(
      ledger.severity(.ownCallout),
      "\(timer.said) \(ledger.missed(points)) while its own callout ran nested loops, for up to \(ns: row.longestNestedNs, "longest_nested_ns")",
      advice: NestedRuns.advice(row.kind), headline: ledger.headline(points),
      evidence: [
        .span(
          row.longestNestedStartNs, row.longestNestedNs, "in nested loops, the longest time",
          callout: timer.callout)
      ], weight: timer.timeNs(of: points), cause: " while its own callout ran nested loops")
    finding.title = "timer's own callout runs nested loops"
    finding.sampled = NestedRuns.places(of: row, analysis)
    return finding
  }
}
