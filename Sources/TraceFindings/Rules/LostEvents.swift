import TraceResults

extension RuleID { public static let lostEvents: RuleID = "RL022" }

extension FindingRule {
  static let lostEvents = FindingRule(
    .lostEvents, "events were lost", basis: .recording,
    remedy: "Record less (--level activities, --thread main), or with larger rings."
  ) { analysis in
    let lost = analysis.trace.lostEvents
    guard lost > 0 else { return nil }
    return Finding(
      .warning,
      "\(count: lost, "lost_events", "event was", "events were") lost beside the \(count: analysis.trace.events, "events") recorded: numbers around them are lower bounds",
      headline: Finding.Headline(.other("\(lost)"), lost == 1 ? "event lost" : "events lost"),
      weight: lost)
  }
}
