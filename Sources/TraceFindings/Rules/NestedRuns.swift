import RunLoopVocabulary
import TraceResults

extension RuleID { public static let nestedRuns: RuleID = "RL012" }

extension FindingRule {
  static let nestedRuns = FindingRule(
    .nestedRuns, "callouts run nested loops for a long time",
    plural: .subjects("callouts run nested loops for a long time"), needs: [.callouts],
    of: \.callouts
  ) { callout, analysis in
    // Tracking is normally a nested run of the callout that begins it.
    let nestedNs = ownNestedNs(callout, analysis)
    guard nestedNs >= FindingLimits.noticeableNs,
      nestedNs > Tracking.timeNs(analysis, thread: callout.thread) &+ FindingLimits.noticeableNs
    else { return nil }
    let kinds: [CalloutKind] = [.mainQueueDrain, .mainQueueBlock]
    let holdsQueue = kinds.contains { $0.rawValue == callout.kind }
    return Finding(
      .info,
      "\(Phrase.callout(callout.kind, callout.name)) ran nested loops for \(ns: nestedNs, "nested_ns")",
      advice: holdsQueue
        ? "The items of the outer mode and the blocks of the main queue wait until the nested loops end."
        : "The items of the outer mode wait until the nested loops end.",
      headline: .time(nestedNs, "in nested loops"), weight: nestedNs, subject: callout.name)
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
