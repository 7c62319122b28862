import TraceReplay

/// Timers that fired late or not at all, by what stood in their way.
enum TimerRules {
  static func findings(_ timer: TimerResult, in analysis: Analysis) -> [Finding] {
    guard let ledger = timer.ledger else { return [] }
    var found: [Finding] = []
    func skipped(_ cause: Cause) -> UInt64 { ledger.skippedBy[cause, default: 0] }
    if skipped(.wrongMode) > 0, !timer.modes.isEmpty { found.append(wrongMode(timer, ledger)) }
    if skipped(.busy) > 0 { found.append(busy(timer, ledger)) }
    if skipped(.notRunning) > 0 { found.append(notRunning(timer, ledger)) }
    if skipped(.ownCallout) > 0, timer.longestCalloutNs >= timer.intervalNs {
      found.append(ownCallout(timer, ledger))
    }
    if skipped(.suspended) > 0 { found.append(suspended(timer, ledger, analysis)) }
    found += lateWakeUp(timer, ledger)
    found += unseen(timer, ledger, analysis)
    if ledger.pending > 0,
      ledger.pendingOverdueNs > max(timer.intervalNs, FindingLimits.noticeableNs), !timer.modes.isEmpty
    {
      found.append(pending(timer, ledger, analysis))
    }
    found += defaultOnly(timer, ledger, analysis)
    for index in found.indices {
      found[index].subject = timer.name
      found[index].timer = timer.id
    }
    return found
  }

  static func name(_ timer: TimerResult) -> Sentence {
    timer.intervalNs == 0
      ? "Timer \(name: timer.name) (one-shot)"
      : "Timer \(name: timer.name) (every \(ns: timer.intervalNs, "interval_ns"))"
  }

  /// Of timers of several names no one callout.
  private static func callout(_ timer: TimerResult) -> String? {
    timer.names.count == 1 && !timer.hasMoreNames ? "timer \(timer.name)" : nil
  }

  static func weight(_ timer: TimerResult, _ points: UInt64) -> UInt64 {
    points.multipliedReportingOverflow(by: max(timer.intervalNs, 1)).partialValue
  }

  private static func missed(_ points: UInt64, _ ledger: TimerLedgerResult) -> Sentence {
    "missed \(count: points, "skipped") of \(count: ledger.due, "due") \(ledger.due == 1 ? "fire" : "fires")"
  }

  private static func headline(_ points: UInt64, _ ledger: TimerLedgerResult) -> Finding.Headline {
    Finding.Headline(value: "\(points) of \(ledger.due)", label: "fires missed")
  }

  /// A tenth of all due points.
  private static func severity(_ points: UInt64, _ ledger: TimerLedgerResult) -> Finding.Severity {
    isAtLeast(points, FindingLimits.muchOfDue, of: ledger.due) ? .warning : .info
  }

  private static func busy(_ timer: TimerResult, _ ledger: TimerLedgerResult) -> Finding {
    let points = ledger.skippedBy[.busy, default: 0]
    let worst = ledger.blockers.filter { $0.points > 0 && $0.points <= points }
      .max { ($0.points, $0.latenessNs) < ($1.points, $1.latenessNs) }
    let behind = worst?.points ?? points
    let who: Sentence = worst.map { Say.callout($0.kind, $0.name) } ?? "callouts"
    let others: Sentence =
      behind < points ? ", and \(count: points - behind, "skipped_behind_others") behind others" : ""
    return Finding(
      .starvedByBusy, severity(points, ledger),
      "\(name(timer)) \(missed(behind, ledger)) behind \(who)\(others).",
      advice: "Split that work, or move it off this loop's thread.", headline: headline(behind, ledger),
      evidence: ledger.blockers.sorted { $0.points > $1.points }.prefix(4).map {
        .noting(
          "\(count: $0.points, "skipped_behind", "fire", "fires") skipped while it ran",
          durationNs: $0.latenessNs,
          callout: "\($0.kind) \($0.name)")
      }, weight: weight(timer, points))
  }

  private static func notRunning(_ timer: TimerResult, _ ledger: TimerLedgerResult) -> Finding {
    let points = ledger.skippedBy[.notRunning, default: 0]
    return Finding(
      .starvedByNoRun, severity(points, ledger),
      "\(name(timer)) \(missed(points, ledger)) while no run of its loop was active.",
      advice: timer.thread == nil
        ? "Run the loop that it was added to: no run of it is in the recording."
        : "Keep the loop running while the timer is to fire, or make the timer when the run begins.",
      headline: headline(points, ledger), weight: weight(timer, points))
  }

  private static func ownCallout(_ timer: TimerResult, _ ledger: TimerLedgerResult) -> Finding {
    let points = ledger.skippedBy[.ownCallout, default: 0]
    return Finding(
      .starvedByItself, .warning,
      "\(name(timer)) \(missed(points, ledger)) inside its own callout, which took up to \(ns: timer.longestCalloutNs, "longest_callout_ns").",
      advice: "Make the callout shorter than the interval, or the interval longer.",
      headline: headline(points, ledger),
      evidence: [
        Finding.Evidence(
          durationNs: timer.longestCalloutNs, callout: callout(timer), note: "longest callout")
      ], weight: weight(timer, points))
  }

  private static func suspended(
    _ timer: TimerResult, _ ledger: TimerLedgerResult, _ analysis: Analysis
  ) -> Finding {
    let points = ledger.skippedBy[.suspended, default: 0]
    let lost = weight(timer, points)
    return Finding(
      .lostWhileSuspended, .info,
      "\(name(timer)) lost \(count: points, "skipped") of \(count: ledger.due, "due", "fire", "fires") while the process was suspended.",
      advice: timer.intervalNs == 0
        ? "" : "Where its fires are counted, add \(ns: lost, "lost_ns") on return, once.",
      headline: headline(points, ledger),
      evidence: [
        Finding.Evidence(
          startNs: analysis.trace.suspensions.first?.startNs, durationNs: analysis.trace.suspendedNs,
          callout: nil, note: "suspended in all")
      ], weight: lost)
  }

