import TraceResults

extension RuleID { public static let emptyRuns: RuleID = "RL029" }

extension FindingRule {
  /// Reports a loop around CFRunLoopRunInMode that uses the processor all the time, or a run that returned although
  /// it was meant to wait.
  static let emptyRuns = FindingRule(
    .emptyRuns, "runs of a mode without items return at once",
    remedy: "Add a source or timer to the mode before running it, or wait in another way.", of: \.emptyRuns
  ) { runs, _ in
    if let severity = SeverityTable.polls(runs.count, ns: runs.durationNs) { return spin(runs, severity) }
    return runs.longestTimeoutNs >= noPollNs ? notWaited(runs) : nil
  }

  /// A caller that gives a run this much time expects it to wait.
  private static let noPollNs: UInt64 = 100_000_000

  private static func spin(_ runs: EmptyRunsResult, _ severity: Finding.Severity) -> Finding {
    let rate = Double(runs.count) / (Double(max(runs.durationNs, 1)) / 1e9)
    let figure = Figure.rate("runs_per_s", rate)
    return Finding(
      severity,
      "\(count: runs.count, "empty_runs", "run", "runs") of \(name: runs.mode) returned at once, \(figure) per second, because the mode had no source, timer or block",
      headline: Finding.Headline(.other(figure.text), "empty runs per second"),
      evidence: [
        .span(runs.startNs, runs.durationNs, "from the first to the last")
      ], weight: runs.durationNs, subject: runs.mode)
  }

  /// The caller assumes that the loop waits.
  private static func notWaited(_ runs: EmptyRunsResult) -> Finding {
    let figure = Figure.count("empty_runs", runs.count)
    return Finding(
      .info,
      "\(count: runs.count, "empty_runs", "run", "runs") of \(name: runs.mode) returned at once instead of waiting because the mode had no source, timer or block",
      headline: Finding.Headline(.other(figure.text), "empty runs"),
      evidence: [
        .span(runs.startNs, runs.durationNs, "from the first to the last")
      ], weight: 0, subject: runs.mode)
  }
}
