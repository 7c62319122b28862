import TraceFormat
import TraceReplay

extension ResultBuilder {
  func notes(_ result: Analysis, _ replay: borrowing Replay) -> [Note] {
    var notes: [Note] = []
    func add(_ note: Note, if applies: Bool) { if applies { notes.append(note) } }
    add(.oneObserverPerMode, if: !reader.header.hasHighStamps)
    add(.activitiesOnly, if: reader.header.captureLevel == .activities)
    add(.unseenObjects, if: result.trace.hasUnseenObjects)
    for edge in result.busyAtStart where edge.durationNs >= BusyClass.briefUnresponsiveness.fromNs {
      notes.append(.busyAtStart(thread: edge.thread, ns: edge.durationNs))
    }
    notes += result.busyAtBreak.map { .busyAtBreak(thread: $0.thread, ns: $0.durationNs) }
    let blind = result.timers.count { $0.ledger == nil }
    add(.blindTimers(blind), if: blind > 0)
    add(.manyTimerClasses(limit: AnalysisLimits.timerClasses), if: replay.timers.classes.sharedRow != nil)
    add(
      .untrackedTimers(replay.timers.untracked, limit: AnalysisLimits.liveTimers),
      if: replay.timers.untracked > 0)
    add(.deepRuns(replay.unfollowedRuns, limit: AnalysisLimits.nesting), if: replay.unfollowedRuns > 0)
    add(
      .deepCallouts(replay.unfollowedCallouts, limit: AnalysisLimits.openCallouts),
      if: replay.unfollowedCallouts > 0)
    add(.manyModes(limit: AnalysisLimits.modeRows), if: replay.books.modes.isOverfull)
    let lab = replay.books.detectors
    if let watched = result.detectors.first?.thread, lab.isFull,
      !lab.threads.contains(where: { replay.stream.threads[$0.lane].rawValue == watched })
    {
      notes.append(.unjudgedThread(limit: AnalysisLimits.detectedThreads))
    }
    add(.manyCallouts(limit: AnalysisLimits.calloutRows), if: replay.books.callouts.isOverfull)
    add(.manySources(limit: AnalysisLimits.sourceRows), if: replay.books.sources.isOverfull)
    add(
      .lifeCycleOmitted(result.lifeCycle.omitted, limit: AnalysisLimits.lifeCycleRows),
      if: result.lifeCycle.omitted > 0)
    let marks = replay.books.marks
    add(
      .marksOmitted(result.marks.marksOmitted, limit: AnalysisLimits.markRows),
      if: result.marks.marksOmitted > 0)
    add(
      .manyIntervalNames(limit: AnalysisLimits.intervalNames),
      if: marks.rows.count > AnalysisLimits.intervalNames)
    add(.unfollowedIntervals(marks.unfollowed), if: marks.unfollowed > 0)
    add(.unmatchedIntervals(marks.unmatched), if: marks.unmatched > 0)
    let unused = replay.suspensions.evidence.refused
    add(.unusedSigns(unused), if: unused > 0)
    add(.lateBeats(result.trace.lateBeats), if: result.trace.lateBeats > 0)
    add(.sleptBesides(ns: result.trace.sleptBesidesNs), if: result.trace.sleptBesidesNs > 0)
    add(.lostEvents(result.trace.lostEvents), if: result.trace.lostEvents > 0)
    if reader.beginning > 0 {
      let dropped = reader.droppedEvents
      notes.append(
        .newestPart(dropped: dropped == 0 ? nil : dropped, beginningNs: ns(Moment(reader.beginning))))
    }
    if let damage = reader.problem ?? replay.stream.damage { notes.append(.notWhole(damage)) }
    let (events, blocks) = (result.trace.unknownEvents, result.trace.unknownBlocks)
    add(.unknown(events: events, blocks: blocks), if: events > 0 || blocks > 0)
    return notes
  }
}
