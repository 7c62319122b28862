import TraceFormat
import TraceReplay
import TraceResults

/// Converts the sums of a replay, in time units and ids, into results with nanoseconds and names.
struct ResultBuilder {
  let reader: TraceReader
  /// The events that the recording could observe.
  var level: CaptureLevel { reader.header.captureLevel }
  let names: TraceNames
  let scale: TimeScale
  let profile: Profile?
  let stacks: StackOptions
  /// The names of timers that the reader chose as frame sources.
  let frameSources: Set<String>
  /// The analyzed span.
  let from: Moment
  let to: Moment

  /// `split`: the sums by the values of a state; nil = not asked for.
  func build(_ replay: borrowing Replay, _ split: StateSplit?) -> Analysis {
    let threads = replay.stream.threads
    let held = replay.books.held
    var result = Analysis(trace: facts(replay))
    result.damage = replay.stream.damage
    result.modes = modeResults(replay)
    result.loops = loopResults(replay)
    result.emptyRuns = emptyRuns(replay)
    result.runs = runs(replay)
    let topology = TopologyBuilder(self, replay)
    result.snapshots = topology.results()
    result.snapshotsOmitted = replay.books.topology.omitted
    result.inventory = topology.inventory()
    result.profile = profile
    // The threads of a pool also rest elsewhere: the time between two waits says nothing.
    let pools = Set(result.loops.filter { $0.kind == .pool }.map(\.thread.index))
    result.gaps = held.gaps.elements.map { gap($0, threads, replay.books.lifeCycle.phases) }
      .filter { !pools.contains($0.thread) }
    result.busy = held.busy.elements.map { busy($0, threads) }.filter { !pools.contains($0.thread) }
    result.gapsOmitted = held.gaps.omitted
    result.busyOmitted = held.busy.omitted
    result.unlistedBusy = unlistedBusy(held, threads).filter { !pools.contains($0.key) }
    result.busyAtStart = held.atStart.map { edge($0, threads) }.filter { !pools.contains($0.thread) }
    if result.trace.hasUnknownEnd {
      result.busyAtBreak = held.atEnd.map { edge($0, threads) }.filter { !pools.contains($0.thread) }
    }
    let code = (try? CodeNames(reader)) ?? CodeNames()
    var named = NamedAddresses(
      replay.books.stacks, code, reader, self.stacks,
      hasEventLoops: result.loops.contains { $0.kind != .runLoop })
    let places = CodePlaces(code, &named, names)
    result.code = places.results
    var stalls = StallBuilder(self, replay, &named)
    result.stalls = stalls?.stalls(result.gaps) ?? []
    result.sampledStacks = stalls?.distinct() ?? []
    let functions = FunctionBuilder(result.stalls, result.sampledStacks)
    result.functions = functions.rows
    result.processor = processorUse(replay.books.stacks)
    result.timers = timerResults(replay, places)
    result.frames = frameResults(replay, &stalls)
    result.callouts = calloutResults(replay, places, accounts(of: result.stalls))
    result.sources = sourceResults(replay)
    result.sourceLives = sourceLives(replay)
    result.queues = queueResults(replay)
    result.work = work(replay, &stalls)
    // The events that show that the work ran may be missing.
    let isUncertain = result.trace.mayMissEvents
    result.unserved = unserved(replay, result.stalls, isUncertain: isUncertain)
    let ofQueues = unservedOfQueues(replay, isUncertain: isUncertain)
    if !ofQueues.isEmpty {
      result.unserved = (result.unserved + ofQueues).ordered { $1.waitedNs < $0.waitedNs }
    }
    result.unservedOmitted = replay.unservedOmitted &+ replay.books.queues.waitingOmitted
    let waiting = result.unserved.filter(\.isUnserved)
    let isKnown = level.seesCallouts && !waiting.contains(where: \.isUncertain)
    result.queues.unserved = isKnown ? waiting.map(\.count).saturatedSum : nil
    result.unrunLoops = unrunLoops(result, replay)
    result.utilisation = utilisation(replay)
    let watched = watchedThread(result.loops.filter { $0.kind != .pool })
    if let watched {
      result.inputDelay = inputDelay(watched, replay)
      result.detectors = detectors(watched, result, replay)
      result.incidents = incidents(watched, result.detectors, replay)
    }
    result.lifeCycle = lifeCycle(result.timers, watched, replay)
    let firstRunNs = result.loops.first { $0.thread.isMain }?.firstRunNs ?? .max
    for (place, phase) in result.lifeCycle.phases.enumerated() where phase.phase == .launching {
      result.lifeCycle.phases[place].atLimit = stalls?.launchAtLimit(
        from: phase.startNs, to: min(phase.startNs &+ phase.durationNs, firstRunNs))
    }
    if hasOnlyHangs { result.forgetLoops() }
    result.marks = marks(replay, result)
    result.states = states(replay)
    result.split = split.map { self.split($0, of: result, watched, pools) }
    result.openCallouts = openCallouts(result, replay)
    result.end = end(result.openCallouts, replay)
    result.notes = notes(result, replay)
    if let count = stalls?.names.omitted, count > 0 { result.notes.append(.inlinedOmitted(count)) }
    if functions.isCut { result.notes.append(.functionsOmitted(limit: AnalysisLimits.functionRows)) }
    if let why = stalls?.unreadableRules { result.notes.append(.unreadableCauses(why)) }
    result.findings = FindingRules.findings(in: result)
    result.verdict = Verdict(result)
    return result
  }

