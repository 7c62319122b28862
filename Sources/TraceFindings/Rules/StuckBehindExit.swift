import TraceResults

extension RuleID { public static let stuckBehindExit: RuleID = "RL028" }

extension FindingRule {
  /// Reports a program that continues while its main thread no longer serves a loop.
  static let stuckBehindExit = FindingRule(
    .stuckBehindExit, "the main thread never came back to its loop",
    remedy: "If the program was to answer meanwhile, find out what its main thread does behind the run."
  ) { analysis in
    guard let loop = analysis.loops.first(where: { $0.thread.isMain }), let time = loop.livedOnNs,
      time >= FindingLimits.outsideRunsNs
    else { return nil }
    let end = analysis.trace.toNs
    return Finding(
      time >= FindingLimits.stuckNs ? .warning : .info,
      "The main thread has run no loop since its last run ended, and the program went on for \(ns: time, "lived_on_ns") at least: whether it worked, waited or was stuck is not in this recording",
      headline: .time(time, "behind the last run"),
      evidence: [.span(end - min(time, end), time, "until the last sign of life, or later")], weight: time)
  }
}
