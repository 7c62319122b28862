import TraceResults

extension RuleID { package static let taskExpired: RuleID = "RL018" }

extension FindingRule {
  static let taskExpired = FindingRule(
    .taskExpired, "a background task expired",
    plural: .subjects(
      "background tasks expired",
      remedy:
        "Begin each task before the previous one ends, and end each task before its budget is used up."),
    remedy: "Begin the next task before this one ends, and end this one before its budget is used up.",
    of: \.lifeCycle.tasks
  ) { task, _ in
    guard task.outcome == .expired else { return nil }
    let budget: Sentence = task.budgetNs > 0 ? " (budget \(ns: task.budgetNs, "budget_ns"))" : ""
    return Finding(
      .warning, "Background task \(name: task.name) expired after \(ns: task.usedNs, "used_ns")\(budget)",
      headline: .time(task.usedNs, "until it expired"),
      evidence: [.span(task.startNs, task.usedNs, "task")], weight: task.usedNs, subject: task.name)
  }
}
