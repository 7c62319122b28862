import TraceFormat
import TraceReplay
import TraceResults

/// Turns what a replay added up, in time units and ids, into results in nanoseconds and names.
struct ResultBuilder {
  let reader: TraceReader
  let names: TraceNames
  let scale: TimeScale
  let profile: Profile?
  let stacks: StackOptions
  /// The analyzed span.
  let from: Moment
  let to: Moment

  func build(_ replay: borrowing Replay) -> Analysis {
    let threads = replay.stream.threads
    var result = Analysis(trace: facts(replay))
    result.modes = modeResults(replay)
    result.loops = loopResults(replay)
    result.emptyRuns = emptyRuns(replay)
    let held = replay.books.held
    let phases = LifePhases(replay.books.lifeCycle.phases)
    result.profile = profile
    result.gaps = held.gaps.elements.map { gap($0, threads, phases) }
    result.busy = held.busy.elements.map { busy($0, threads) }
    result.gapsOmitted = held.gaps.omitted
    result.busyOmitted = held.busy.omitted
    result.busyAtStart = held.atStart.map { edge($0, threads) }
    if result.trace.hasUnknownEnd { result.busyAtBreak = held.atEnd.map { edge($0, threads) } }
    if var stalls = StallBuilder(self, replay) {
      result.stalls = stalls.stalls(result.gaps)
      result.sampledStacks = stalls.distinct()
    }
    result.timers = timerResults(replay)
    result.callouts = calloutResults(replay)
    result.sources = sourceResults(replay)
    result.queues = queueResults(replay)
    result.utilisation = utilisation(replay)
    if let thread = watchedThread(result) {
      result.inputDelay = inputDelay(thread, replay)
      result.detectors = detectors(thread, replay)
      result.incidents = incidents(thread, replay)
    }
    result.lifeCycle = lifeCycle(result, replay)
    result.marks = marks(replay)
    result.notes = notes(result, replay)
    result.findings = FindingRules.findings(in: result)
    return result
  }

  /// Of the recording.
  func fact(_ key: String) -> String? { reader.info.first { $0.key == key }?.value }

  func ns(_ moment: Moment) -> UInt64 { scale.ns(moment) }
  func ns(_ length: Length) -> UInt64 { scale.ns(length) }

  private func edge(_ found: FoundEdge, _ threads: [ThreadIndex]) -> BusyAtEdge {
    filled(BusyAtEdge()) { it in
      it.thread = threads[found.lane].rawValue
      it.mode = names.mode(found.mode)
      it.durationNs = ns(found.length)
    }
  }

  func facts(_ replay: borrowing Replay) -> TraceFacts {
    var facts = TraceFacts()
    facts.fromNs = ns(from)
    facts.toNs = ns(to)
    let first = reader.syncPoints.first
    facts.durationNs = ns(Moment(reader.lastTime))
    facts.startRealtimeNs = first.map { $0.realtimeNs &- ns(Moment($0.time)) }
    facts.captureLevel = reader.header.captureLevel
    facts.timeUnitNs = reader.header.timeUnit.nanoseconds
    facts.hasHighStamps = reader.header.hasHighStamps
    facts.threads = replay.stream.threads.map(definition)
    facts.unknownBlocks = reader.unknownBlocks
    facts.damagedBlocks = reader.damagedBlocks + replay.stream.misplacedBlocks
    facts.clean = reader.isClean && replay.stream.misplacedBlocks == 0
    facts.events = replay.events
    facts.lostEvents = replay.lostEvents
    facts.unknownEvents = replay.unknownEvents
    facts.hasUnseenObjects = reader.info.contains { $0.key == InfoEntry.unwrappedCallouts }
    // A window ends where it was told to.
    facts.hasUnknownEnd =
      to >= Moment(reader.lastTime) && reader.info.contains { $0.key == InfoEntry.endUnknown }
    let suspensions = replay.suspensions
    let longest = suspensions.longest
    facts.suspendedNs = ns(suspensions.total)
    facts.suspensions = longest.elements.map { row in
      filled(Suspension()) { it in
        it.startNs = ns(row.start)
        it.durationNs = ns(row.length)
        it.evidence = row.kind == .stop ? .stopped : row.kind == .beat ? .lateBeat : .systemSleep
      }
    }
    facts.suspensionsOmitted = longest.omitted
    facts.lateBeats = UInt64(
      suspensions.evidence.lateBeatsWhileRunning(from: from, to: to) + suspensions.uncertain)
    facts.sleptBesidesNs = suspensions.evidence.sleptBesidesNs(from: from, to: to)
    return facts
  }

  /// The lane that a thread of the results is replayed on.
  func lane(_ thread: UInt32?, _ replay: borrowing Replay) -> Int? {
    thread.flatMap { replay.stream.threads.firstIndex(of: ThreadIndex($0)) }
  }

  func definition(_ thread: ThreadIndex) -> ThreadDefinition {
    let index = thread.rawValue
    return reader.threads[index]
      ?? ThreadDefinition(index: index, osThread: 0, isMain: false, name: "thread \(index)")
  }

