import TraceFormat
import TraceReplay
import TraceResults

/// Gaps, busy intervals, and the reports of detectors.
extension ResultBuilder {
  func gap(_ found: FoundGap, _ threads: [ThreadIndex], _ phases: [LifeCycleBook.PhaseMark]) -> Gap {
    // Nil before the first mark.
    let phase = phases.last { $0.time <= found.start }.flatMap { LifePhase(rawValue: $0.code) }
    return with(Gap()) { it in
      it.startNs = ns(found.start)
      it.durationNs = ns(found.length)
      it.after = found.phase
      it.mode = names.mode(found.mode)
      it.thread = threads[found.lane].rawValue
      it.callouts = found.callouts.map(callout)
      it.calloutCount = found.calloutCount
      it.calloutNs = ns(min(found.explained, found.length))
      it.isOpen = found.isOpen
      it.isOutside = found.mode == .outside
      it.suspendedNs = ns(found.suspended)
      it.isUncertain = found.isUncertain
      it.waited = waited(found.duePoints, found.next)
      it.limitNs = profile?.limit(in: phase)
    }
  }

  /// Returns the sums of the busy intervals that are not listed, by thread.
  func unlistedBusy(_ held: HeldSpans, _ threads: [ThreadIndex]) -> [UInt32: UnlistedBusy] {
    held.unlisted.reduce(into: [:]) { found, row in
      let (lane, sums) = row
      found[threads[lane].rawValue] = UnlistedBusy(
        count: sums.count, ns: ns(sums.length), hangs: sums.hangs, hangsNs: ns(sums.hangLength))
    }
  }

  func busy(_ found: FoundBusy, _ threads: [ThreadIndex]) -> BusyInterval {
    with(BusyInterval()) { it in
      it.startNs = ns(found.start)
      it.durationNs = ns(found.length)
      it.thread = threads[found.lane].rawValue
      it.mode = names.mode(found.mode)
      it.outsideNs = ns(found.outside)
      it.longestOutsideNs = ns(found.longestOutside)
      it.isOpen = found.isOpen
      it.suspendedNs = ns(found.suspended)
      it.isUncertain = found.isUncertain
      it.callouts = found.callouts.map(callout)
      it.calloutCount = found.calloutCount
      it.calloutNs = ns(min(found.explained, found.length.without(found.outside)))
      it.waited = waited(found.duePoints, found.next)
    }
  }

  private func waited(_ duePoints: UInt64, _ next: FoundNext?) -> WaitedWork {
    with(WaitedWork()) { it in
      it.duePoints = duePoints
      it.nextWaitNs = next.map { ns($0.wait) }
      it.served = next?.callouts.map(callout) ?? []
      it.servedCount = next?.calloutCount ?? 0
    }
  }

  func callout(_ found: SpanCallout) -> SpanCalloutResult {
    with(SpanCalloutResult()) { it in
      it.kind = names.calloutKind(found.kind)
      it.name = name(found)
      it.object = found.object.rawValue
      it.row = found.row
      it.count = found.count
      it.durationNs = ns(found.time)
      it.selfNs = ns(found.selfTime)
    }
  }

  /// Returns the callout's name. Several unnamed objects do not count as one callout.
  private func name(_ callout: SpanCallout) -> String {
    names.callout(callout.kind, callout.name, object: callout.object == .none ? nil : callout.object)
  }

  // MARK: Detectors

  /// Returns the thread that receives input: the main thread if it ran a loop, else the one whose loops ran longest.
  func watchedThread(_ loops: [LoopResult]) -> UInt32? {
    if let main = loops.first(where: { $0.thread.isMain }) { return main.thread.index }
    return loops.max { $0.timeNs < $1.timeNs }?.thread.index
  }

  func detectors(_ thread: UInt32, _ result: Analysis, _ replay: borrowing Replay) -> [DetectorResult] {
    let lab = replay.books.detectors
    let lane = lane(thread, replay)
    let watched = lab.threads.first { $0.lane == lane }
    let rates = replay.timers.classes.rates
    return lab.detectors.enumerated().map { number, detector in
      var reports = watched?.monitors[number].reports
      let frames = detector.frameRate.flatMap { FrameSource($0, result).timer }
      if let rate = detector.frameRate {
        reports = frames.flatMap { rates?.reports(rate, timerClass: $0.id) }
      }
      return with(DetectorResult()) { it in
        it.name = detector.name
        it.rule = detector.rule
        it.thread = frames?.thread ?? thread
        it.count = reports?.count ?? 0
        it.reports = (reports?.first ?? []).map {
          ($0.start, $0.end &- $0.start, $0.what, $0.callout.map(name))
        }
      }
    }
  }

  /// Returns the busy intervals that at least one detector reports.
  func incidents(_ thread: UInt32, _ results: [DetectorResult], _ replay: borrowing Replay)
    -> [IncidentResult]
  {
    let lab = replay.books.detectors
    let lane = lane(thread, replay)
    guard let watched = lab.threads.first(where: { $0.lane == lane }) else { return [] }
    let counters = lab.detectors.indices.filter {
      lab.detectors[$0].frameRate != nil && results[$0].thread == thread
    }
    return watched.incidents.elements.compactMap { incident in
      let busy = incident.busy
      var silence = incident.silence
      for number in counters
      where results[number].reports.contains(where: {
        $0.startNs < busy.end && $0.startNs &+ $0.durationNs > busy.start
      }) {
        silence[number] = nil
      }
      guard silence.contains(where: { $0 == nil }) else { return nil }
      return with(IncidentResult()) { it in
        it.startNs = busy.start
        it.durationNs = busy.length
        it.suspendedNs = busy.suspended
        it.longestGapNs = busy.longestGap?.length ?? 0
        it.longestGapAfter = busy.longestGap?.after ?? .outside
        it.callout = busy.longestGap?.callout.map(name)
        it.silence = silence
      }
    }
  }
}
