import TraceResults

extension RuleID { package static let unprotectedBackground: RuleID = "RL019" }

extension FindingRule {
  static let unprotectedBackground = FindingRule(
    .unprotectedBackground, "the app was in the background without a task or service",
    remedy: "Begin the task before the service stops, and start the service before the task ends."
  ) { analysis in
    // A missing event may have begun a task or a service, or may have ended the stay.
    guard !analysis.trace.mayMissEvents else { return nil }
    let life = analysis.lifeCycle
    let grace = analysis.profile?.backgroundGraceNs ?? Profile.watchdog.backgroundGraceNs ?? 0
    // An app needs no task for what it does right after it went to the background. If a span was already under way when
    // the window began, it may or may not have begun with the stay.
    let from = analysis.trace.fromNs
    let spans = life.unprotected.filter { span in
      let stay = life.stays.first {
        $0.startNs == span.startNs
          || span.startNs == from && $0.startNs < from && $0.startNs &+ $0.durationNs > from
      }
      return span.startNs &+ span.durationNs > (stay.map { $0.startNs &+ grace } ?? span.startNs)
    }
    guard !spans.isEmpty else { return nil }
    let time = life.unprotectedNs
    return Finding(
      .warning,
      "The app was in the background without a task or service for \(ns: time, "unprotected_ns"). The system may suspend an app in that state",
      headline: .time(time, "unprotected in the background"),
      evidence: spans.prefix(4).map {
        .span($0.startNs, $0.durationNs, "unprotected")
      }, weight: time)
  }
}
