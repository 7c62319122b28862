/// How the loop itself is used: spinning, nesting, waking, queues, sources, observers.
enum LoopRules {
  static func findings(in analysis: Analysis) -> [Finding] {
    spins(analysis) + nested(analysis) + slowWhileTracking(analysis) + mainQueue(analysis) + sources(analysis)
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
      return Finding(
        rule: .spins, severity: .warning,
        text:
          "\(mode.polls) of \(mode.passes) passes in \(Say.name(mode.mode)) did not wait: \(Units.significant(rate)) a second.",
        remedy: "Run it with a time limit above 0, or let a source or timer wake it.", evidence: [],
        weight: mode.busyNs, subject: mode.mode)
    }
  }

  private static func nested(_ analysis: Analysis) -> [Finding] {
    // Tracking is a nested run of the callout that begins it: that is how it is meant to be.
    func trackingNs(_ thread: UInt32) -> UInt64 {
      analysis.modes.filter { $0.thread == thread && FindingRules.isTracking($0.mode) }.reduce(0) {
        $0 &+ $1.timeNs
      }
    }
    return analysis.callouts.filter {
      $0.nestedNs >= 100_000_000 && $0.nestedNs > trackingNs($0.thread) &+ 100_000_000
    }.prefix(5).map { callout in
      Finding(
        rule: .nestedRuns, severity: .info,
        text:
          "\(callout.kind) \(Say.name(callout.name)) ran nested loops for \(Units.duration(callout.nestedNs)).",
        remedy: "Meanwhile its own mode's items wait, and blocks of the main queue wait if it is one.",
        evidence: [],
        weight: callout.nestedNs, subject: callout.name)
    }
  }

  /// Half a frame at 60 Hz.
  private static let longWhileTrackingNs: UInt64 = 8_000_000

  private static func slowWhileTracking(_ analysis: Analysis) -> [Finding] {
    analysis.callouts.compactMap { callout -> Finding? in
      let tracking = callout.timeNsByMode.filter { FindingRules.isTracking($0.mode) }.reduce(0) {
        $0 &+ $1.ns
      }
      // The mean of a callout that runs in other modes, too, says nothing of tracking.
      guard callout.count >= 10, isAtLeast(tracking, 0.9, of: callout.timeNs),
        callout.timeNs / callout.count >= longWhileTrackingNs
      else { return nil }
      return Finding(
        rule: .slowWhileTracking, severity: .warning,
        text:
          "\(callout.kind) \(Say.name(callout.name)) took \(Units.duration(callout.timeNs / callout.count)) each of "
          + "\(callout.count) times while tracking, \(Units.duration(callout.longestNs)) at worst.",
        remedy: "Do not wait or work there: keep the answer, or ask before the finger is down.",
        evidence: [
          Finding.Evidence(
            startNs: callout.longestStartNs, durationNs: callout.longestNs,
            callout: "\(callout.kind) \(callout.name)", note: "longest")
        ], weight: tracking, subject: callout.name)
    }.prefix(5).map { $0 }
  }

  private static func mainQueue(_ analysis: Analysis) -> [Finding] {
    let waits = analysis.queues.mainQueueWaitNs
    guard waits.count > 0, waits.p99 >= 100_000_000 else { return [] }
    return [
      Finding(
        rule: .mainQueueWaits, severity: .warning,
        text:
          "Blocks of the main queue waited up to \(Units.duration(waits.max)) (p99 \(Units.duration(waits.p99)), \(waits.count) blocks).",
        remedy: "Sources that signal themselves and long callouts keep the loop from serving the queue.",
        evidence: [], weight: waits.max)
    ]
  }

  private static func sources(_ analysis: Analysis) -> [Finding] {
    analysis.sources.filter { $0.signalToCalloutNs.count > 0 && $0.signalToCalloutNs.p99 >= 100_000_000 }.map
    {
      Finding(
        rule: .slowSource, severity: .warning,
        text:
          "Source \(Say.name($0.name)) was served up to \(Units.duration($0.signalToCalloutNs.max)) after its signal "
          + "(p99 \(Units.duration($0.signalToCalloutNs.p99)), \(Say.count($0.signals, "signal", "signals"))).",
        remedy: "Wake the loop after the signal, and see that its mode is the one that runs.", evidence: [],
        weight: $0.signalToCalloutNs.max, subject: $0.name)
    }
  }

  private static func observers(_ analysis: Analysis) -> [Finding] {
    analysis.modes.compactMap { mode in
      let total = (mode.observersNs ?? [:]).values.reduce(0, &+)
      guard total >= 100_000_000, isAtLeast(total, 0.25, of: mode.busyNs),
        let worst = mode.observersNs?.max(by: { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) })
      else { return nil }
      return Finding(
        rule: .costlyObservers, severity: .warning,
        text:
          "Observers took \(Units.percent(total, of: mode.busyNs)) of the busy time in \(Say.name(mode.mode)), "
          + "\(Units.duration(worst.value)) of it at \(worst.key.name).",
        remedy: "Observers of BeforeWaiting lay out and draw: make less to draw, or less often.",
        evidence: [],
        weight: total, subject: mode.mode)
    }
  }

  private static func emptyWakes(_ analysis: Analysis) -> [Finding] {
    analysis.modes.compactMap { mode in
      guard let empty = mode.emptyWakes, empty > 100, isAtLeast(empty, 0.5, of: mode.wakes), mode.timeNs > 0,
        Double(empty) / (Double(mode.timeNs) / 1e9) > 10
      else { return nil }
      return Finding(
        rule: .wakesForNothing, severity: .info,
        text:
          "\(empty) of \(mode.wakes) wake-ups in \(Say.name(mode.mode)) ran nothing but observers.",
        remedy: "Somebody wakes the loop without work for it, or what it does was not recorded.",
        evidence: [],
        weight: empty, subject: mode.mode)
    }
  }

  private static func lost(_ analysis: Analysis) -> [Finding] {
    guard analysis.trace.lostEvents > 0 else { return [] }
    return [
      Finding(
        rule: .lostEvents, severity: .warning,
        text:
          "\(analysis.trace.lostEvents) of \(analysis.trace.events) events were lost: numbers around them are lower bounds.",
        remedy: "Record less (--level activities, --thread main), or with larger rings.", evidence: [],
        weight: analysis.trace.lostEvents)
    ]
  }
}
