import TraceFormat
import TraceReplay

extension Analysis {
  /// What a replay found from `from` to `to`, without findings.
  package init(
    _ replay: borrowing Replay, of reader: TraceReader, _ scale: TimeScale, profile: Profile?,
    from: Moment, to: Moment
  ) {
    let names = TraceNames(reader)
    self = ResultBuilder(reader: reader, names: names, scale: scale, profile: profile, from: from, to: to)
      .build(replay)
  }
}

/// Turns what a replay added up, in time units and ids, into results in nanoseconds and names.
struct ResultBuilder {
  let reader: TraceReader
  let names: TraceNames
  let scale: TimeScale
  let profile: Profile?
  /// The analyzed span.
  let from: Moment
  let to: Moment

  func build(_ replay: borrowing Replay) -> Analysis {
    let threads = replay.stream.threads
    let held = replay.books.held
    let loops = loopResults(replay)
    let timers = timerResults(replay)
    let watched = watchedThread(loops)
    let facts = facts(replay)
    var result = Analysis(
      trace: facts, loops: loops, modes: modeResults(replay), emptyRuns: emptyRuns(replay),
      gaps: held.gaps.elements.map { gap($0, threads, replay.books.lifeCycle.phases) },
      busy: held.busy.elements.map { busy($0, threads) }, timers: timers, callouts: calloutResults(replay),
      sources: sourceResults(replay), queues: queueResults(replay), utilisation: utilisation(replay),
      inputDelay: watched.flatMap { inputDelay($0, replay) },
      lifeCycle: lifeCycle(timers, watched, replay), marks: marks(replay),
      detectors: watched.map { detectors($0, replay) } ?? [],
      incidents: watched.map { incidents($0, replay) } ?? [], profile: profile,
      gapsOmitted: held.gaps.omitted, busyOmitted: held.busy.omitted,
      busyAtStart: held.atStart.map { edge($0, threads) },
      busyAtBreak: facts.hasUnknownEnd ? held.atEnd.map { edge($0, threads) } : [],
      damage: replay.stream.damage)
    result.notes = notes(result, replay)
    return result
  }

  func ns(_ moment: Moment) -> UInt64 { scale.ns(moment) }
  func ns(_ length: Length) -> UInt64 { scale.ns(length) }

  private func edge(_ found: FoundEdge, _ threads: [ThreadIndex]) -> BusyAtEdge {
    BusyAtEdge(
      thread: threads[found.lane].rawValue, mode: names.mode(found.mode), durationNs: ns(found.length))
  }

  func facts(_ replay: borrowing Replay) -> TraceFacts {
    let first = reader.syncPoints.first
    let suspensions = replay.suspensions
    let evidence = suspensions.evidence
    let longest = suspensions.longest
    func isSaid(_ key: String) -> Bool { reader.info.contains { $0.key == key } }
    return TraceFacts(
      events: replay.events, lostEvents: replay.lostEvents, durationNs: ns(Moment(reader.lastTime)),
      fromNs: ns(from), toNs: ns(to), startRealtimeNs: first.map { $0.realtimeNs &- ns(Moment($0.time)) },
      clean: reader.isClean && replay.stream.misplacedBlocks == 0, captureLevel: reader.header.captureLevel,
      timeUnitNs: reader.header.timeUnit.nanoseconds, hasHighStamps: reader.header.hasHighStamps,
      threads: replay.stream.threads.map(definition), unknownEvents: replay.unknownEvents,
      unknownBlocks: reader.unknownBlocks,
      damagedBlocks: reader.damagedBlocks + replay.stream.misplacedBlocks,
      hasUnseenObjects: isSaid(InfoEntry.unwrappedCallouts),
      // A window ends where it was told to.
      hasUnknownEnd: to >= Moment(reader.lastTime) && isSaid(InfoEntry.endUnknown),
      suspendedNs: ns(suspensions.total),
      suspensions: longest.elements.map {
        Suspension(startNs: ns($0.start), durationNs: ns($0.length), evidence: $0.sign)
      },
      suspensionsOmitted: longest.omitted,
      lateBeats: UInt64(evidence.lateBeatsWhileRunning(from: from, to: to) + suspensions.uncertain),
      sleptBesidesNs: evidence.sleptBesidesNs(from: from, to: to))
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
    return ModeResult(
      loop: isShared ? Remainder.rows : loop(cell.loop, replay.books.objects),
      mode: isShared ? ModeName.others : names.mode(cell.mode),
      thread: isShared ? 0 : replay.stream.threads[cell.lane].rawValue, timeNs: ns(time),
      busyNs: ns(time &- waiting), waitingNs: ns(waiting), passes: cell.passes,
      phasesNs: byPhase(cell.phases), passNs: distribution(cell.pass),
      wakeToCalloutNs: distribution(cell.wake), suspendedNs: ns(cell.suspended), polls: cell.polls,
      wakes: cell.wakes,
      emptyWakes: reader.header.captureLevel == .activities ? nil : cell.emptyWakes,
      observersNs: reader.header.hasHighStamps ? byPhase(cell.observers) : nil,
      isRemainder: isShared || cell.mode.rawValue == ModeDefinition.overflowID,
      inputDelay: delay(cell.busy, waiting: waiting))
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
          LoopResult(
            loop: self.loop(loop, replay.books.objects), thread: definition(replay.stream.threads[lane]),
            firstRunNs: ends.first.map(ns), livedOnNs: ends.livedOn.map(ns)))
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
        EmptyRunsResult(
          loop: loop(row.loop, replay.books.objects), mode: names.mode(row.mode),
          thread: replay.stream.threads[lane].rawValue, count: row.count, startNs: ns(row.start),
          durationNs: ns(row.end &- row.start))
      }
    }
  }
}
