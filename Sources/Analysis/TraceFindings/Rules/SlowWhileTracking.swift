import TraceResults

extension RuleID { package static let slowWhileTracking: RuleID = "RL026" }

extension FindingRule {
  static let slowWhileTracking = FindingRule(
    .slowWhileTracking, "callouts take long while tracking",
    plural: .subjects("callouts take long while tracking"), needs: [.callouts], basis: .calloutDurations,
    remedy: "Do not wait or do long work while tracking. Cache the result, or get it before tracking begins.",
    of: \.callouts
  ) { callout, _ in
    let tracking = Tracking.partNs(callout.timeNsByMode)
    // The mean of a callout that also runs in other modes does not describe tracking.
    guard callout.count >= 10, isAtLeast(tracking, 0.9, of: callout.timeNs),
      callout.timeNs / callout.count >= FindingLimits.longWhileTrackingNs
    else { return nil }
    let mean = callout.timeNs / callout.count
    return Finding(
      .warning,
      "\(Phrase.callout(callout.kind, callout.name)) took \(ns: mean, "mean_ns") on average (\(count: callout.count, "count", "time", "times")) while tracking, and at most \(ns: callout.longestNs, "longest_ns")",
      headline: .time(mean, "on average while tracking"),
      evidence: [
        .span(
          callout.longestStartNs, callout.longestNs, "longest", callout: "\(callout.kind) \(callout.name)")
      ], weight: tracking, subject: callout.name)
  }
}
