import TraceResults

extension RuleID { package static let doubledMarks: RuleID = "RL020" }

extension FindingRule {
  static let doubledMarks = FindingRule(
    .doubledMarks, "life-cycle marks were repeated",
    remedy: "Adjust countdowns once per stay in the background, not once per notification."
  ) { analysis in
    let stays = analysis.lifeCycle.stays.filter { $0.doubledMarks > 0 }
    guard let first = stays.first else { return nil }
    let marks = stays.reduce(0) { $0 &+ $1.doubledMarks }
    return Finding(
      .info,
      "\(count: marks, "doubled_marks", "life-cycle mark", "life-cycle marks") repeated the previous one",
      headline: Finding.Headline(.other("\(marks)"), marks == 1 ? "mark" : "marks"),
      evidence: [.span(first.startNs, first.durationNs, "stay in the background")], weight: 0)
  }
}
