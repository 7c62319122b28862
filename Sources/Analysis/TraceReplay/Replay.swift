import BasicContainers
import TraceFacts
import TraceFormat

/// The state of one analysis: the stream of events and everything that replays them.
///
/// A noncopyable struct, so that access needs no exclusivity checks at run time and makes no copies.
package struct Replay: ~Copyable {
  package private(set) var stream: EventStream
  private var threads: UniqueArray<ThreadReplay>
  /// The shapes of passes on all threads.
  private let shapes = PassShapes.none()
  package private(set) var timers: TimerLedger
  package let books: Books
  package let suspensions: Suspensions
  /// The number of replayed events.
  package private(set) var events: UInt64 = 0
  /// The callouts that were running at the end of the span, by thread.
  package private(set) var runningAtEnd: [RunningAtEnd] = []
  package private(set) var runningOmitted = 0
  /// The innermost open run of each lane at the end of the span.
  private var openRuns: [OpenRun?] = []
  /// The time of the program's last event.
  private var lastSign: Moment = .origin
  /// Work that had not run at the end of the span, the longest wait first, and the number of pieces without a row.
  package private(set) var unserved: [UnservedWork] = []
  package private(set) var unservedOmitted: UInt64 = 0
  private var sink: SinkLink?
  private let allowedSteps: Int
  private let noteSteps: (@Sendable (Int) -> Void)?

  package init(_ reader: TraceReader, options: ReplayOptions) throws(TraceFormatError) {
    let scale = TimeScale(reader.header.timeUnit)
    var options = options
    options.gapThresholdNs = options.listedGapNs(of: reader)
    let evidence = SuspensionEvidence(reader, scale)
    let budget = WorkBudget(reader, ofAnyTrace: options.steps)
    stream = try EventStream(
      reader, evidence: evidence, decodesAhead: options.decodesAhead, openEvents: options.openEvents,
      budget: budget)
    suspensions = Suspensions(evidence, scale)
    allowedSteps = WorkBudget.steps(reader, ofAnyTrace: options.steps)
    noteSteps = options.noteSteps
    let lanes = stream.threads.count
    let commonModes = reader.modes.first { $0.value == ModeName.common }?.key ?? ModeID.outside.rawValue
    // If blocks are missing, any event may be missing.
    let rules = EventSequence.Rules(
      reader, isBlind: stream.hasLossesElsewhere || reader.lostParts.contains { $0.events != .exactly(0) })
    let beginning = Moment(reader.beginning)
    let objects = ObjectTable()
    let books = Books(
      names: CanonicalStrings(reader.strings), objects: objects, modes: ModeTable(),
      callouts: CalloutTable(objects: objects, keepsDurations: options.keepsCalloutDurations),
      sources: SourceTable(objects: objects), held: HeldSpans(scale), lifeCycle: LifeCycleBook(),
      marks: MarkBook(), queues: QueueBook(objects: objects, budget: budget, scale),
      workPlaces: WorkPlaces(commonModesID: ModeID(commonModes)),
      longWait: scale.length(atLeastNs: BusyClass.hangNs),
      detectors: DetectorRunner(
        reader.header.captureLevel.seesPhases
          ? options.detectors : options.detectors.filter { !$0.needsPhases }, scale,
        mainLane: stream.threads.firstIndex { reader.threads[$0.rawValue]?.isMain ?? false },
        queueLane: stream.threads.firstIndex { reader.threads[$0.rawValue]?.isMainQueue ?? false }),
      budget: budget)
    self.books = books
    threads = UniqueArray(minimumCapacity: lanes)
    for (lane, thread) in stream.threads.enumerated() {
      threads.append(
        ThreadReplay(
          lane: lane, thread: thread, isMainQueue: reader.threads[thread.rawValue]?.isMainQueue ?? false,
          hasHigh: reader.header.hasHighStamps,
          seesCallouts: reader.header.captureLevel.seesCallouts, books: books, shapes: shapes, scale,
          options, rules: rules, beginning: beginning))
    }
    timers = TimerLedger(
      lanes: lanes, scale, commonModesID: ModeID(commonModes), objects: objects,
      budget: budget, followsAllFrames: options.followsAllFrames, rates: FrameRates(options.detectors, scale))
  }

  /// Begins the span to analyze. The series over time cover it, and `sink` receives its facts.
  package mutating func beginSpan(from: Moment, to: Moment, sink: SinkLink?) {
    for lane in threads.indices {
      threads[lane].busy.spanSeries(from: from, to: to)
      threads[lane].begin(sending: sink)
    }
    books.held.begin(sending: sink, stream.threads)
    books.states.begin(sending: sink, at: from)
    books.queues.begin(sending: sink, at: from)
    timers.begin(sending: sink)
    self.sink = sink
    timers.lifeSpan = ItemLivesBook.Span(from: from, to: to)
    books.sourceLives.begin(timers.lifeSpan)
  }

  /// Replays all events before `limit`. Calls `progress` with the number of replayed events after each segment.
  ///
  /// Where the process may have been suspended, events are replayed one by one to find the silence between them.
  package mutating func run(until limit: Moment, progress: (UInt64) -> Void) throws(TraceFormatError) {
    while true {
      let isWatching = suspensions.isWatching
      let bound = isWatching ? limit : min(limit, suspensions.nextWatch)
      guard let segment = try stream.next(before: bound, single: isWatching) else {
        guard bound < limit else { return }
        suspensions.watch(from: bound)
        continue
      }
      replay(segment)
      try refuseExcess()
      stream.finish(segment)
      progress(events)
    }
  }

  /// Throws if the trace exceeds a limit that makes all results incomplete.
  private func refuseExcess() throws(TraceFormatError) {
    if let excess = timers.excess {
      throw .limit(
        offset: 0, block: nil,
        what: "the trace has more than \(excess.limit) \(excess.what) (\(excess.name))")
    }
    guard timers.budget.isUsedUp else { return }
    throw .limit(
      offset: 0, block: nil,
      what: "its timers, threads and nested runs need more than \(AnalysisLimits.stepsOfAnyTrace) steps "
        + "plus \(AnalysisLimits.stepsPerByte) for each byte of the file (stepsPerByte)")
  }

  private mutating func replay(_ segment: EventStream.Segment) {
    let lane = segment.lane
    let columns = EventColumns(segment.events)
    let isSign = !stream.isRecorders[lane] && !stream.evidence.isEvidence(columns.kind(segment.start))
    let time = columns.time(segment.start)
    if suspensions.isWatching || suspensions.nextWatch <= time { settle(until: time, isSign ? .sign : .none) }
    if segment.isNewBlock, let missing = stream.takeMissing(lane: lane) {
      noteLoss(missing, lane, until: time)
    }
    threads[lane].replay(segment, timers: &timers)
    if isSign { lastSign = max(lastSign, columns.time(segment.end - 1)) }
    events += UInt64(clamping: segment.end - segment.start)
  }

  /// Notes that the events of unusable blocks are missing.
  private mutating func noteLoss(_ missing: EventStream.Missing, _ lane: Int, until time: Moment) {
    threads[lane].noteLoss(from: missing.since, until: time, count: missing.count, &timers)
  }

  /// Decides whether the silence of the program before `time` was a suspension.
  private mutating func settle(until time: Moment, _ ending: Suspensions.Ending) {
    while let found = suspensions.silence(from: lastSign, to: time, ending) {
      switch found {
      case .suspended(let from, let to):
        guard timers.budget.use(WorkBudget.Cost.thread * threads.count) else { return }
        timers.suspendUnrunLoops(from: from, to: to)
        for lane in threads.indices { threads[lane].suspend(from: from, to: to, &timers) }
        timers.suspendFrames(from: from, to: to)
        books.objects.suspend(from: from, to: to)
        books.detectors.suspended(from: from, to: to)
        books.lifeCycle.suspended(from: from, to: to)
        books.marks.suspended(to &- from)
        books.states.suspended(to &- from)
        if to > from {
          sink?.report { $0.suspension(SuspensionFact(start: from.rawValue, end: to.rawValue)) }
        }
        lastSign = max(lastSign, to)
      case .uncertain:
        guard timers.budget.use(threads.count) else { return }
        for lane in threads.indices { threads[lane].noteUncertainty() }
      }
    }
  }

  /// Forgets what was counted before `time` and keeps the state. `countsOpen`: see `ReplayOptions.countsOpenAtStart`.
  package mutating func beginWindow(_ time: Moment, countsOpen: Bool) {
    for lane in threads.indices {
      threads[lane].passDue(until: time, &timers)
      threads[lane].beginWindow(time, countsOpen: countsOpen)
    }
    timers.beginWindow(time)
    books.beginWindow(time)
    suspensions.beginWindow(time)
    events = 0
  }

  /// Adds up what is open at the end of the span.
  package mutating func finish(_ end: Moment) throws(TraceFormatError) {
    suspensions.watch(from: end)
    settle(until: end, .trace)
    for lane in threads.indices {
      if let missing = stream.takeMissing(lane: lane) { noteLoss(missing, lane, until: end) }
    }
    for lane in threads.indices { noteRunning(lane) }
    for lane in threads.indices { threads[lane].passDue(until: end, &timers) }
    findUnservedWork(end)
    timers.finish(end: end)
    for lane in threads.indices { threads[lane].finish(end, &timers) }
    books.modes.leaveUnknownTimeOut()
    books.held.finish()
    books.lifeCycle.finish(end)
    books.marks.finish(end)
    books.states.finish(end)
    books.queues.finish(end)
    books.callouts.joinWork { threads[$0].clock.modeOfColumn == [.outside] }
    books.topology.finish()
    books.detectors.finish(end)
    noteSteps?(allowedSteps - books.budget.rest)
    try refuseExcess()
  }

  private mutating func findUnservedWork(_ end: Moment) {
    let ends = threads.indices.map { threads[$0].end() }
    openRuns = ends.map(\.openRun)
    var finder = UnservedWorkFinder(
      books, ends,
      queueLane: threads.indices.first { threads[$0].isMainQueue },
      end: end)
    unserved = finder.find()
    unservedOmitted = finder.omitted
  }

  private mutating func noteRunning(_ lane: Int) {
    let running = threads[lane].running()
    let room = AnalysisLimits.listed - runningAtEnd.count
    runningAtEnd += running.prefix(room)
    runningOmitted += max(0, running.count - room)
  }

  /// Returns when a lane's first run began, and how long the program continued after its last run.
  package func runEnds(lane: Int) -> (first: Moment?, livedOn: Length?) {
    let first = threads[lane].outermost.began
    guard let last = threads[lane].outermost.ended else { return (first, nil) }
    return (first, lastSign.since(last))
  }

  /// Returns the innermost run that was open at the end of the span.
  package func openRun(lane: Int) -> OpenRun? { openRuns[lane] }

  /// The loops without a recorded run, not even of an empty mode. Empty if not all runs have rows.
  package var loopsThatNeverRan: [LoopID] {
    guard !books.modes.isOverfull, books.runRows.omitted == 0 else { return [] }
    var ran = Set((0..<books.modes.cells.count).map { books.modes.cells[$0].loop })
    for lane in threads.indices { ran.formUnion(threads[lane].runCalls.returns.map(\.loop)) }
    return books.objects.loops.filter { !ran.contains($0) }
  }

  /// Returns the calls that returned without a run.
  package func emptyRuns(lane: Int) -> [RunCalls.Empty] { threads[lane].runCalls.empty }

  /// Returns why calls for runs returned.
  package func runReturns(lane: Int) -> [RunCalls.Returns] { threads[lane].runCalls.returns }

  /// Returns the busy and waiting time of a lane over the span.
  package func series(lane: Int) -> [BusySeries.Bin] {
    threads[lane].busy.series.rows
  }

  /// Returns whether a lane ran a loop in the span.
  package func hasSeries(lane: Int) -> Bool { threads[lane].busy.series.isThere }

  /// Returns the modes of a lane's clock columns.
  package func modesOfColumns(lane: Int) -> [ModeID] { threads[lane].clock.modeOfColumn }

  /// The number of events that were replayed in batches of passes, not one by one.
  package var eventsAtOnce: UInt64 { sum { $0.batches.events } }
  package var lostEvents: UInt64 { sum { $0.unused.lost } }
  /// The number of contradictions: events that no run loop produces, and undefined names. `first`: the first of them.
  /// If blocks could not be used, only undefined names count, because the other contradictions may be only apparent.
  package var contradictions: (count: UInt64, first: (time: Moment, thread: ThreadIndex)?) {
    var result = stream.missingNames
    guard stream.damage == nil else { return result }
    for lane in threads.indices where threads[lane].contradictions.count > 0 {
      result.count = result.count.saturated(adding: threads[lane].contradictions.count)
      let time = threads[lane].contradictions.first
      if time < result.first?.time ?? .never { result.first = (time, threads[lane].thread) }
    }
    return result
  }
  package var lostToFullDisk: UInt64 { sum { $0.unused.lostToFullDisk } }
  package var unknownEvents: UInt64 { sum { $0.unused.unknown } }
  package var unfollowedRuns: UInt64 { sum { $0.unfollowed.allRuns } }
  package var unfollowedCallouts: UInt64 { sum { $0.unfollowed.allCallouts } }

  private func sum(_ count: (borrowing ThreadReplay) -> UInt64) -> UInt64 {
    threads.indices.reduce(0) { $0.saturated(adding: count(threads[$1])) }
  }
}
