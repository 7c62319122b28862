import TraceResults

extension RuleID { package static let suspended: RuleID = "RL021" }

extension FindingRule {
  static let suspended = FindingRule(.suspended, "the process was suspended") { analysis in
    let suspended = analysis.trace.suspendedNs
    guard suspended > 0 else { return nil }
    let times = UInt64(analysis.trace.suspensions.count + analysis.trace.suspensionsOmitted)
    return Finding(
      .info,
      "The process was suspended for \(ns: suspended, "suspended_ns") (\(count: times, "suspensions", "time", "times")). This is not a hang",
      headline: .time(suspended, "suspended"),
      evidence: analysis.trace.suspensions.prefix(4).map {
        .span($0.startNs, $0.durationNs, $0.evidence.rawValue)
      }, weight: suspended)
  }
}
