import TraceFormat
import TraceReplay

/// Turns what a replay added up, in time units and ids, into results in nanoseconds and names.
struct ResultBuilder {
  let reader: TraceReader
  let names: TraceNames
  let unit: UInt64
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

  private func edge(_ found: FoundEdge, _ threads: [UInt32]) -> BusyAtEdge {
    BusyAtEdge(
      thread: threads[found.lane], mode: names.mode(found.mode), durationNs: found.length &* unit)
  }

  func facts(_ replay: borrowing Replay) -> TraceFacts {
    var facts = TraceFacts()
    facts.fromNs = from &* unit
    facts.toNs = to &* unit
    let first = reader.syncPoints.first
    facts.durationNs = reader.lastTime * unit
    facts.startRealtimeNs = first.map { $0.realtimeNs &- $0.time &* unit }
    facts.captureLevel = reader.header.captureLevel
    facts.timeUnitNs = unit
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
    facts.suspendedNs = suspensions.total &* unit
    facts.suspensions = suspensions.list.map {
      Suspension(
        startNs: $0.start &* unit, durationNs: ($0.end - $0.start) &* unit,
        evidence: $0.kind == .stop ? .stopped : $0.kind == .beat ? .lateBeat : .systemSleep)
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
    inOrder(modes).filter { values[$0] > 0 }.map { (column($0, modes), values[$0] &* unit) }
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
      var result = ModeResult(
        loop: isShared ? "(other)" : loop(cell.loop, objects),
        mode: isShared ? ModeName.others : names.mode(cell.mode),
        thread: isShared ? 0 : threads[cell.lane])
      result.timeNs = cell.phases.wrappedSum() &* unit
      result.waitingNs = cell.phases[Phase.waiting.rawValue] &* unit
      result.busyNs = result.timeNs &- result.waitingNs
      result.passes = cell.passes
      for phase in Phase.allCases where cell.phases[phase.rawValue] > 0 {
        result.phasesNs[phase] = cell.phases[phase.rawValue] &* unit
      }
      result.passNs = cell.pass.summary(unitNs: unit)
      result.wakeToCalloutNs = cell.wake.summary(unitNs: unit)
      result.suspendedNs = cell.suspended &* unit
      result.polls = cell.polls
      result.wakes = cell.wakes
      if reader.header.captureLevel != .activities { result.emptyWakes = cell.emptyWakes }
      if reader.header.hasHighStamps {
        var observers: [Phase: UInt64] = [:]
        for phase in Phase.allCases where cell.observers[phase.rawValue] > 0 {
          observers[phase] = cell.observers[phase.rawValue] &* unit
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
          LoopResult(
            loop: loop(cell.loop, replay.books.objects), thread: definition(replay.stream.threads[cell.lane]))
        )
        at = results.count - 1
        let ends = replay.runEnds(lane: cell.lane)
        results[results.count - 1].firstRunNs = ends.first.map { $0 &* unit }
        results[results.count - 1].livedOnNs = ends.livedOn.map { $0 &* unit }
      }
      guard let at else { continue }
      let time = cell.phases.wrappedSum()
      let waiting = cell.phases[Phase.waiting.rawValue]
      results[at].timeNs &+= time &* unit
      results[at].waitingNs &+= waiting &* unit
      results[at].busyNs &+= (time &- waiting) &* unit
      results[at].runs += cell.runs
      results[at].nestedRuns += cell.nestedRuns
      results[at].passes += cell.passes
      results[at].suspendedNs &+= cell.suspended &* unit
    }
    return results
  }

  func emptyRuns(_ replay: borrowing Replay) -> [EmptyRunsResult] {
    replay.stream.threads.indices.flatMap { lane in
      replay.emptyRuns(lane: lane).map { row in
        EmptyRunsResult(
          loop: loop(row.loop, replay.books.objects), mode: names.mode(row.mode),
          thread: replay.stream.threads[lane], count: row.count, startNs: row.start &* unit,
          durationNs: (row.end &- row.start) &* unit)
      }
    }
  }