  /// A column of a thread's clock.
  func column(_ column: Int, _ modes: [ModeID]) -> String {
    column == 0
      ? Phase.outside.name : modes.indices.contains(column) ? names.mode(modes[column]) : ModeName.others
  }

  /// The columns that hold something, by name.
  func columns(_ values: SIMD16<UInt64>, _ modes: [ModeID]) -> [(mode: String, ns: UInt64)] {
    inOrder(modes).filter { values[$0] > 0 }.map { (column($0, modes), ns(values.length($0))) }
  }

  /// All columns, in the order of mode ids: which came first on a thread depends on where one begins to look.
  func inOrder(_ modes: [ModeID]) -> [Int] {
    modes.indices.sorted { modes[$0] < modes[$1] } + Array(modes.count..<LaneClock.columns)
  }

  func loop(_ id: LoopID, _ objects: ObjectTable) -> String {
    names.string(objects.name(of: id.object)) ?? "loop \(id.object.rawValue)"
  }

  // MARK: Modes and loops

  func modeResults(_ replay: borrowing Replay) -> [ModeResult] {
    let table = replay.books.modes
    return (0..<table.cells.count).compactMap { modeResult(table.cells[$0], replay) }
  }

  private func modeResult(_ cell: borrowing ModeCell, _ replay: borrowing Replay) -> ModeResult? {
    let time = cell.phases.lengthInAll
    guard time > .zero || cell.runs > 0 || cell.suspended > .zero else { return nil }
    let isShared = cell.lane < 0
    let waiting = cell.phases.length(Phase.waiting)
    var result = ModeResult()
    result.loop = isShared ? Remainder.rows : loop(cell.loop, replay.books.objects)
    result.mode = isShared ? ModeName.others : names.mode(cell.mode)
    result.thread = isShared ? 0 : replay.stream.threads[cell.lane].rawValue
    result.isRemainder = isShared || cell.mode.rawValue == ModeDefinition.overflowID
    result.timeNs = ns(time)
    result.waitingNs = ns(waiting)
    result.busyNs = result.timeNs &- result.waitingNs
    result.passes = cell.passes
    result.phasesNs = byPhase(cell.phases)
    result.passNs = distribution(cell.pass)
    result.wakeToCalloutNs = distribution(cell.wake)
    result.suspendedNs = ns(cell.suspended)
    result.polls = cell.polls
    result.wakes = cell.wakes
    if reader.header.captureLevel != .activities { result.emptyWakes = cell.emptyWakes }
    if reader.header.hasHighStamps { result.observersNs = byPhase(cell.observers) }
    result.inputDelay = delay(cell.busy, waiting: waiting)
    return result
  }

  private func byPhase(_ times: PhaseTimes) -> [Phase: UInt64] {
    var result: [Phase: UInt64] = [:]
    for phase in Phase.allCases where times.length(phase) > .zero { result[phase] = ns(times.length(phase)) }
    return result
  }

  func loopResults(_ replay: borrowing Replay) -> [LoopResult] {
    let table = replay.books.modes
    var results: [LoopResult] = []
    var seen: [(lane: Int, loop: LoopID)] = []
    for place in 0..<table.cells.count where table.cells[place].lane >= 0 {
      let (lane, loop) = (table.cells[place].lane, table.cells[place].loop)
      var at = seen.firstIndex { $0.lane == lane && $0.loop == loop }
      if at == nil {
        at = seen.count
        seen.append((lane, loop))
        let ends = replay.runEnds(lane: lane)
        results.append(
          filled(LoopResult()) { it in
            it.loop = self.loop(loop, replay.books.objects)
            it.thread = definition(replay.stream.threads[lane])
            it.firstRunNs = ends.first.map(ns)
            it.livedOnNs = ends.livedOn.map(ns)
          })
      }
      if let at { add(table.cells[place], to: &results[at]) }
    }
    return results
  }

  private func add(_ cell: borrowing ModeCell, to result: inout LoopResult) {
    let waiting = cell.phases.length(Phase.waiting)
    result.timeNs &+= ns(cell.phases.lengthInAll)
    result.waitingNs &+= ns(waiting)
    result.busyNs &+= ns(cell.phases.lengthInAll &- waiting)
    result.runs += cell.runs
    result.nestedRuns += cell.nestedRuns
    result.passes += cell.passes
    result.suspendedNs &+= ns(cell.suspended)
  }

  func emptyRuns(_ replay: borrowing Replay) -> [EmptyRunsResult] {
    replay.stream.threads.indices.flatMap { lane in
      replay.emptyRuns(lane: lane).map { row in
        filled(EmptyRunsResult()) { it in
          it.loop = loop(row.loop, replay.books.objects)
          it.mode = names.mode(row.mode)
          it.thread = replay.stream.threads[lane].rawValue
          it.count = row.count
          it.startNs = ns(row.start)
          it.durationNs = ns(row.end &- row.start)
        }
      }
    }
  }

  // MARK: Notes

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
    return notes
  }
}