  /// Whether the time outside hangs is unknown.
  var hasOnlyHangs: Bool { fact(InfoEntry.hangsOnly) != nil }

  /// Returns the recording's info entry for the key.
  func fact(_ key: String) -> String? { reader.info.first { $0.key == key }?.value }

  func ns(_ moment: Moment) -> UInt64 { scale.ns(moment) }
  func ns(_ length: Length) -> UInt64 { scale.ns(length) }

  private func edge(_ found: FoundEdge, _ threads: [ThreadIndex]) -> BusyAtEdge {
    (threads[found.lane].rawValue, names.mode(found.mode), ns(found.length))
  }

  func facts(_ replay: borrowing Replay) -> TraceResult {
    let first = reader.syncPoints.first
    let suspensions = replay.suspensions
    let evidence = suspensions.evidence
    let longest = suspensions.longest
    let contradictions = replay.contradictions
    func isSaid(_ key: String) -> Bool { reader.info.contains { $0.key == key } }
    return with(TraceResult()) { it in
      it.command = isSaid(InfoEntry.scenario) ? nil : fact(InfoEntry.command)
      it.writer = reader.writer
      it.events = replay.events
      it.lostEvents = replay.lostEvents
      it.lostToFullDisk = replay.lostToFullDisk
      it.durationNs = ns(Moment(reader.lastTime))
      it.fromNs = ns(from)
      it.toNs = ns(to)
      it.startRealtimeNs = first.map { $0.realtimeNs &- ns(Moment($0.time)) }
      it.clean = reader.isClean
      it.captureLevel = reader.header.captureLevel
      it.timeUnitNs = reader.header.timeUnit.nanoseconds
      it.hasHighStamps = reader.header.hasHighStamps
      it.threads = replay.stream.threads.map(definition)
      it.threadsLeftOut = replay.stream.leftOut.threads
      it.unknownEvents = replay.unknownEvents
      it.unknownBlocks = reader.unknownBlocks
      it.damagedBlocks = reader.damagedBlocks
      it.unfollowed =
        [replay.timers.untracked, replay.unfollowedRuns, replay.unfollowedCallouts].saturatedSum
      it.contradictions = contradictions.count.saturated(adding: UInt64(reader.indexContradictions.count))
      it.firstContradiction = contradictions.first.map { (ns($0.time), $0.thread.rawValue) }
      it.hasUnseenObjects = isSaid(InfoEntry.unwrappedCallouts)
      // A span that ends before the trace does has a known end.
      it.hasUnknownEnd =
        to >= Moment(reader.lastTime) && isSaid(InfoEntry.endUnknown) && replay.stream.notedEnd == nil
      it.suspendedNs = ns(suspensions.total)
      it.suspensions = longest.elements.map { (ns($0.start), ns($0.length), $0.sign) }
      it.suspensionsOmitted = longest.omitted
      it.lateBeats = UInt64(evidence.lateBeatsWhileRunning(from: from, to: to) + suspensions.uncertain)
      it.sleptOffClockNs = evidence.sleptOffClockNs(from: from, to: to)
    }
  }

  /// Returns the lane on which a thread of the results is replayed.
  func lane(_ thread: UInt32?, _ replay: borrowing Replay) -> Int? {
    thread.flatMap { replay.stream.threads.firstIndex(of: ThreadIndex($0)) }
  }

  func definition(_ thread: ThreadIndex) -> ThreadDefinition {
    let index = thread.rawValue
    guard let known = reader.threads[index] else {
      return ThreadDefinition(index: index, osThread: 0, isMain: false, name: "thread \(index)")
    }
    return with(known) { $0.name = ShownName.of($0.name) }
  }

  /// Returns the name of a column of a thread's clock.
  func column(_ column: Int, _ modes: [ModeID]) -> String {
    column == 0
      ? Phase.outside.name : modes.indices.contains(column) ? names.mode(modes[column]) : ModeName.others
  }

  /// Returns the columns with time, by name.
  func columns(_ values: SIMD16<UInt64>, _ modes: [ModeID]) -> [(mode: String, ns: UInt64)] {
    inOrder(modes).filter { values[$0] > 0 }.map { (column($0, modes), ns(values.length($0))) }
  }

  /// Returns all columns in the order of mode ids. Their own order depends on where the analysis begins.
  func inOrder(_ modes: [ModeID]) -> [Int] {
    modes.indices.ordered { modes[$0] < modes[$1] } + Array(modes.count..<LaneClock.columns)
  }