  /// Late, and nobody is known to have been in the way.
  private static func lateWakeUp(_ timer: TimerResult, _ ledger: TimerLedgerResult) -> [Finding] {
    let late = ledger.ledgerNs[.scheduler, default: 0]
    guard timer.fired > 0, late / timer.fired > FindingLimits.lateFireNs else { return [] }
    return [
      Finding(
        .lateWakeUps, .info,
        "\(name(timer)) fired \(ns: late / timer.fired, "unexplained_mean_ns") late on average for no reason that was recorded.",
        advice:
          "What ran meanwhile is not in the recording, or the machine was busy: record callouts, and look at its load.",
        headline: Finding.Headline(value: Units.duration(late / timer.fired), label: "late, unexplained"),
        evidence: [
          .noting(
            "unexplained lateness of \(count: timer.fired, "fired", "fire", "fires") in all", durationNs: late
          )
        ], weight: late)
    ]
  }

  private static func unseen(
    _ timer: TimerResult, _ ledger: TimerLedgerResult, _ analysis: Analysis
  ) -> [Finding] {
    guard timer.fired == 0, ledger.due > 0, !timer.modes.isEmpty, let thread = timer.thread else { return [] }
    let ran = analysis.modes.filter { $0.thread == thread && ($0.timeNs > 0 || $0.passes > 0) }.map(\.mode)
      .sorted()
    guard !ran.isEmpty, Set(ran).isDisjoint(with: timer.modes) else { return [] }
    func list(_ modes: [String], _ conjunction: String) -> Sentence {
      let named = modes.prefix(4).map { mode -> Sentence in "\(name: mode)" }
      let others = UInt64(modes.count - named.count)
      return (others > 0 ? named + ["\(count: others, "other_modes", "other", "others")"] : named).listed(
        conjunction)
    }
    return [
      Finding(
        .unseenMode, .warning,
        "\(name(timer)) never fired, \(count: ledger.due, "due", "fire was", "fires were") due: its loop ran \(list(ran, "and")), never \(list(timer.modes, "or")).",
        advice: "Add it to a mode that its loop runs in.",
        headline: Finding.Headline(value: "\(ledger.due)", label: "fires due, none came"),
        weight: weight(timer, ledger.due))
    ]
  }

  private static func pending(
    _ timer: TimerResult, _ ledger: TimerLedgerResult, _ analysis: Analysis
  ) -> Finding {
    Finding(
      .overdueAtEnd, .info,
      "\(name(timer)) had been overdue for \(ns: ledger.pendingOverdueNs, "pending_overdue_ns") when \(Say.end(analysis)).",
      headline: Finding.Headline(value: Units.duration(ledger.pendingOverdueNs), label: "overdue"),
      weight: ledger.pendingOverdueNs)
  }

  /// Linter: it did not starve, because none of its points fell into the tracking.
  private static func defaultOnly(
    _ timer: TimerResult, _ ledger: TimerLedgerResult, _ analysis: Analysis
  ) -> [Finding] {
    guard !timer.isDeferrable, timer.modes == [ModeName.default], ledger.skippedBy[.wrongMode] == 0
    else {
      return []
    }
    let tracking = analysis.modes.filter {
      ModeName.isTracking($0.mode) && $0.thread == timer.thread
    }
    let time = tracking.reduce(0) { $0 &+ $1.timeNs }
    let late = ledger.ledgerNs[.wrongMode, default: 0]
    guard time >= FindingLimits.noticedNs, late > 0 else { return [] }
    return [
      Finding(
        .defaultModeWhileTracking, .info,
        "\(name(timer)) is in the default mode only, and its fires were \(ns: late, "wrong_mode_ns") late in all because other modes ran; tracking took \(ns: time, "tracking_ns").",
        advice: "Add it to the common modes, or declare it deferrable.",
        headline: Finding.Headline(value: Units.duration(late), label: "late"), weight: late)
    ]
  }

  /// What timers of the common modes take from tracking.
  static func priceOfTracking(_ analysis: Analysis) -> [Finding] {
    let tracking = analysis.modes.filter { ModeName.isTracking($0.mode) }
    let time = tracking.reduce(0) { $0 &+ $1.timeNs }
    guard time >= FindingLimits.noticeableNs else { return [] }
    let prices = analysis.timers.map { timer in
      (timer, timer.calloutNsByMode.filter { ModeName.isTracking($0.mode) }.reduce(0) { $0 &+ $1.ns })
    }.sorted { ($1.1, $0.0.id) < ($0.1, $1.0.id) }
    let price = prices.reduce(0) { $0 &+ $1.1 }
    guard isAtLeast(price, 0.1, of: time), let worst = prices.first else { return [] }
    return [
      Finding(
        .costsTracking, .warning,
        "Timers took \(percent: price, of: time, "of_tracking_percent") of the \(ns: time, "tracking_ns") of tracking, most of it timer \(name: worst.0.name) with \(ns: worst.1, "worst_ns").",
        advice: "Leave heavy work to the default mode, or make its pieces smaller while tracking.",
        headline: Finding.Headline(value: Figure.percent("", price, of: time).text, label: "of tracking"),
        evidence: prices.filter { $0.1 > 0 }.prefix(4).map {
          Finding.Evidence(
            durationNs: $0.1, callout: callout($0.0), note: "while tracking",
            names: callout($0.0) == nil ? [$0.0.name] : [])
        }, weight: price)
    ]
  }
}
