/// How the loop itself is used: spinning, nesting, waking, queues, sources, observers.
enum LoopRules {
  static func findings(in analysis: Analysis) -> [Finding] {
    spins(analysis) + emptyRuns(analysis) + nested(analysis) + slowWhileTracking(analysis)
      + mainQueue(analysis) + sources(analysis)
      + observers(analysis)
      + emptyWakes(analysis) + lost(analysis)
  }

  private static func spins(_ analysis: Analysis) -> [Finding] {
    analysis.modes.compactMap { mode in
      guard mode.polls > 1000, isAtLeast(mode.polls, 0.9, of: mode.passes), mode.timeNs > 0 else {
        return nil
      }
      let rate = Double(mode.polls) / (Double(mode.timeNs) / 1e9)
      guard rate > 1000 else { return nil }
      let figure = Figure(name: "polls_per_s", value: .rate(rate))
      return Finding(
        .spins, .warning,
        "\(count: mode.polls, "polls") of \(count: mode.passes, "passes", "pass", "passes") in \(name: mode.mode) did not wait: \(figure) a second.",
        advice: "Run it with a time limit above zero, or let a source or timer wake it.",
        headline: Finding.Headline(value: figure.text, label: "passes per second"), weight: mode.busyNs,
        subject: mode.mode)
    }
  }

  /// A loop around CFRunLoopRunInMode that burns the processor.
  private static func emptyRuns(_ analysis: Analysis) -> [Finding] {
    analysis.emptyRuns.compactMap { runs in
      guard runs.count > 1000, runs.durationNs > 0 else { return nil }
      let rate = Double(runs.count) / (Double(runs.durationNs) / 1e9)
      guard rate > 1000 else { return nil }
      let figure = Figure(name: "runs_per_s", value: .rate(rate))
      return Finding(
        .emptyRuns, .warning,
        "\(count: runs.count, "empty_runs", "run", "runs") of \(name: runs.mode) returned at once, \(figure) a second: the mode has no source, timer or block.",
        advice: "Add a source or timer to the mode before it is run, or wait for something else.",
        headline: Finding.Headline(value: figure.text, label: "empty runs per second"),
        evidence: [
          Finding.Evidence(
            startNs: runs.startNs, durationNs: runs.durationNs, note: "from the first to the last")
        ], weight: runs.durationNs, subject: runs.mode)
    }
  }

  private static func nested(_ analysis: Analysis) -> [Finding] {
    // Tracking is a nested run of the callout that begins it: that is how it is meant to be.
    func trackingNs(_ thread: UInt32) -> UInt64 {
      analysis.modes.filter { $0.thread == thread && ModeName.isTracking($0.mode) }.reduce(0) {
        $0 &+ $1.timeNs
      }
    }
    return analysis.callouts.filter {
      $0.nestedNs >= FindingLimits.noticeableNs
        && $0.nestedNs > trackingNs($0.thread) &+ FindingLimits.noticeableNs
    }.map { callout in
      Finding(
        .nestedRuns, .info,
        "\(Say.callout(callout.kind, callout.name)) ran nested loops for \(ns: callout.nestedNs, "nested_ns").",
        advice: "Meanwhile its own mode's items wait, and blocks of the main queue wait if it is one.",
        headline: Finding.Headline(value: Units.duration(callout.nestedNs), label: "in nested loops"),
        weight: callout.nestedNs, subject: callout.name)
    }
  }

  private static func slowWhileTracking(_ analysis: Analysis) -> [Finding] {
    analysis.callouts.compactMap { callout -> Finding? in
      let tracking = callout.timeNsByMode.filter { ModeName.isTracking($0.mode) }.reduce(0) {
        $0 &+ $1.ns
      }
      // The mean of a callout that runs in other modes as well says nothing of tracking.
      guard callout.count >= 10, isAtLeast(tracking, 0.9, of: callout.timeNs),
        callout.timeNs / callout.count >= FindingLimits.longWhileTrackingNs
      else { return nil }
      let mean = callout.timeNs / callout.count
      return Finding(
        .slowWhileTracking, .warning,
        "\(Say.callout(callout.kind, callout.name)) took \(ns: mean, "mean_ns") each of \(count: callout.count, "count", "time", "times") while tracking, \(ns: callout.longestNs, "longest_ns") at worst.",
        advice: "Do not wait or work there: keep the answer, or ask before the finger is down.",
        headline: Finding.Headline(value: Units.duration(mean), label: "each time while tracking"),
        evidence: [
          Finding.Evidence(
            startNs: callout.longestStartNs, durationNs: callout.longestNs,
            callout: "\(callout.kind) \(callout.name)", note: "longest")
        ], weight: tracking, subject: callout.name)
    }
  }

