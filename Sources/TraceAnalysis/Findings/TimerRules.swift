/// Timers that fired late or not at all, by what stood in their way.
enum TimerRules {
  static func findings(_ timer: TimerResult, in analysis: Analysis) -> [Finding] {
    guard let ledger = timer.ledger else { return [] }
    var found: [Finding] = []
    func skipped(_ cause: Cause) -> UInt64 { ledger.skippedBy[cause, default: 0] }
    if skipped(.wrongMode) > 0, !timer.modes.isEmpty { found.append(wrongMode(timer, ledger, analysis)) }
    if skipped(.busy) > 0 { found.append(busy(timer, ledger)) }
    if skipped(.notRunning) > 0 { found.append(notRunning(timer, ledger)) }
    if skipped(.ownCallout) > 0, timer.longestCalloutNs >= timer.intervalNs {
      found.append(ownCallout(timer, ledger))
    }
    if skipped(.suspended) > 0 { found.append(suspended(timer, ledger, analysis)) }
    found += lateWakeUp(timer, ledger)
    found += unseen(timer, ledger, analysis)
    if ledger.pending > 0, ledger.pendingOverdueNs > max(timer.intervalNs, 100_000_000), !timer.modes.isEmpty
    {
      found.append(pending(timer, ledger))
    }
    found += defaultOnly(timer, ledger, analysis)
    for index in found.indices {
      found[index].subject = timer.name
      found[index].timer = timer.id
    }
    return found
  }

  private static func name(_ timer: TimerResult) -> String {
    let interval = timer.intervalNs == 0 ? "one-shot" : "every \(Units.duration(timer.intervalNs))"
    return "Timer \(Say.name(timer.name)) (\(interval))"
  }

  private static func weight(_ timer: TimerResult, _ points: UInt64) -> UInt64 {
    points.multipliedReportingOverflow(by: max(timer.intervalNs, 1)).partialValue
  }

  /// Skipped in a mode that it is not in.
  private static func wrongMode(
    _ timer: TimerResult, _ ledger: TimerLedgerResult, _ analysis: Analysis
  ) -> Finding {
    let points = ledger.skippedBy[.wrongMode, default: 0]
    let blame = ledger.wrongModeBy.max { $0.count < $1.count }
    let mode = blame.map { Say.name($0.mode) } ?? "another mode"
    let wrongNs = ledger.ledgerNs[.wrongMode, default: 0]
    let evidence = [
      Finding.Evidence(
        startNs: nil, durationNs: nil, callout: nil,
        note: ledger.wrongModeBy.map { "\($0.count) skipped while \(Say.name($0.mode)) ran" }.joined(
          separator: ", ")),
      Finding.Evidence(
        startNs: nil, durationNs: wrongNs, callout: nil,
        note: "lateness of those that fired, spent in modes without the timer"),
    ]
    if timer.isDeferrable {
      return Finding(
        rule: .declaredStarvation, severity: .info,
        text:
          "\(name(timer)) waited while \(mode) ran: \(points) of \(ledger.due) fires skipped, as declared.",
        remedy: "", evidence: evidence, weight: weight(timer, points))
    }
    // A timer that is only in modes meant for moments waits for them by design.
    let isOfCommonModes = timer.isCommon || timer.modes.contains(FindingRules.defaultMode)
    let blamesTracking = ledger.wrongModeBy.contains { FindingRules.isTracking($0.mode) }
    return Finding(
      rule: .starvedByMode, severity: isOfCommonModes && blamesTracking ? .error : .info,
      text:
        "\(name(timer)) missed \(points) of \(ledger.due) fires: the loop ran \(mode), which it is not in.",
      remedy: isOfCommonModes
        ? "Add it to the common modes, or declare it deferrable if it is meant to wait."
        : "If it is meant to fire meanwhile, add it to that mode, too.",
      evidence: evidence, weight: weight(timer, points))
  }

  private static func busy(_ timer: TimerResult, _ ledger: TimerLedgerResult) -> Finding {
    let points = ledger.skippedBy[.busy, default: 0]
    let worst = ledger.blockers.max { ($0.points, $0.latenessNs) < ($1.points, $1.latenessNs) }
    let who = worst.map { "\($0.kind) \(Say.name($0.name))" } ?? "callouts that were not recorded"
    let isMuch = isAtLeast(points, 0.1, of: ledger.due)
    return Finding(
      rule: .starvedByBusy, severity: isMuch ? .warning : .info,
      text: "\(name(timer)) missed \(points) of \(ledger.due) fires behind \(who).",
      remedy: "Split that work, or move it off this loop's thread.",
      evidence: ledger.blockers.prefix(4).map {
        Finding.Evidence(
          startNs: nil, durationNs: $0.latenessNs, callout: "\($0.kind) \($0.name)",
          note: "\($0.points) fires skipped while it ran")
      }, weight: weight(timer, points))
  }

  private static func notRunning(_ timer: TimerResult, _ ledger: TimerLedgerResult) -> Finding {
    let points = ledger.skippedBy[.notRunning, default: 0]
    return Finding(
      rule: .starvedByNoRun, severity: isAtLeast(points, 0.1, of: ledger.due) ? .warning : .info,
      text: "\(name(timer)) missed \(points) of \(ledger.due) fires while no run of its loop was active.",
      remedy: "Keep the loop running while the timer is to fire, or make the timer when the run begins.",
      evidence: [], weight: weight(timer, points))
  }

