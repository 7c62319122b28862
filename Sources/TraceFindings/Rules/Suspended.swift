import TraceResults

extension RuleID { public static let suspended: RuleID = "RL021" }

extension FindingRule {
  static let suspended = FindingRule(
    .suspended, "the process was suspended", needs: [], basis: .itself
  ) { analysis in
    let suspended = analysis.trace.suspendedNs
    guard suspended > 0 else { return [] }
    let times = UInt64(analysis.trace.suspensions.count + analysis.trace.suspensionsOmitted)
    return [
      Finding(
        .info,
        "The process was suspended for \(ns: suspended, "suspended_ns") (\(count: times, "suspensions", "time", "times")): not a hang",
        headline: Finding.Headline(value: Units.duration(suspended), label: "suspended"),
        evidence: analysis.trace.suspensions.prefix(4).map {
          Finding.Evidence(startNs: $0.startNs, durationNs: $0.durationNs, note: $0.evidence.rawValue)
        }, weight: suspended)
    ]
  }
}
