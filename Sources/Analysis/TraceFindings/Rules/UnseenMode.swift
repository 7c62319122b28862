import TraceResults

extension RuleID { package static let unseenMode: RuleID = "RL016" }

extension FindingRule {
  static let unseenMode = FindingRule.timer(
    .unseenMode, "timer is only in modes that its loop never ran",
    plural: "are only in modes that their loops never ran",
    remedy: "Add it to a mode that its loop runs in.", remedies: "Add them to modes that their loops run in.",
    isAboutModes: true
  ) { timer, ledger, analysis in
    guard timer.fired == 0, ledger.due > 0, !timer.modes.isEmpty, let thread = timer.thread else {
      return nil
    }
    let ran = analysis.modes.filter { $0.thread == thread && ($0.timeNs > 0 || $0.passes > 0) }.map(\.mode)
      .ordered()
    guard !ran.isEmpty, Set(ran).isDisjoint(with: timer.modes) else { return nil }
    func list(_ modes: [String], _ conjunction: String) -> Sentence {
      Phrase.list(modes, limit: 4, others: "other_modes", conjunction: conjunction)
    }
    return Finding(
      .warning,
      "\(timer.said) never fired, although \(count: ledger.due, "due", "fire was", "fires were") due. Its loop ran \(list(ran, "and")), but never \(list(timer.modes, "or"))",
      headline: Finding.Headline(.other("\(ledger.due)"), "fires due and missed"),
      weight: timer.timeNs(of: ledger.due))
  }
}
