import TraceResults

extension RuleID { public static let emptyRuns: RuleID = "RL029" }

extension FindingRule {
  /// A loop around CFRunLoopRunInMode that burns the processor.
  static let emptyRuns = FindingRule(
    .emptyRuns, "runs of a mode without items return at once",
    remedy: "Add a source or timer to the mode before it is run, or wait for something else.", of: \.emptyRuns
  ) { runs, _ in
    guard runs.count > 1000, runs.durationNs > 0 else { return nil }
    let rate = Double(runs.count) / (Double(runs.durationNs) / 1e9)
    guard rate > 1000 else { return nil }
    let figure = Figure.rate("runs_per_s", rate)
    return Finding(
      .warning,
      "\(count: runs.count, "empty_runs", "run", "runs") of \(name: runs.mode) returned at once, \(figure) a second: the mode has no source, timer or block",
      headline: Finding.Headline(value: figure.text, label: "empty runs per second"),
      evidence: [
        .span(runs.startNs, runs.durationNs, "from the first to the last")
      ], weight: runs.durationNs, subject: runs.mode)
  }
}
