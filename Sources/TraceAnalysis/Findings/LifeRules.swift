/// The app's life: suspension, background tasks, services.
enum LifeRules {
  static func findings(in analysis: Analysis) -> [Finding] {
    suspended(analysis) + tasks(analysis) + unprotected(analysis) + doubled(analysis)
  }

  private static func suspended(_ analysis: Analysis) -> [Finding] {
    guard analysis.trace.suspendedNs > 0 else { return [] }
    let times = UInt64(analysis.trace.suspensions.count + analysis.trace.suspensionsOmitted)
    return [
      Finding(
        rule: .suspended, severity: .info,
        text:
          "The process was suspended for \(Units.duration(analysis.trace.suspendedNs)) (\(Say.count(times, "time", "times"))): not a hang.",
        remedy: "",
        evidence: analysis.trace.suspensions.prefix(4).map {
          Finding.Evidence(
            startNs: $0.startNs, durationNs: $0.durationNs, callout: nil, note: $0.evidence.rawValue)
        }, weight: analysis.trace.suspendedNs)
    ]
  }

  private static func tasks(_ analysis: Analysis) -> [Finding] {
    analysis.lifeCycle.tasks.filter { $0.outcome == .expired }.prefix(5).map {
      Finding(
        rule: .taskExpired, severity: .warning,
        text:
          "Background task \(Say.name($0.name)) expired after \(Units.duration($0.usedNs)) (budget \(Units.duration($0.budgetNs))).",
        remedy: "End it before its budget is used up, and begin the next one before that.",
        evidence: [
          Finding.Evidence(startNs: $0.startNs, durationNs: $0.usedNs, callout: nil, note: "task")
        ], weight: $0.usedNs)
    }
  }

  private static func unprotected(_ analysis: Analysis) -> [Finding] {
    guard !analysis.lifeCycle.unprotected.isEmpty else { return [] }
    return [
      Finding(
        rule: .unprotectedBackground, severity: .warning,
        text:
          "In the background with neither task nor service for \(Units.duration(analysis.lifeCycle.unprotectedNs)): "
          + "the system may suspend the app there.",
        remedy: "Begin the task before the service stops, and start the service before the task ends.",
        evidence: analysis.lifeCycle.unprotected.prefix(4).map {
          Finding.Evidence(startNs: $0.startNs, durationNs: $0.durationNs, callout: nil, note: "unprotected")
        }, weight: analysis.lifeCycle.unprotectedNs)
    ]
  }

  private static func doubled(_ analysis: Analysis) -> [Finding] {
    let stays = analysis.lifeCycle.stays.filter { $0.doubledMarks > 0 }
    guard let first = stays.first else { return [] }
    return [
      Finding(
        rule: .doubledMarks, severity: .info,
        text:
          "The app told itself of leaving or returning \(Say.count(stays.reduce(0) { $0 + $1.doubledMarks }, "time", "times")) too often.",
        remedy: "Compensate countdowns once a stay, not once a notification.",
        evidence: [
          Finding.Evidence(startNs: first.startNs, durationNs: first.durationNs, callout: nil, note: "stay")
        ], weight: 0)
    ]
  }
}
