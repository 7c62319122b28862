import TraceResults

extension RuleID { public static let spins: RuleID = "RL011" }

extension FindingRule {
  /// The program runs the loop again and again and finds nothing to do, or sources that signal themselves keep a run
  /// from waiting.
  static let spins = FindingRule(
    .spins, "the loop spins without waiting",
    plural: .subjects(
      "modes spin without waiting",
      remedy: "Run them with time limits above zero, or let sources or timers wake them."), basis: .passes,
    remedy: "Run it with a time limit above zero, or let a source or timer wake it.", of: \.modes
  ) { mode, analysis in
    if let polling = mode.polling, polling.timeNs >= FindingLimits.pollingNs {
      return Spin.polls(mode, polling, analysis)
    }
    return Spin.ofRuns(mode)
  }
}

private enum Spin {
  static func polls(_ mode: ModeResult, _ polling: PollingResult, _ analysis: Analysis) -> Finding {
    let figure = Figure.rate("empty_polls_per_s", Double(polling.runs) / (Double(polling.timeNs) / 1e9))
    let who: Sentence =
      polling.hasSeveralCallers
      ? ", called in several callouts or outside them"
      : polling.caller.map { ", called in \(Say.callout($0.kind, $0.name))" }
        ?? ", called outside any callout"
    var finding = Finding(
      .warning,
      "Thread \(Say.thread(analysis.thread(mode.thread))) polls: \(count: polling.runs, "empty_polls", "run", "runs") of \(name: mode.mode) returned at once and had served nothing, \(figure) a second for \(ns: polling.timeNs, "polling_ns")\(who)",
      headline: Finding.Headline(.other(figure.text), "empty runs per second"),
      evidence: [
        .span(
          polling.startNs, polling.endNs &- polling.startNs, "from the first to the last",
          callout: polling.caller.map { "\($0.kind) \($0.name)" })
      ], weight: polling.timeNs, subject: mode.mode)
    finding.thread = mode.thread
    return finding
  }

  /// Counts passes of runs that may wait.
  static func ofRuns(_ mode: ModeResult) -> Finding? {
    let polls = mode.polls &- min(mode.polls, mode.pollRuns)
    guard polls > 1000, isAtLeast(polls, 0.9, of: mode.passes), mode.timeNs > 0 else { return nil }
    let rate = Double(polls) / (Double(mode.timeNs) / 1e9)
    guard rate > 1000 else { return nil }
    let figure = Figure.rate("polls_per_s", rate)
    return Finding(
      .warning,
      "\(count: polls, "polls") of \(count: mode.passes, "passes", "pass", "passes") in \(name: mode.mode) did not wait: \(figure) a second",
      headline: Finding.Headline(.other(figure.text), "passes per second"), weight: mode.busyNs,
      subject: mode.mode)
  }
}