  func loop(_ id: LoopID, _ objects: ObjectTable) -> String {
    names.string(objects.name(of: id)) ?? "loop \(id.object.rawValue)"
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
    let kind = replay.books.objects.kind(of: cell.loop)
    return with(ModeResult()) { it in
      it.loop = isShared ? Remainder.rows : loop(cell.loop, replay.books.objects)
      it.mode = isShared ? ModeName.others : names.mode(cell.mode)
      it.thread = isShared ? 0 : replay.stream.threads[cell.lane].rawValue
      it.timeNs = ns(time)
      it.waitingNs = ns(waiting)
      it.passes = cell.pass.count
      it.phasesNs = byPhase(cell.phases, of: level.seesPhases ? Phase.allCases : [.waiting])
      it.passNs = distribution(cell.pass)
      it.wakeToCalloutNs = distribution(cell.wake)
      it.suspendedNs = ns(cell.suspended)
      it.polls = cell.polls
      it.pollRuns = cell.pollRuns
      it.pollsWithoutPass = kind.isEventLoop ? cell.pollsWithoutPass : nil
      it.emptyPolls = level.seesCallouts ? cell.emptyPolls.count : nil
      it.polling = level.seesCallouts ? polling(cell.emptyPolls, replay) : nil
      it.wakes = cell.wakes
      it.emptyWakes = level.seesCallouts ? cell.emptyWakes : nil
      it.observersNs = reader.header.hasHighStamps ? byPhase(cell.observers, of: Phase.allCases) : nil
      it.isRemainder = isShared || cell.mode.rawValue == ModeDefinition.overflowID
      it.inputDelay = kind == .pool ? nil : delay(cell.busy, waiting: waiting)
    }
  }

  private func polling(_ polls: EmptyPolls, _ replay: borrowing Replay) -> PollingResult? {
    guard let found = polls.polling else { return nil }
    return with(PollingResult()) { it in
      it.runs = found.count
      it.timeNs = ns(found.time)
      it.fastTimeNs = ns(found.fastTime)
      it.startNs = ns(found.start)
      it.endNs = ns(found.end)
      it.hasSeveralCallers = polls.hasSeveralCallers
      guard polls.caller >= 0 else { return }
      let row = replay.books.callouts.rows[Int(polls.caller)]
      if row.lane >= 0 { it.caller = (names.calloutKind(row.kind), names.callout(row.kind, row.name)) }
    }
  }

  private func byPhase(_ times: PhaseTimes, of phases: [Phase]) -> [Phase: UInt64] {
    Dictionary(uniqueKeysWithValues: phases.map { ($0, ns(times.length($0))) })
  }

  func loopResults(_ replay: borrowing Replay) -> [LoopResult] {
    let table = replay.books.modes
    var results: [LoopResult] = []
    var seen: [(lane: Int, loop: LoopID)] = []
    for place in 0..<table.cells.count where table.cells[place].lane >= 0 {
      let (lane, loop) = (table.cells[place].lane, table.cells[place].loop)
      let at = seen.firstIndex { $0.lane == lane && $0.loop == loop } ?? seen.count
      if at == seen.count {
        seen.append((lane, loop))
        let ends = replay.runEnds(lane: lane)
        results.append(
          with(LoopResult()) { it in
            it.loop = self.loop(loop, replay.books.objects)
            it.kind = replay.books.objects.kind(of: loop)
            it.thread = definition(replay.stream.threads[lane])
            it.firstRunNs = ends.first.map(ns)
            it.continuedNs = ends.livedOn.map(ns)
            it.openRun = replay.openRun(lane: lane).map {
              (names.mode($0.mode), $0.isWaiting, $0.isInCallout)
            }
          })
      }
      add(table.cells[place], to: &results[at])
    }
    return results
  }

  private func add(_ cell: borrowing ModeCell, to result: inout LoopResult) {
    result.timeNs &+= ns(cell.phases.lengthInAll)
    result.waitingNs &+= ns(cell.phases.length(Phase.waiting))
    result.runs += cell.runs
    result.nestedRuns += cell.nestedRuns
    result.passes += cell.pass.count
    result.suspendedNs &+= ns(cell.suspended)
  }

  func runs(_ replay: borrowing Replay) -> [RunsResult] {
    replay.stream.threads.indices.flatMap { lane in
      replay.runReturns(lane: lane).map { row in
        with(RunsResult()) { it in
          it.loop = loop(row.loop, replay.books.objects)
          it.mode = names.mode(row.mode)
          it.thread = replay.stream.threads[lane].rawValue
          it.returns = row.counts
          it.empty = row.empty
        }
      }
    }
  }

  func emptyRuns(_ replay: borrowing Replay) -> [EmptyRunsResult] {
    replay.stream.threads.indices.flatMap { lane in
      replay.emptyRuns(lane: lane).map { row in
        with(EmptyRunsResult()) { it in
          it.loop = loop(row.loop, replay.books.objects)
          it.mode = names.mode(row.mode)
          it.thread = replay.stream.threads[lane].rawValue
          it.count = row.count
          it.startNs = ns(row.start)
          it.durationNs = ns(row.end &- row.start)
          it.longestTimeoutNs = row.longestTimeoutNs
        }
      }
    }
  }
}
