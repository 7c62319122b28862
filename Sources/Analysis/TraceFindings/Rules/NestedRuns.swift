import TraceResults

extension RuleID { package static let nestedRuns: RuleID = "RL012" }

extension FindingRule {
  static let nestedRuns = FindingRule(
    .nestedRuns, "callouts run nested loops for a long time",
    plural: .subjects("callouts run nested loops for a long time"), needs: [.callouts],
    // Code that runs on a thread of another queue may run a loop as its whole purpose.
    of: { $0.callouts.filter { $0.kind != CalloutKind.work.rawValue } }
  ) { callout, analysis in
    // Tracking is normally a nested run of the callout that begins it.
    let nestedNs = ownNestedNs(callout, analysis)
    guard nestedNs >= FindingLimits.noticeableNs,
      nestedNs > Tracking.timeNs(analysis, thread: callout.thread) &+ FindingLimits.noticeableNs
    else { return nil }
    let times: Sentence =
      callout.nestedCount > 1
      ? " in all, \(count: callout.nestedCount, "nested_count") times, the longest for \(ns: callout.longestNestedNs, "longest_nested_ns")"
      : ""
    var finding = Finding(
      .info,
      "\(Phrase.callout(callout.kind, callout.name)) ran nested loops for \(ns: nestedNs, "nested_ns")\(times)",
      advice: NestedRuns.advice(callout.kind),
      headline: .time(nestedNs, "in nested loops"),
      evidence: [
        .span(callout.longestNestedStartNs, callout.longestNestedNs, "in nested loops, the longest time")
      ], weight: nestedNs, subject: callout.name)
    finding.sampled = NestedRuns.places(of: callout, analysis)
    finding.thread = callout.thread
    return finding
  }

  /// A drain of the main queue runs blocks, not loops. The nested runs inside it belong to its blocks and count once.
  private static func ownNestedNs(_ callout: CalloutResult, _ analysis: Analysis) -> UInt64 {
    guard callout.kind == CalloutKind.mainQueueDrain.rawValue else { return callout.nestedNs }
    let ofBlocks = analysis.callouts.filter {
      $0.thread == callout.thread && $0.kind == CalloutKind.mainQueueBlock.rawValue
    }.map(\.nestedNs).saturatedSum
    return callout.nestedNs &- min(callout.nestedNs, ofBlocks)
  }
}

/// Runs that a callout started.
enum NestedRuns {
  /// The advice for a callout of this kind that runs loops.
  static func advice(_ kind: String) -> Sentence {
    let waits: Sentence =
      switch CalloutKind(rawValue: kind) {
      case .timer: "the timer does not fire again"
      case .mainQueueDrain, .mainQueueBlock: "other blocks of the main queue do not run"
      default: "it is not called again"
      }
    return
      "Until the callout returns, \(waits), and items that are only in other modes wait. Return, and continue in a completion handler."
  }

  /// The place where a callout ran a loop, if the recording has it: on a stack with the callout's function, or on any
  /// stack of the thread if no other callout of it ran loops. A tail call leaves no frame of the callout's function.
  static func places(of callout: CalloutResult, _ analysis: Analysis) -> [Finding.Place] {
    let osThread = analysis.thread(callout.thread).osThread
    let stacks = analysis.sampledStacks.filter { $0.reason == .nestedRun && $0.osThread == osThread }
    let runners = analysis.callouts.filter {
      $0.thread == callout.thread && $0.nestedCount > 0 && $0.kind != CalloutKind.mainQueueDrain.rawValue
    }
    let stack =
      stacks.first { $0.frames.contains { $0.name == callout.name } }
      ?? (runners.count == 1 ? stacks.first : nil)
    return (stack?.frames.first { $0.isOwn }).map { [Finding.Place(.runner, $0)] } ?? []
  }
}
