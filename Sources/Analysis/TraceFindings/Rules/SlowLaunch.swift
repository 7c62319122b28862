import TraceResults

extension RuleID { package static let slowLaunch: RuleID = "RL027" }

extension FindingRule {
  /// Measures the time from the mark to the first run of the main loop, without suspension.
  static let slowLaunch = FindingRule(
    .slowLaunch, "the launch takes long before the main loop runs",
    remedy:
      "The program does not respond to anything before that run. Postpone work until the loop runs, or move it to another thread."
  ) { analysis in
    let loop = analysis.loops.first { $0.thread.isMain }
    // The recording of an event loop begins some waits after the loop.
    if let loop, loop.kind != .runLoop { return nil }
    let run = loop?.firstRunNs
    guard
      let mark = analysis.lifeCycle.phases.last(where: { $0.phase == .launching && $0.startNs <= run ?? .max }
      ),
      // If the main loop never ran, only a launch that reached its limit is reported.
      let end = run ?? (mark.atLimit == nil ? nil : mark.startNs &+ mark.durationNs),
      // The start of a phase that was already under way when the window began is not known.
      mark.startNs > analysis.trace.fromNs || analysis.trace.fromNs == 0,
      let limit = (analysis.profile ?? .watchdog).limits[.launching] ?? analysis.profile?.limitNs
    else { return nil }
    let suspended = analysis.trace.suspensions.reduce(UInt64(0)) { sum, suspension in
      let from = max(suspension.startNs, mark.startNs)
      let to = min(suspension.startNs &+ suspension.durationNs, end)
      return sum &+ (to > from ? to - from : 0)
    }
    let took = end - mark.startNs
    let time = took - min(took, suspended)
    guard isAtLeast(time, 0.5, of: limit) else { return nil }
    let allowed: Sentence =
      analysis.profile.map { "profile \(name: $0.name) allows" } ?? "the system allows"
    let then = mark.atLimit?.sentence ?? ""
    let until: Sentence =
      run == nil
      ? "The main loop did not run for \(ns: time, "launch_ns") after the launching mark"
      : "The main loop first ran \(ns: time, "launch_ns") after the launching mark"
    return Finding(
      time >= limit ? .error : .warning,
      "\(until), which is \(percent: time, of: limit, "of_limit_percent") of the \(ns: limit, "limit_ns") that \(allowed)\(then)",
      headline: .time(time, "until the loop ran"),
      evidence: [.span(mark.startNs, time, "after the launching mark")], weight: time)
  }
}
