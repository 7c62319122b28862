import TraceResults

extension RuleID { public static let mainQueueWaits: RuleID = "RL013" }

extension FindingRule {
  static let mainQueueWaits = FindingRule(
    .mainQueueWaits, "blocks of the main queue wait long", needs: [.callouts],
    remedy:
      "Look for long callouts and for sources that signal themselves. Both keep the loop from serving the queue."
  ) { analysis in
    let waits = analysis.queues.mainQueueWaitNs
    guard waits.count > 0, waits.p99 >= FindingLimits.noticeableNs else { return nil }
    let advice: Sentence =
      analysis.loops.contains { $0.thread.isMainQueue }
      ? "Look for long callouts and for a thread pool in which all threads are busy. Both delay the queue."
      : ""
    return Finding(
      .warning,
      "Blocks of the main queue waited up to \(ns: waits.max, "max_ns") (p99 \(ns: waits.p99, "p99_ns"), \(count: waits.count, "count", "block", "blocks"))",
      advice: advice,
      headline: .time(waits.max, advice.isEmpty ? "waited for the loop" : "waited for their turn"),
      evidence: [
        .span(analysis.queues.longestMainQueueWaitStartNs, waits.max, "the longest wait of a block")
      ], weight: waits.max)
  }
}
