import TraceResults

extension RuleID { public static let taskExpired: RuleID = "RL018" }

extension FindingRule {
  static let taskExpired = FindingRule(
    .taskExpired, "a background task expired", needs: [], basis: .itself,
    remedy: "End it before its budget is used up, and begin the next one before that."
  ) { analysis in
    analysis.lifeCycle.tasks.filter { $0.outcome == .expired }.map { task in
      let budget: Sentence = task.budgetNs > 0 ? " (budget \(ns: task.budgetNs, "budget_ns"))" : ""
      return Finding(
        .warning, "Background task \(name: task.name) expired after \(ns: task.usedNs, "used_ns")\(budget)",
        headline: Finding.Headline(value: Units.duration(task.usedNs), label: "until it expired"),
        evidence: [Finding.Evidence(startNs: task.startNs, durationNs: task.usedNs, note: "task")],
        weight: task.usedNs, subject: task.name)
    }
  }
}
