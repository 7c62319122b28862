import TraceFormat
import TraceReplay
import TraceResults

extension ResultBuilder {
  /// The number of places of a damaged file that are reported one by one.
  private static let lostPartsListed = 5

  func notes(_ result: Analysis, _ replay: borrowing Replay) -> [Note] {
    var notes: [Note] = []
    func add(_ note: Note, if applies: Bool) { if applies { notes.append(note) } }
    func add<Count: BinaryInteger>(_ count: Count, _ note: (Count) -> Note) {
      if count > 0 { notes.append(note(count)) }
    }
    add(.oneObserverPerMode, if: !reader.header.hasHighStamps && level != .imported)
    add(.activitiesOnly, if: level == .activities)
    add(hasOnlyHangs ? .importedHangs : .imported, if: level == .imported)
    add(.noRunLoop, if: result.loops.contains { $0.thread.isMainQueue })
    add(.unseenObjects, if: result.trace.hasUnseenObjects)
    add(.jobsOnly, if: result.work.hasJobsOnly)
    let objects = replay.books.objects
    for loop in loopsThatNeverRan(result, replay) where !isWaitedFor(self.loop(loop, objects), result) {
      notes.append(.loopNeverRan(name: names.string(objects.name(of: loop)) ?? "loop without a name"))
    }
    for edge in result.busyAtStart where edge.durationNs >= BusyClass.briefUnresponsiveness.fromNs {
      notes.append(.busyAtStart(thread: edge.thread, ns: edge.durationNs))
    }
    notes += result.busyAtBreak.map { .busyAtBreak(thread: $0.thread, ns: $0.durationNs) }
    add(result.timers.count { $0.ledger == nil }) { .blindTimers($0) }
    add(.manyTimerClasses(limit: AnalysisLimits.timerClasses), if: replay.timers.classes.sharedRow != nil)
    add(replay.timers.untracked) { .untrackedTimers($0, limit: AnalysisLimits.liveTimers) }
    add(replay.unfollowedRuns) { .deepRuns($0, limit: AnalysisLimits.nesting) }
    add(replay.unfollowedCallouts) { .deepCallouts($0, limit: AnalysisLimits.openCallouts) }
    let leftOut = replay.stream.leftOut
    add(leftOut.threads) { .threadsLeftOut($0, events: leftOut.events, limit: AnalysisLimits.threads) }
    add(hasOnlyHangs ? 0 : threadsWithSeries(replay) - result.utilisation.count) {
      .utilisationOmitted($0, limit: AnalysisLimits.utilisationRows)
    }
    add(replay.books.stacks.omitted) { .stacksOmitted($0) }
    add(replay.books.runRows.omitted) { .runCallsOmitted($0, limit: AnalysisLimits.runRows) }
    add(names.cut) { .longNames($0, limit: AnalysisLimits.nameBytes) }
    add(.manyModes(limit: AnalysisLimits.modeRows), if: replay.books.modes.isOverfull)
    let lab = replay.books.detectors
    if let watched = result.detectors.first?.thread, lab.isFull,
      !lab.threads.contains(where: { replay.stream.threads[$0.lane].rawValue == watched })
    {
      notes.append(.unjudgedThread(limit: AnalysisLimits.detectedThreads))
    }
    for rate in result.detectors.isEmpty ? [] : lab.detectors.compactMap(\.frameRate) {
      let source = FrameSource(rate, result)
      add(.noFrameSource(candidates: source.candidates), if: source.timer == nil)
    }
    add(.manyCallouts(limit: AnalysisLimits.calloutRows), if: replay.books.callouts.isOverfull)
    add(.manySources(limit: AnalysisLimits.sourceRows), if: replay.books.sources.isOverfull)
    add(.manyQueues(limit: AnalysisLimits.queueRows), if: replay.books.queues.isOverfull)
    add(result.lifeCycle.omitted) { .lifeCycleOmitted($0, limit: AnalysisLimits.lifeCycleRows) }
    add(result.marks.marksOmitted) { .marksOmitted($0, limit: AnalysisLimits.markRows) }
    let marks = replay.books.marks
    add(
      .manyIntervalNames(limit: AnalysisLimits.intervalNames),
      if: marks.rows.count > AnalysisLimits.intervalNames)
    add(.manyStates(limit: AnalysisLimits.stateRows), if: replay.books.states.isOverfull)
    add(marks.unfollowed) { .unfollowedIntervals($0) }
    add(marks.unmatched) { .unmatchedIntervals($0) }
    add(replay.suspensions.evidence.refused) { .unusedSigns($0) }
    add(result.trace.lateBeats) { .lateBeats($0) }
    add(result.trace.sleptOffClockNs) { .sleptOffClock(ns: $0) }
    add(result.trace.lostEvents) { .lostEvents($0) }
    let unsampled = replay.books.stacks.unsampled
    for key in unsampled.keys.ordered(by: {
      ($0.osThread, $0.reason.rawValue) < ($1.osThread, $1.reason.rawValue)
    }) {
      notes.append(
        .unsampled(
          unsampled[key] ?? 0, name: names.ofThread(key.osThread), osThread: key.osThread, key.reason))
    }
    if reader.beginning > 0 {
      let dropped = reader.droppedEvents
      notes.append(
        .newestPart(dropped: dropped == 0 ? nil : dropped, beginningNs: ns(Moment(reader.beginning))))
    }
    if let damage = reader.problem ?? replay.stream.damage { notes.append(.incomplete(damage)) }
    let lost = reader.lostParts
    notes += lost.prefix(ResultBuilder.lostPartsListed).map { .lost($0, reader.header.timeUnit) }
    add(lost.count - ResultBuilder.lostPartsListed) { .furtherLost($0) }
    let (events, blocks) = (result.trace.unknownEvents, result.trace.unknownBlocks)
    add(.unknown(events: events, blocks: blocks), if: events > 0 || blocks > 0)
    if let format = reader.newerFormat { notes.append(.newerFormat(format)) }
    return notes
  }
}
