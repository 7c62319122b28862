import TraceFormat
import TraceReplay
import TraceResults

/// Turns what a replay added up, in time units and ids, into results in nanoseconds and names.
struct ResultBuilder {
  let reader: TraceReader
  let names: TraceNames
  let scale: TimeScale
  let profile: Profile?
  /// The analyzed span, in time units.
  let from: UInt64
  let to: UInt64

  func build(_ replay: borrowing Replay) -> Analysis {
    let threads = replay.stream.threads
    var result = Analysis(trace: facts(replay))
    result.modes = modeResults(replay)
    result.loops = loopResults(replay)
    result.emptyRuns = emptyRuns(replay)
    let held = replay.books.held
    let phases = LifePhases(replay.books.lifeCycle.phases)
    result.profile = profile
    result.gaps = held.gaps.map { gap($0, threads, phases) }
    result.busy = held.busy.map { busy($0, threads) }
    result.gapsOmitted = held.gapCount - held.gaps.count
    result.busyOmitted = held.busyCount - held.busy.count
    result.busyAtStart = held.atStart.map { edge($0, threads) }
    if result.trace.hasUnknownEnd { result.busyAtBreak = held.atEnd.map { edge($0, threads) } }
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

  func ns(_ units: UInt64) -> UInt64 { scale.ns(units) }

  private func edge(_ found: FoundEdge, _ threads: [UInt32]) -> BusyAtEdge {
    filled(BusyAtEdge()) { it in
      it.thread = threads[found.lane]
      it.mode = names.mode(found.mode)
      it.durationNs = ns(found.length)
    }
  }

  func facts(_ replay: borrowing Replay) -> TraceFacts {
    var facts = TraceFacts()
    facts.fromNs = ns(from)
    facts.toNs = ns(to)
    let first = reader.syncPoints.first
    facts.durationNs = ns(reader.lastTime)
    facts.startRealtimeNs = first.map { $0.realtimeNs &- ns($0.time) }
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
      to >= reader.lastTime && reader.info.contains { $0.key == InfoEntry.endUnknown }
    let suspensions = replay.suspensions
    facts.suspendedNs = ns(suspensions.total)
    facts.suspensions = suspensions.list.map { row in
      filled(Suspension()) { it in
        it.startNs = ns(row.start)
        it.durationNs = ns(row.end - row.start)
        it.evidence = row.kind == .stop ? .stopped : row.kind == .beat ? .lateBeat : .systemSleep
      }
    }
    facts.suspensionsOmitted = suspensions.count - facts.suspensions.count
    facts.lateBeats = UInt64(
      suspensions.evidence.lateBeatsWhileRunning(from: from, to: to) + suspensions.uncertain)
    facts.sleptBesidesNs = suspensions.evidence.sleptBesidesNs(from: from, to: to)
    return facts
  }

  func definition(_ thread: UInt32) -> ThreadDefinition {
    reader.threads[thread]
      ?? ThreadDefinition(index: thread, osThread: 0, isMain: false, name: "thread \(thread)")
  }

  /// A column of a thread's clock.
  func column(_ column: Int, _ modes: [UInt8]) -> String {
    column == 0
      ? Phase.outside.name : modes.indices.contains(column) ? names.mode(modes[column]) : ModeName.others
  }

  /// The columns that hold something, by name.
  func columns(_ values: SIMD16<UInt64>, _ modes: [UInt8]) -> [(mode: String, ns: UInt64)] {
    inOrder(modes).filter { values[$0] > 0 }.map { (column($0, modes), ns(values[$0])) }
  }

  /// All columns, in the order of mode ids: which came first on a thread depends on where one begins to look.
  func inOrder(_ modes: [UInt8]) -> [Int] {
    modes.indices.sorted { modes[$0] < modes[$1] } + Array(modes.count..<LaneClock.columns)
  }

  func loop(_ object: UInt32, _ objects: ObjectTable) -> String {
    names.string(objects.name(of: object)) ?? "loop \(object)"
  }

  // MARK: Modes and loops

  func cells(_ replay: borrowing Replay) -> [ModeCell] {
    Array(UnsafeBufferPointer(start: replay.books.modes.cells, count: replay.books.modes.count))
  }

  func modeResults(_ replay: borrowing Replay) -> [ModeResult] {
    let objects = replay.books.objects
    let threads = replay.stream.threads
    return cells(replay).filter { $0.phases.wrappedSum() > 0 || $0.runs > 0 || $0.suspended > 0 }.map {
      cell in
      let isShared = cell.lane < 0
      var result = filled(ModeResult()) { it in
        it.loop = isShared ? Remainder.rows : loop(cell.loop, objects)
        it.mode = isShared ? ModeName.others : names.mode(cell.mode)
        it.thread = isShared ? 0 : threads[cell.lane]
      }
      result.isRemainder = isShared || cell.mode == ModeDefinition.overflowID
      result.timeNs = ns(cell.phases.wrappedSum())
      result.waitingNs = ns(cell.phases[Phase.waiting.rawValue])
      result.busyNs = result.timeNs &- result.waitingNs
      result.passes = cell.passes
      for phase in Phase.allCases where cell.phases[phase.rawValue] > 0 {
        result.phasesNs[phase] = ns(cell.phases[phase.rawValue])
      }
      result.passNs = distribution(cell.pass)
      result.wakeToCalloutNs = distribution(cell.wake)
      result.suspendedNs = ns(cell.suspended)
      result.polls = cell.polls
      result.wakes = cell.wakes
      if reader.header.captureLevel != .activities { result.emptyWakes = cell.emptyWakes }
      if reader.header.hasHighStamps {
        var observers: [Phase: UInt64] = [:]
        for phase in Phase.allCases where cell.observers[phase.rawValue] > 0 {
          observers[phase] = ns(cell.observers[phase.rawValue])
        }
        result.observersNs = observers
      }
      result.inputDelay = delay(cell.busy, waiting: cell.phases[Phase.waiting.rawValue])
      return result
    }
  }

  func loopResults(_ replay: borrowing Replay) -> [LoopResult] {
    var results: [LoopResult] = []
    var seen: [(lane: Int, loop: UInt32)] = []
    for cell in cells(replay) where cell.lane >= 0 {
      var at = seen.firstIndex { $0.lane == cell.lane && $0.loop == cell.loop }
      if at == nil {
        seen.append((cell.lane, cell.loop))
        results.append(
          filled(LoopResult()) { it in
            it.loop = loop(cell.loop, replay.books.objects)
            it.thread = definition(replay.stream.threads[cell.lane])
          }
        )
        at = results.count - 1
        let ends = replay.runEnds(lane: cell.lane)
        results[results.count - 1].firstRunNs = ends.first.map(ns)
        results[results.count - 1].livedOnNs = ends.livedOn.map(ns)
      }
      guard let at else { continue }
      let time = cell.phases.wrappedSum()
      let waiting = cell.phases[Phase.waiting.rawValue]
      results[at].timeNs &+= ns(time)
      results[at].waitingNs &+= ns(waiting)
      results[at].busyNs &+= ns(time &- waiting)
      results[at].runs += cell.runs
      results[at].nestedRuns += cell.nestedRuns
      results[at].passes += cell.passes
      results[at].suspendedNs &+= ns(cell.suspended)
    }
    return results
  }

  func emptyRuns(_ replay: borrowing Replay) -> [EmptyRunsResult] {
    replay.stream.threads.indices.flatMap { lane in
      replay.emptyRuns(lane: lane).map { row in
        filled(EmptyRunsResult()) { it in
          it.loop = loop(row.loop, replay.books.objects)
          it.mode = names.mode(row.mode)
          it.thread = replay.stream.threads[lane]
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
      !lab.threads.contains(where: { replay.stream.threads[$0.lane] == watched })
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
