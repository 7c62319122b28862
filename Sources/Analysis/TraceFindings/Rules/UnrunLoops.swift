import TraceResults

extension RuleID { package static let loopNeverRan: RuleID = "RL042" }

extension FindingRule {
  /// Reports loops that hold items and never ran. Work that is known to wait for such a loop has its own rules.
  static let loopNeverRan = FindingRule(
    .loopNeverRan, "work was bound to a loop that never ran",
    plural: .subjects("loops hold work and never ran"), needs: [.callouts],
    remedy:
      "Run the loop on its own thread for as long as the items are needed, or add them to a loop that runs, such as the main one.",
    of: \.unrunLoops
  ) { loop, analysis in
    guard let severity = SeverityTable.neverRan(loop) else { return nil }
    let items = loop.items.prefix(3).map { item -> Sentence in "\(item.kind.words) \(name: item.name)" }
    let left = UInt64(clamping: loop.items.count - items.count)
    let all = (left > 0 ? items + ["\(count: left, "other_items", "other", "others")"] : items).listed()
    let end: Sentence =
      loop.endedNs.map { "its thread ended at \(moment: $0, "ended_ns")" } ?? Phrase.end(analysis)
    return Finding(
      severity,
      "The loop \(name: loop.loop) never ran, although the program added items to it from \(moment: loop.boundNs, "bound_ns") on: \(all). In the \(ns: loop.waitedNs, "waited_ns") until \(end), it served none of them",
      headline: .time(loop.waitedNs, "in a loop that never ran"),
      evidence: [.span(loop.boundNs, loop.waitedNs, "the loop had items and did not run")],
      weight: loop.waitedNs, subject: loop.loop)
  }
}

extension LoopItemKind {
  fileprivate var words: String {
    switch self {
    case .source0, .source1: "source"
    case .observer: "observer"
    case .timer: "timer"
    }
  }
}
