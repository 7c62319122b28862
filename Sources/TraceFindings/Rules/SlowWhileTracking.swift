import TraceResults

extension RuleID { public static let slowWhileTracking: RuleID = "RL026" }

extension FindingRule {
  static let slowWhileTracking = FindingRule(
    .slowWhileTracking, "callouts take long while tracking",
    plural: .subjects("callouts take long while tracking"), needs: [.callouts], basis: .calloutDurations,
    remedy: "Do not wait or work there: keep the answer, or ask before the finger is down.", of: \.callouts
  ) { callout, _ in
    let tracking = Tracking.partNs(callout.timeNsByMode)
    // The mean of a callout that also runs in other modes does not describe tracking.
    guard callout.count >= 10, isAtLeast(tracking, 0.9, of: callout.timeNs),
      callout.timeNs / callout.count >= FindingLimits.longWhileTrackingNs
    else { return nil }
    let mean = callout.timeNs / callout.count
    return Finding(
      .warning,
      "\(Phrase.callout(callout.kind, callout.name)) took \(ns: mean, "mean_ns") each of \(count: callout.count, "count", "time", "times") while tracking, \(ns: callout.longestNs, "longest_ns") at worst",
      headline: .time(mean, "each time while tracking"),
      evidence: [
        .span(
          callout.longestStartNs, callout.longestNs, "longest", callout: "\(callout.kind) \(callout.name)")
      ], weight: tracking, subject: callout.name)
  }
}
