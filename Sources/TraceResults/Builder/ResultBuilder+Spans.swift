import TraceFormat
import TraceReplay

/// Gaps, busy intervals, and what detectors say of them.
extension ResultBuilder {
  func gap(_ found: FoundGap, _ threads: [ThreadIndex], _ phases: [LifeCycleBook.PhaseMark]) -> Gap {
    // Nil before the first mark.
    let phase = phases.last { $0.time <= found.start }.flatMap { LifePhase(rawValue: $0.code) }
    return Gap(
      startNs: ns(found.start), durationNs: ns(found.length), after: found.phase,
      mode: names.mode(found.mode), thread: threads[found.lane].rawValue,
      callouts: found.callouts.map(callout), calloutCount: found.calloutCount,
      calloutNs: ns(min(found.explained, found.length)), isOpen: found.isOpen,
      isOutside: found.mode == .outside, suspendedNs: ns(found.suspended), isUncertain: found.isUncertain,
      limitNs: profile?.limit(in: phase))
  }

  func busy(_ found: FoundBusy, _ threads: [ThreadIndex]) -> BusyInterval {
    BusyInterval(
      startNs: ns(found.start), durationNs: ns(found.length), thread: threads[found.lane].rawValue,
      mode: names.mode(found.mode), outsideNs: ns(found.outside), isOpen: found.isOpen,
      suspendedNs: ns(found.suspended), isUncertain: found.isUncertain, callouts: found.callouts.map(callout),
      calloutCount: found.calloutCount,
      calloutNs: ns(min(found.explained, found.length.without(found.outside))))
  }

  func callout(_ found: SpanCallout) -> SpanCalloutResult {
    SpanCalloutResult(
      kind: names.calloutKind(found.kind), name: name(found), object: found.object.rawValue,
      count: found.count, durationNs: ns(found.time), selfNs: ns(found.selfTime))
  }

  /// Several objects without a name are no one callout.
  private func name(_ callout: SpanCallout) -> String {
    names.callout(callout.kind, callout.name, object: callout.object == .none ? nil : callout.object)
  }

  // MARK: Detectors

  /// The thread that input comes to: the main one if it ran a loop, else the one whose loops ran longest.
  func watchedThread(_ loops: [LoopResult]) -> UInt32? {
    if let main = loops.first(where: { $0.thread.isMain }) { return main.thread.index }
    return loops.max { $0.timeNs < $1.timeNs }?.thread.index
  }

  func detectors(_ thread: UInt32, _ replay: borrowing Replay) -> [DetectorResult] {
    let lab = replay.books.detectors
    let lane = lane(thread, replay)
    let watched = lab.threads.first { $0.lane == lane }
    return lab.detectors.enumerated().map { number, detector in
      let reports = watched?.monitors[number].reports
      return DetectorResult(
        name: detector.name, rule: detector.rule, thread: thread, count: reports?.count ?? 0,
        reports: (reports?.first ?? []).map { report in
          DetectorResult.Report(
            startNs: report.start, durationNs: report.end &- report.start, what: report.what,
            callout: report.callout.map(name))
        })
    }
  }

  /// Busy intervals that at least one detector reports.
  func incidents(_ thread: UInt32, _ replay: borrowing Replay) -> [IncidentResult] {
    let lab = replay.books.detectors
    let lane = lane(thread, replay)
    guard let watched = lab.threads.first(where: { $0.lane == lane }) else { return [] }
    return watched.incidents.elements.compactMap { incident in
      guard incident.silence.contains(where: { $0 == nil }) else { return nil }
      let busy = incident.busy
      return IncidentResult(
        startNs: busy.start, durationNs: busy.length, suspendedNs: busy.suspended,
        longestGapNs: busy.longestGap?.length ?? 0, longestGapAfter: busy.longestGap?.after ?? .outside,
        callout: busy.longestGap?.callout.map(name), silence: incident.silence)
    }
  }
}