  private static func ownCallout(_ timer: TimerResult, _ ledger: TimerLedgerResult) -> Finding {
    let points = ledger.skippedBy[.ownCallout, default: 0]
    return Finding(
      rule: .starvedByItself, severity: .warning,
      text:
        "\(name(timer)) missed \(points) of \(ledger.due) fires inside its own callout, which took up to "
        + "\(Units.duration(timer.longestCalloutNs)).",
      remedy: "Make the callout shorter than the interval, or the interval longer.",
      evidence: [
        Finding.Evidence(
          startNs: nil, durationNs: timer.longestCalloutNs, callout: "timer \(timer.name)",
          note: "longest callout")
      ], weight: weight(timer, points))
  }

  private static func suspended(
    _ timer: TimerResult, _ ledger: TimerLedgerResult, _ analysis: Analysis
  ) -> Finding {
    let points = ledger.skippedBy[.suspended, default: 0]
    let lost = weight(timer, points)
    return Finding(
      rule: .lostWhileSuspended, severity: .info,
      text: "\(name(timer)) lost \(Say.count(points, "fire", "fires")) while the process was suspended.",
      remedy: "Where its fires are counted, add \(Units.duration(lost)) on return, once.",
      evidence: [
        Finding.Evidence(
          startNs: analysis.trace.suspensions.first?.startNs, durationNs: analysis.trace.suspendedNs,
          callout: nil,
          note: "suspended in all")
      ], weight: lost)
  }

  /// The loop waited, and nobody was in the way.
  private static func lateWakeUp(_ timer: TimerResult, _ ledger: TimerLedgerResult) -> [Finding] {
    let late = ledger.ledgerNs[.scheduler, default: 0]
    guard timer.fired > 0, late / timer.fired > 5_000_000 else {
      return []
    }
    return [
      Finding(
        rule: .lateWakeUps, severity: .warning,
        text:
          "\(name(timer)) fired \(Units.duration(late / timer.fired)) late on average although its loop was waiting.",
        remedy:
          "The machine was overloaded, or the process throttled: look at the system, not at the program.",
        evidence: [], weight: late)
    ]
  }

  private static func unseen(
    _ timer: TimerResult, _ ledger: TimerLedgerResult, _ analysis: Analysis
  ) -> [Finding] {
    guard timer.fired == 0, ledger.due > 0, !timer.modes.isEmpty else { return [] }
    let ran = Set(analysis.modes.filter { $0.timeNs > 0 || $0.passes > 0 }.map(\.mode))
    guard ran.isDisjoint(with: timer.modes), !ran.isEmpty else { return [] }
    return [
      Finding(
        rule: .unseenMode, severity: .warning,
        text:
          "\(name(timer)) never fired: no run was in \(timer.modes.map(Say.name).joined(separator: " or ")).",
        remedy: "Add it to a mode that the loop runs in.", evidence: [], weight: weight(timer, ledger.due))
    ]
  }

  private static func pending(_ timer: TimerResult, _ ledger: TimerLedgerResult) -> Finding {
    Finding(
      rule: .overdueAtEnd, severity: .info,
      text:
        "\(name(timer)) had been overdue for \(Units.duration(ledger.pendingOverdueNs)) when the recording ended.",
      remedy: "", evidence: [], weight: ledger.pendingOverdueNs)
  }

  /// Linter: it did not starve, because none of its points fell into the tracking.
  private static func defaultOnly(
    _ timer: TimerResult, _ ledger: TimerLedgerResult, _ analysis: Analysis
  ) -> [Finding] {
    guard !timer.isDeferrable, timer.modes == [FindingRules.defaultMode], ledger.skippedBy[.wrongMode] == 0
    else {
      return []
    }
    let tracking = analysis.modes.filter {
      FindingRules.isTracking($0.mode) && (timer.thread == nil || $0.thread == timer.thread)
    }
    let time = tracking.reduce(0) { $0 &+ $1.timeNs }
    let late = ledger.ledgerNs[.wrongMode, default: 0]
    guard time >= 1_000_000_000, late > 0 else { return [] }
    return [
      Finding(
        rule: .defaultModeWhileTracking, severity: .info,
        text:
          "\(name(timer)) is in the default mode only, and was \(Units.duration(late)) late behind tracking.",
        remedy: "Add it to the common modes, or declare it deferrable.", evidence: [], weight: late)
    ]
  }

  /// What timers of the common modes take from tracking.
  static func priceOfTracking(_ analysis: Analysis) -> [Finding] {
    let tracking = analysis.modes.filter { FindingRules.isTracking($0.mode) }
    let time = tracking.reduce(0) { $0 &+ $1.timeNs }
    guard time >= 100_000_000 else { return [] }
    let prices = analysis.timers.map { timer in
      (timer, timer.calloutNsByMode.filter { FindingRules.isTracking($0.mode) }.reduce(0) { $0 &+ $1.ns })
    }
    let price = prices.reduce(0) { $0 &+ $1.1 }
    guard isAtLeast(price, 0.1, of: time), let worst = prices.max(by: { $0.1 < $1.1 }) else { return [] }
    return [
      Finding(
        rule: .costsTracking, severity: .warning,
        text:
          "Timers took \(Units.percent(price, of: time)) of the tracking time, most of it timer \(Say.name(worst.0.name)).",
        remedy: "Leave heavy work to the default mode, or make its pieces smaller while tracking.",
        evidence: prices.filter { $0.1 > 0 }.sorted { $0.1 > $1.1 }.prefix(4).map {
          Finding.Evidence(
            startNs: nil, durationNs: $0.1, callout: "timer \($0.0.name)", note: "while tracking")
        }, weight: price)
    ]
  }
}
