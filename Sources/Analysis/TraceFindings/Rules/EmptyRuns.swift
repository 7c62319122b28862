import TraceResults

extension RuleID { package static let emptyRuns: RuleID = "RL029" }

extension FindingRule {
  /// Reports a loop around CFRunLoopRunInMode that uses the processor all the time, or a run that returned although
  /// it was meant to wait.
  static let emptyRuns = FindingRule(
    .emptyRuns, "runs of a mode without items return at once",
    plural: .subjects("modes without items are run, and their runs return at once"),
    remedy: "Add a source or timer to the mode before running it, or wait in another way.",
    of: { analysis in analysis.emptyRuns.filter { !$0.isMostlyPolling(analysis) }.ofModes }
  ) { runs, analysis in
    if let severity = runs.sum.spin { return spin(runs, severity, analysis) }
    return runs.sum.longestTimeoutNs >= noPollNs ? notWaited(runs.sum, analysis) : nil
  }

  /// A caller that gives a run this much time expects it to wait.
  private static let noPollNs: UInt64 = 100_000_000

  private static func spin(
    _ all: EmptyRuns, _ severity: Finding.Severity, _ analysis: Analysis
  ) -> Finding {
    let runs = all.sum
    let rate = Double(runs.count) / (Double(max(runs.durationNs, 1)) / 1e9)
    let figure = Figure.rate("runs_per_s", rate)
    let threads = Set(all.rows.map(\.thread)).ordered()
    let on: Sentence =
      threads.count > 1 ? " on \(count: UInt64(threads.count), "threads", "thread", "threads")" : ""
    let runners = analysis.pollers(onThreads: threads)
    var finding = Finding(
      severity,
      "\(count: runs.count, "empty_runs", "run", "runs") of \(name: runs.mode)\(on) returned at once, \(figure) per second, because the mode had no source, timer or block\(Pollers.sentence(runners) ?? "")",
      headline: Finding.Headline(.other(figure.text), "empty runs per second"),
      evidence: [
        .span(runs.startNs, runs.durationNs, "from the first to the last")
      ], weight: runs.durationNs, subject: runs.mode)
    finding.sampled = runners.map { Finding.Place(.runner, $0) }
    return finding
  }

  /// The caller assumes that the loop waits.
  private static func notWaited(_ runs: EmptyRunsResult, _ analysis: Analysis) -> Finding {
    let figure = Figure.count("empty_runs", runs.count)
    // Stacks do not show the mode of a run.
    let runners = runs.isOnlyMode(analysis) ? analysis.pollers(onThreads: [runs.thread]) : []
    var finding = Finding(
      .info,
      "\(count: runs.count, "empty_runs", "run", "runs") of \(name: runs.mode) returned at once instead of waiting because the mode had no source, timer or block\(Pollers.sentence(runners) ?? "")",
      headline: Finding.Headline(.other(figure.text), "empty runs"),
      evidence: [
        .span(runs.startNs, runs.durationNs, "from the first to the last")
      ], weight: 0, subject: runs.mode)
    finding.sampled = runners.map { Finding.Place(.runner, $0) }
    return finding
  }
}

/// The empty runs of one mode. Loops on which the mode spins are added up.
private struct EmptyRuns {
  var rows: [EmptyRunsResult]
  var sum: EmptyRunsResult

  init(_ row: EmptyRunsResult) {
    rows = [row]
    sum = row
  }

  mutating func add(_ row: EmptyRunsResult) {
    let end = max(sum.startNs &+ sum.durationNs, row.startNs &+ row.durationNs)
    rows.append(row)
    sum.startNs = min(sum.startNs, row.startNs)
    sum.durationNs = end &- sum.startNs
    sum.count = [sum.count, row.count].saturatedSum
    sum.longestTimeoutNs = max(sum.longestTimeoutNs, row.longestTimeoutNs)
  }
}

extension [EmptyRunsResult] {
  fileprivate var ofModes: [EmptyRuns] {
    var all: [EmptyRuns] = []
    for row in self {
      if row.spin != nil,
        let known = all.firstIndex(where: { $0.sum.mode == row.mode && $0.rows[0].spin != nil })
      {
        all[known].add(row)
      } else {
        all.append(EmptyRuns(row))
      }
    }
    return all
  }
}

extension EmptyRunsResult {
  /// Whether the thread ran its loop in no other mode.
  fileprivate func isOnlyMode(_ analysis: Analysis) -> Bool {
    let passed = analysis.modes.filter { $0.thread == thread }.map(\.mode)
    let empty = analysis.emptyRuns.filter { $0.thread == thread }.map(\.mode)
    return (passed + empty).allSatisfy { $0 == mode }
  }

  fileprivate var spin: Finding.Severity? { SeverityTable.polls(count, ns: durationNs) }

  /// Whether most of the fruitless runs of this mode on this thread were runs of a mode with items, so that the rule on
  /// polling reports them.
  fileprivate func isMostlyPolling(_ analysis: Analysis) -> Bool {
    analysis.modes.contains { mode in
      mode.thread == thread && mode.mode == self.mode
        && mode.polling.map { SeverityTable.polls($0) != nil && $0.runs > count } ?? false
    }
  }
}

extension ModeResult {
  /// Whether most of the fruitless runs of this mode on this thread found the mode empty, so that the rule on empty
  /// modes reports them.
  func isMostlyEmpty(_ analysis: Analysis) -> Bool {
    guard let polling else { return false }
    return analysis.emptyRuns.contains {
      $0.thread == thread && $0.mode == mode && $0.spin != nil && $0.count >= polling.runs
    }
  }
}
