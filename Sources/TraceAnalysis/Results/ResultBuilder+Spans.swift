import TraceFormat
import TraceReplay

/// The life-cycle phase at any moment.
struct LifePhases {
  private let marks: [LifeCycleBook.PhaseMark]

  init(_ marks: [LifeCycleBook.PhaseMark]) { self.marks = marks }

  /// Nil before the first mark. O(log marks).
  func phase(at time: UInt64) -> LifePhase? {
    var low = 0
    var high = marks.count
    while low < high {
      let middle = (low + high) / 2
      if marks[middle].time <= time { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? LifePhase(rawValue: marks[low - 1].code) : nil
  }
}

/// Gaps, busy intervals, and what detectors say of them.
extension ResultBuilder {
  func gap(_ found: FoundGap, _ threads: [UInt32], _ phases: LifePhases) -> Gap {
    Gap(
      startNs: found.start &* unit, durationNs: found.length &* unit, after: found.phase,
      mode: names.mode(found.mode), thread: threads[found.lane],
      callouts: found.callouts.map(callout), calloutCount: found.calloutCount,
      calloutNs: min(found.explained, found.length) &* unit, isOpen: found.isOpen,
      isOutside: found.mode == 0, suspendedNs: found.suspended &* unit, isUncertain: found.isUncertain,
      limitNs: profile?.limit(in: phases.phase(at: found.start)))
  }

  func busy(_ found: FoundBusy, _ threads: [UInt32]) -> BusyInterval {
    BusyInterval(
      startNs: found.start &* unit, durationNs: found.length &* unit, thread: threads[found.lane],
      mode: names.mode(found.mode), outsideNs: found.outside &* unit, isOpen: found.isOpen,
      suspendedNs: found.suspended &* unit, isUncertain: found.isUncertain,
      callouts: found.callouts.map(callout), calloutCount: found.calloutCount,
      calloutNs: min(found.explained, found.length &- min(found.outside, found.length)) &* unit)
  }

  func callout(_ found: SpanCallout) -> SpanCalloutResult {
    SpanCalloutResult(
      kind: names.calloutKind(found.kind), name: name(found), object: found.object, count: found.count,
      durationNs: found.time &* unit, selfNs: found.selfTime &* unit)
  }

  /// Several objects without a name are no one callout.
  private func name(_ callout: SpanCallout) -> String {
    names.callout(callout.kind, callout.name, object: callout.object == 0 ? nil : callout.object)
  }

  // MARK: Detectors

  /// The thread that input comes to: the main one if it ran a loop, else the one whose loops ran longest.
  func watchedThread(_ result: Analysis) -> UInt32? {
    if let main = result.loops.first(where: { $0.thread.isMain }) { return main.thread.index }
    return result.loops.max { $0.timeNs < $1.timeNs }?.thread.index
  }

  func detectors(_ thread: UInt32, _ replay: borrowing Replay) -> [DetectorResult] {
    let lab = replay.books.detectors
    let lane = replay.stream.threads.firstIndex(of: thread)
    let watched = lab.threads.first { $0.lane == lane }
    return lab.rules.enumerated().map { number, rule in
      DetectorResult(
        rule: rule, thread: thread, count: watched?.counts[number] ?? 0,
        reports: (watched?.reports[number] ?? []).map { report in
          DetectorResult.Report(
            startNs: report.start &* unit, durationNs: (report.end &- report.start) &* unit,
            what: report.what,
            callout: report.callout.map(name))
        })
    }
  }

  /// Busy intervals that at least one detector reports.
  func incidents(_ thread: UInt32, _ replay: borrowing Replay) -> [IncidentResult] {
    let lab = replay.books.detectors
    let lane = replay.stream.threads.firstIndex(of: thread)
    guard let watched = lab.threads.first(where: { $0.lane == lane }) else { return [] }
    return watched.incidents.compactMap { incident in
      guard incident.silence.contains(where: { $0 == nil }) else { return nil }
      let longest = incident.longest
      return IncidentResult(
        startNs: incident.busy.start &* unit, durationNs: incident.length &* unit,
        suspendedNs: incident.busy.suspended &* unit,
        longestGapNs: longest.map { ($0.end &- $0.start) &* unit } ?? 0,
        longestGapAfter: longest?.phase ?? .outside,
        callout: longest?.callouts.first.map(name), silence: incident.silence)
    }
  }
}
