import TraceResults

extension RuleID { package static let idleWork: RuleID = "RL043" }

extension FindingRule {
  /// Recommends the default mode for heavy work that runs while tracking as it does otherwise. A gesture's own work
  /// runs mostly while tracking, or runs the loop itself, so it is left out.
  static let idleWork = FindingRule(
    .idleWork, "heavy work of the common modes runs while tracking",
    plural: .subjects("callouts of the common modes are heavy while tracking"),
    needs: [.duePoints, .callouts], basis: .calloutDurations,
    remedy:
      "If it may wait until tracking ends, queue it for the default mode, or add it to that mode only, instead of the common modes.",
    of: \.callouts
  ) { callout, analysis in
    let tracking = Tracking.partNs(callout.timeNsByMode)
    guard callout.count >= 10, callout.nestedCount == 0, tracking >= FindingLimits.noticeableNs,
      callout.timeNs / callout.count >= FindingLimits.longWhileTrackingNs,
      IdleWork.mayWait(callout, analysis), IdleWork.isIndependentOfTracking(callout, analysis),
      let delayed = IdleWork.delayed(by: callout, analysis)
    else { return nil }
    let harm: Sentence =
      delayed.points > 0
      ? "made timer \(name: delayed.timer) miss at least \(count: delayed.points, "missed_while_tracking", "fire", "fires")"
      : "delayed timer \(name: delayed.timer) by at least \(ns: delayed.ns, "late_while_tracking_ns")"
    return Finding(
      .info,
      "\(Phrase.callout(callout.kind, callout.name)) took \(ns: tracking, "tracking_part_ns") while tracking, and \(harm) then. It also runs in the default mode",
      headline: .time(tracking, "while tracking"),
      evidence: [
        .span(
          callout.longestStartNs, callout.longestNs, "longest", callout: "\(callout.kind) \(callout.name)")
      ], weight: tracking, subject: callout.name)
  }
}

private enum IdleWork {
  /// Whether a callout is of a kind that can be moved to another mode. A timer that may make frames stays.
  static func mayWait(_ callout: CalloutResult, _ analysis: Analysis) -> Bool {
    guard !callout.isRemainder else { return false }
    switch CalloutKind(rawValue: callout.kind) {
    case .block, .source0: return true
    case .timer:
      let timers = analysis.timers.filter { $0.thread == callout.thread && $0.names.contains(callout.name) }
      return !timers.isEmpty
        && timers.allSatisfy {
          $0.isCommon && !$0.isDeferrable
            && ($0.intervalNs == 0 || $0.intervalNs > FrameIntervals.ns.upperBound)
        }
    default: return false
    }
  }

  /// Whether the callouts take a similar share of the default mode as of tracking.
  static func isIndependentOfTracking(_ callout: CalloutResult, _ analysis: Analysis) -> Bool {
    let inDefault = callout.timeNsByMode.filter { $0.mode == ModeName.default }.map(\.ns).saturatedSum
    let time = analysis.modes.filter { $0.thread == callout.thread && $0.mode == ModeName.default }
      .map(\.timeNs).saturatedSum
    guard let usual = ratio(inDefault, time), usual > 0,
      let share = ratio(
        Tracking.partNs(callout.timeNsByMode), Tracking.timeNs(analysis, thread: callout.thread))
    else { return false }
    return share <= FindingLimits.mostOfIdleWork * usual
  }

  typealias Delayed = (timer: String, points: UInt64, ns: UInt64)

  /// Returns the timer that the callout delayed most while tracking, and at least how much. The callout counts as the
  /// cause of everything that the timer lost in other modes; the rest is what it lost while tracking. Nil = nothing.
  static func delayed(by callout: CalloutResult, _ analysis: Analysis) -> Delayed? {
    analysis.timers.compactMap { timer -> Delayed? in
      guard timer.thread == callout.thread, timer.name != callout.name, let ledger = timer.ledger,
        let blocker = ledger.blockers.first(where: { $0.kind == callout.kind && $0.name == callout.name })
      else { return nil }
      let points = ledger.byMode.filter { !ModeName.isTracking($0.mode) }.map(\.skipped).saturatedSum
      let ns = ledger.overdueByModeNs.filter { !ModeName.isTracking($0.mode) }.map(\.ns).saturatedSum
      let left: Delayed = (
        timer.name, blocker.points - min(blocker.points, points),
        blocker.latenessNs - min(blocker.latenessNs, ns)
      )
      return left.points > 0 || left.ns >= FindingLimits.longWhileTrackingNs ? left : nil
    }.max { ($0.points, $0.ns) < ($1.points, $1.ns) }
  }
}
