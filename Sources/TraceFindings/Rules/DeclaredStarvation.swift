import TraceResults

extension RuleID { public static let declaredStarvation: RuleID = "RL008" }

extension FindingRule {
  static let declaredStarvation = FindingRule.timer(
    .declaredStarvation, "timer waits, as declared", of: .wrongMode, plural: "wait, as declared"
  ) { timer, ledger, _ in
    guard timer.isDeferrable, let starved = WrongMode(timer, ledger) else { return nil }
    return starved.finding(.info, "\(starved.sentence), as declared")
  }
}
