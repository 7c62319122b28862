import TraceResults

extension RuleID { package static let stuckBehindExit: RuleID = "RL028" }

extension FindingRule {
  /// Reports a program that continues while its main thread no longer serves a loop.
  static let stuckBehindExit = FindingRule(
    .stuckBehindExit, "the main thread did not return to its loop",
    remedy:
      "If the program should respond during that time, find out what its main thread does after the run."
  ) { analysis in
    guard let loop = analysis.loops.first(where: { $0.thread.isMain }), loop.kind == .runLoop,
      let time = loop.continuedNs,
      time >= FindingLimits.outsideRunsNs
    else { return nil }
    let end = analysis.trace.toNs
    return Finding(
      time >= FindingLimits.stuckNs ? .warning : .info,
      "The main thread ran no loop after its last run ended, and the program continued for at least \(ns: time, "lived_on_ns"). This recording does not show whether the thread worked, waited or was stuck",
      headline: .time(time, "after the last run"),
      evidence: [.span(end - min(time, end), time, "from the end of the last run to the last known event")],
      weight: time)
  }
}
