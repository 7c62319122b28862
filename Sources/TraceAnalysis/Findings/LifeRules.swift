/// The app's life: suspension, background tasks, services.
enum LifeRules {
  static func findings(in analysis: Analysis) -> [Finding] {
    suspended(analysis) + tasks(analysis) + total(analysis) + unprotected(analysis) + doubled(analysis)
      + launch(analysis) + stuckBehindExit(analysis)
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
    let life = analysis.lifeCycle
    let grace = analysis.profile?.backgroundGraceNs ?? Profile.watchdog.backgroundGraceNs ?? 0
    // What an app may do right behind leaving needs no task. Of a span that was under way when the window began, nobody
    // knows whether it began with the stay.
    let from = analysis.trace.fromNs
    let spans = life.unprotected.filter { span in
      let stay = life.stays.first {
        $0.startNs == span.startNs
          || span.startNs == from && $0.startNs < from && $0.startNs &+ $0.durationNs > from
      }
      return span.startNs &+ span.durationNs > (stay.map { $0.startNs &+ grace } ?? span.startNs)
    }
    guard !spans.isEmpty else { return [] }
    let time = analysis.lifeCycle.unprotectedNs
    return [
      Finding(
        .unprotectedBackground, .warning,
        "In the background with neither task nor service for \(ns: time, "unprotected_ns"): the system may suspend the app there.",
        advice: "Begin the task before the service stops, and start the service before the task ends.",
        headline: Finding.Headline(value: Units.duration(time), label: "unprotected in the background"),
        evidence: spans.prefix(4).map {
          Finding.Evidence(startNs: $0.startNs, durationNs: $0.durationNs, callout: nil, note: "unprotected")
        }, weight: time)
    ]
  }

  /// Tasks of one stay, against what the profile allows them together.
  private static func total(_ analysis: Analysis) -> [Finding] {
    guard let profile = analysis.profile, let limit = profile.backgroundTotalNs else { return [] }
    let tasks = analysis.lifeCycle.tasks.map { ($0.startNs, $0.startNs &+ $0.usedNs) }.sorted { $0.0 < $1.0 }
    return analysis.lifeCycle.stays.compactMap { stay in
      var covered: UInt64 = 0
      var until = stay.startNs
      for task in tasks {
        let (from, to) = (max(task.0, until), min(task.1, stay.startNs &+ stay.durationNs))
        if to > from {
          covered &+= to - from
          until = to
        }
      }
      guard isAtLeast(covered, 0.5, of: limit) else { return nil }
      return Finding(
        .backgroundTotal, covered >= limit ? .error : .warning,
        "Background tasks of one stay took \(ns: covered, "tasks_ns"): \(percent: covered, of: limit, "of_limit_percent") of the \(ns: limit, "limit_ns") that profile \(name: profile.name) allows them together.",
        advice: "Finish the work, or leave the rest to a service or a scheduled task.",
        headline: Finding.Headline(value: Units.duration(covered), label: "of background tasks"),
        evidence: [Finding.Evidence(startNs: stay.startNs, durationNs: stay.durationNs, note: "stay")],
        weight: covered)
    }
  }

  /// From the mark to the first run of the main loop, without suspension.
  private static func launch(_ analysis: Analysis) -> [Finding] {
    guard let loop = analysis.loops.first(where: { $0.thread.isMain }), let run = loop.firstRunNs,
      let mark = analysis.lifeCycle.phases.last(where: { $0.phase == .launching && $0.startNs <= run }),
      // When a phase that was under way before the window began is not known.
      mark.startNs > analysis.trace.fromNs || analysis.trace.fromNs == 0,
      let limit = (analysis.profile ?? .watchdog).limits[.launching] ?? analysis.profile?.limitNs
    else { return [] }
    let suspended = analysis.trace.suspensions.reduce(UInt64(0)) { sum, suspension in
      let from = max(suspension.startNs, mark.startNs)
      let to = min(suspension.startNs &+ suspension.durationNs, run)
      return sum &+ (to > from ? to - from : 0)
    }
    let took = run - mark.startNs
    let time = took - min(took, suspended)
    guard isAtLeast(time, 0.5, of: limit) else { return [] }
    let allowed: Sentence =
      analysis.profile.map { "profile \(name: $0.name) allows" } ?? "the system allows"
    return [
      Finding(
        .slowLaunch, time >= limit ? .error : .warning,
        "From the mark of launching to the first run of the main loop \(ns: time, "launch_ns") passed: \(percent: time, of: limit, "of_limit_percent") of the \(ns: limit, "limit_ns") that \(allowed).",
        advice:
          "Nothing is answered before that run: leave what can wait until it runs, or to another thread.",
        headline: Finding.Headline(value: Units.duration(time), label: "until the loop ran"),
        evidence: [
          Finding.Evidence(startNs: mark.startNs, durationNs: time, note: "from the mark to the run")
        ],
        weight: time)
    ]
  }

  /// The program goes on, and its main thread serves no loop any more.
  private static func stuckBehindExit(_ analysis: Analysis) -> [Finding] {
    guard let loop = analysis.loops.first(where: { $0.thread.isMain }), let time = loop.livedOnNs,
      time >= FindingLimits.outsideRunsNs
    else { return [] }
    let end = analysis.trace.toNs
    return [
      Finding(
        .stuckBehindExit, time >= FindingLimits.stuckNs ? .warning : .info,
        "The main thread has run no loop since its last run ended, and the program went on for \(ns: time, "lived_on_ns") at least: whether it worked, waited or was stuck is not in this recording.",
        advice: "If the program was to answer meanwhile, find out what its main thread does behind the run.",
        headline: Finding.Headline(value: Units.duration(time), label: "behind the last run"),
        evidence: [
          Finding.Evidence(
            startNs: end - min(time, end), durationNs: time, note: "until the last sign of life, or later")
        ], weight: time)
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