  // MARK: Notes

  func notes(_ result: Analysis, _ replay: borrowing Replay) -> [String] {
    var notes: [String] = []
    if !reader.header.hasHighStamps {
      notes.append(
        "one observer per mode: the time of other observers is part of waiting or of the next phase, and not listed separately"
      )
    }
    if reader.header.captureLevel == .activities {
      notes.append(
        "capture level activities: timers, sources and blocks were not recorded, so lateness is unknown")
    }
    if result.trace.hasUnseenObjects {
      notes.append(
        "the program has more distinct timer or source callouts than the recorder can follow: the timers and sources with the later ones are not in the recording"
      )
    }
    for edge in result.busyAtStart where edge.durationNs >= BusyClass.briefUnresponsiveness.fromNs {
      notes.append(
        "thread \(edge.thread) was busy when the span began, for \(Units.duration(edge.durationNs)) of it: a busy interval counts where it begins"
      )
    }
    for edge in result.busyAtBreak {
      notes.append(
        "the recording breaks off while thread \(edge.thread) was busy, for \(Units.duration(edge.durationNs)) by then: how long that went on is not known"
      )
    }
    let blind = result.timers.filter { $0.ledger == nil }.count
    if blind > 0 {
      notes.append(
        "\(blind) timer classes have fires whose due points are not in the recording: their lateness is unknown"
      )
    }
    if replay.timers.classes.sharedRow != nil {
      notes.append(
        "more than \(AnalysisLimits.timerClasses) timer classes: the rest share the row 'other'")
    }
    if replay.timers.untracked > 0 {
      notes.append(
        "\(replay.timers.untracked) timer events beyond \(AnalysisLimits.liveTimers) live timers were not followed"
      )
    }
    if replay.unfollowedRuns > 0 {
      notes.append(
        "\(replay.unfollowedRuns) runs nested deeper than \(AnalysisLimits.nesting) are counted in the time of the runs around them"
      )
    }
    if replay.unfollowedCallouts > 0 {
      notes.append(
        "\(replay.unfollowedCallouts) callouts nested deeper than \(AnalysisLimits.openCallouts) are not counted apart"
      )
    }
    if replay.books.modes.isOverfull {
      notes.append(
        "more than \(AnalysisLimits.modeRows) modes of loops: the rest share the row '\(ModeName.others)'")
    }
    let lab = replay.books.detectors
    if let watched = result.detectors.first?.thread, lab.isFull,
      !lab.threads.contains(where: { replay.stream.threads[$0.lane] == watched })
    {
      notes.append(
        "more than \(AnalysisLimits.detectedThreads) threads have long gaps: the stall monitors' thread was not judged"
      )
    }
    if replay.books.callouts.isOverfull {
      notes.append(
        "more than \(AnalysisLimits.calloutRows) kinds of callouts: the rest share the row '(other)'")
    }
    if replay.books.sources.isOverfull {
      notes.append(
        "more than \(AnalysisLimits.sourceRows) names of sources: the rest share the row '(other)'")
    }
    if result.lifeCycle.omitted > 0 {
      notes.append(
        "\(result.lifeCycle.omitted) marks of the app's life beyond \(AnalysisLimits.lifeCycleRows) were not kept"
      )
    }
    notes += self.notes(result.marks, replay.books.marks)
    if replay.suspensions.evidence.refused > 0 {
      notes.append(
        "\(replay.suspensions.evidence.refused) signs of suspension beyond the limit were not used")
    }
    if result.trace.lateBeats > 0 {
      notes.append(
        "\(result.trace.lateBeats) beats of the recorder came late while the program ran: the machine was busy"
      )
    }
    if result.trace.sleptBesidesNs > 0 {
      notes.append(
        "the system slept for \(result.trace.sleptBesidesNs) ns that the trace's clock did not count")
    }
    return notes
  }
}