  private static func mainQueue(_ analysis: Analysis) -> [Finding] {
    let waits = analysis.queues.mainQueueWaitNs
    guard waits.count > 0, waits.p99 >= FindingLimits.noticeableNs else { return [] }
    return [
      Finding(
        .mainQueueWaits, .warning,
        "Blocks of the main queue waited up to \(ns: waits.max, "max_ns") (p99 \(ns: waits.p99, "p99_ns"), \(count: waits.count, "count", "block", "blocks")).",
        advice: "Sources that signal themselves and long callouts keep the loop from serving the queue.",
        headline: Finding.Headline(value: Units.duration(waits.max), label: "waited for the loop"),
        weight: waits.max)
    ]
  }

  private static func sources(_ analysis: Analysis) -> [Finding] {
    analysis.sources.filter {
      $0.signalToCalloutNs.count > 0 && $0.signalToCalloutNs.p99 >= FindingLimits.noticeableNs
    }.map { source in
      let delay = source.signalToCalloutNs
      return Finding(
        .slowSource, .warning,
        "Source \(name: source.name) was served up to \(ns: delay.max, "max_ns") after its signal (p99 \(ns: delay.p99, "p99_ns"), \(count: source.signals, "signals", "signal", "signals")).",
        advice: "Wake the loop after the signal, and see that its mode is the one that runs.",
        headline: Finding.Headline(value: Units.duration(delay.max), label: "from signal to callout"),
        weight: delay.max, subject: source.name)
    }
  }

  private static func observers(_ analysis: Analysis) -> [Finding] {
    analysis.modes.compactMap { mode in
      let total = (mode.observersNs ?? [:]).values.reduce(0, &+)
      guard total >= FindingLimits.noticeableNs, isAtLeast(total, 0.25, of: mode.busyNs),
        // The first activity of those that took the same.
        let worst = mode.observersNs?.max(by: { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) })
      else { return nil }
      return Finding(
        .costlyObservers, .warning,
        "Observers took \(percent: total, of: mode.busyNs, "of_busy_percent") of the busy time in \(name: mode.mode), \(ns: worst.value, "worst_ns") of it at \(worst.key.name).",
        advice: worst.key == .beforeWaiting
          ? "Observers of BeforeWaiting lay out and draw: make less to draw, or less often."
          : "They run in each pass: do less there, or less often.",
        headline: Finding.Headline(
          value: Figure.percent("", total, of: mode.busyNs).text, label: "of the busy time in observers"),
        weight: total, subject: mode.mode)
    }
  }

  private static func emptyWakes(_ analysis: Analysis) -> [Finding] {
    analysis.modes.compactMap { mode in
      guard let empty = mode.emptyWakes, empty > 100, isAtLeast(empty, 0.5, of: mode.wakes), mode.timeNs > 0,
        Double(empty) / (Double(mode.timeNs) / 1e9) > 10
      else { return nil }
      return Finding(
        .wakesForNothing, .info,
        "\(count: empty, "wakes_for_nothing") of \(count: mode.wakes, "wakes", "wake-up", "wake-ups") in \(name: mode.mode) ran nothing but observers.",
        advice: "Somebody wakes the loop without work for it, or what it does was not recorded.",
        headline: Finding.Headline(value: "\(empty) of \(mode.wakes)", label: "wake-ups for nothing"),
        weight: empty, subject: mode.mode)
    }
  }

  private static func lost(_ analysis: Analysis) -> [Finding] {
    let lost = analysis.trace.lostEvents
    guard lost > 0 else { return [] }
    return [
      Finding(
        .lostEvents, .warning,
        "\(count: lost, "lost_events", "event was", "events were") lost beside the \(count: analysis.trace.events, "events") recorded: numbers around them are lower bounds.",
        advice: "Record less (--level activities, --thread main), or with larger rings.",
        headline: Finding.Headline(value: "\(lost)", label: lost == 1 ? "event lost" : "events lost"),
        weight: lost)
    ]
  }
}
