import TraceResults

extension RuleID { package static let declaredStarvation: RuleID = "RL008" }

extension FindingRule {
  static let declaredStarvation = FindingRule.timer(
    .declaredStarvation, "timer waits because it is declared deferrable", of: .wrongMode,
    plural: "wait because they are declared deferrable", isAboutModes: true
  ) { timer, ledger, _ in
    guard timer.isDeferrable, let starved = WrongMode(timer, ledger) else { return nil }
    return starved.finding(.info, "\(starved.sentence). The timer is declared deferrable")
  }
}
