import TraceResults

extension RuleID { public static let doubledMarks: RuleID = "RL020" }

extension FindingRule {
  static let doubledMarks = FindingRule(
    .doubledMarks, "life-cycle marks came twice",
    remedy: "Compensate countdowns once a stay, not once a notification."
  ) { analysis in
    let stays = analysis.lifeCycle.stays.filter { $0.doubledMarks > 0 }
    guard let first = stays.first else { return nil }
    let marks = stays.reduce(0) { $0 &+ $1.doubledMarks }
    return Finding(
      .info,
      "\(count: marks, "doubled_marks", "mark", "marks") of leaving or returning only repeated the one before",
      headline: Finding.Headline(.other("\(marks)"), "repeated"),
      evidence: [.span(first.startNs, first.durationNs, "stay")], weight: 0)
  }
}
