/// The app's life: suspension, background tasks, services.
enum LifeRules {
  static func findings(in analysis: Analysis) -> [Finding] {
    suspended(analysis) + tasks(analysis) + unprotected(analysis) + doubled(analysis)
  }

  private static func suspended(_ analysis: Analysis) -> [Finding] {
    let suspended = analysis.trace.suspendedNs
    guard suspended > 0 else { return [] }
    let times = UInt64(analysis.trace.suspensions.count + analysis.trace.suspensionsOmitted)
    return [
      Finding(
        .suspended, .info,
        "The process was suspended for \(ns: suspended, "suspended_ns") (\(count: times, "suspensions", "time", "times")): not a hang.",
        headline: Finding.Headline(value: Units.duration(suspended), label: "suspended"),
        evidence: analysis.trace.suspensions.prefix(4).map {
          Finding.Evidence(
            startNs: $0.startNs, durationNs: $0.durationNs, callout: nil, note: $0.evidence.rawValue)
        }, weight: suspended)
    ]
  }

  private static func tasks(_ analysis: Analysis) -> [Finding] {
    analysis.lifeCycle.tasks.filter { $0.outcome == .expired }.map { task in
      let budget: Sentence = task.budgetNs > 0 ? " (budget \(ns: task.budgetNs, "budget_ns"))" : ""
      return Finding(
        .taskExpired, .warning,
        "Background task \(name: task.name) expired after \(ns: task.usedNs, "used_ns")\(budget).",
        advice: "End it before its budget is used up, and begin the next one before that.",
        headline: Finding.Headline(value: Units.duration(task.usedNs), label: "until it expired"),
        evidence: [
          Finding.Evidence(startNs: task.startNs, durationNs: task.usedNs, callout: nil, note: "task")
        ], weight: task.usedNs, subject: task.name)
    }
  }

  private static func unprotected(_ analysis: Analysis) -> [Finding] {
    guard !analysis.lifeCycle.unprotected.isEmpty else { return [] }
    let time = analysis.lifeCycle.unprotectedNs
    return [
      Finding(
        .unprotectedBackground, .warning,
        "In the background with neither task nor service for \(ns: time, "unprotected_ns"): the system may suspend the app there.",
        advice: "Begin the task before the service stops, and start the service before the task ends.",
        headline: Finding.Headline(value: Units.duration(time), label: "unprotected in the background"),
        evidence: analysis.lifeCycle.unprotected.prefix(4).map {
          Finding.Evidence(startNs: $0.startNs, durationNs: $0.durationNs, callout: nil, note: "unprotected")
        }, weight: time)
    ]
  }

  private static func doubled(_ analysis: Analysis) -> [Finding] {
    let stays = analysis.lifeCycle.stays.filter { $0.doubledMarks > 0 }
    guard let first = stays.first else { return [] }
    let marks = stays.reduce(0) { $0 &+ $1.doubledMarks }
    return [
      Finding(
        .doubledMarks, .info,
        "\(count: marks, "doubled_marks", "mark", "marks") of leaving or returning only repeated the one before.",
        advice: "Compensate countdowns once a stay, not once a notification.",
        headline: Finding.Headline(value: "\(marks)", label: "repeated"),
        evidence: [
          Finding.Evidence(startNs: first.startNs, durationNs: first.durationNs, callout: nil, note: "stay")
        ], weight: 0)
    ]
  }
}
