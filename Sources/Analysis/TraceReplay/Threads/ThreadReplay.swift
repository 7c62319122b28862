import TraceFacts
import TraceFormat

/// Replays the events of one thread: runs, passes, phases, gaps and busy intervals.
///
/// The hot loop of every analysis. A struct that is taken out of its array for a whole segment, with raw storage:
/// accessing a class property per event would cost sixty nanoseconds for exclusivity checks.
///
/// State between two events: the innermost run `frame` (or none, `depth` = 0), its phase, and the open callouts. Time
/// is added up when the state changes, never per event.
struct ThreadReplay: ~Copyable {
  let lane: Int
  /// The index in the trace's thread table.
  let thread: ThreadIndex
  /// The main queue without a run loop.
  let isMainQueue: Bool
  let hasHigh: Bool
  let books: Books
  /// Storage grows on demand: a trace may have thousands of threads, and most need little.
  static let firstRoom = 4
  var frames = Rows<RunFrame>(capacity: ThreadReplay.firstRoom)
  /// The number of runs on the stack; frames[depth - 1] is the innermost.
  var depth = 0
  var callouts = OpenCallouts()
  var unfollowed = Unfollowed()
  /// The number of events of each kind that have passed in the current block.
  private var ordinals = Rows<UInt32>()
  var observing = Observing()
  var lastTime: Moment = .origin
  var clock: LaneClock
  var gap: GapInProgress
  var blind = BlindGap()
  var busy: BusyInProgress

  /// The kinds of callouts that the innermost run has served since it began.
  var served = Served()
  let emptyPollLimits: EmptyPolls.Limits
  /// False at capture level `activities`: what a run serves is not known.
  let seesCallouts: Bool
  /// Whether an Exit may stand for a run whose end was not recorded. Then no `run.end` follows.
  let mayMissEnds: Bool

  var lastWake = LastWake()
  var passCount: UInt64 = 0
  var batches: PassBatches
  /// The shape of the last pass.
  var shape: PassShape { @inline(__always) get { batches.shapes.last.pointee } }

  /// Whether a callout of the innermost run is running.
  var isInCallout: Bool { callouts.count > callouts.enclosing }

  /// The events that may come next on the thread.
  var sequence: EventSequence
  var contradictions: Contradictions
  var unused = UnusedEvents()
  var facts = SentFacts()
  var outermost = OutermostRuns()
  var runCalls: RunCalls

  init(
    lane: Int, thread: ThreadIndex, isMainQueue: Bool, hasHigh: Bool, seesCallouts: Bool, books: Books,
    shapes: borrowing Rows<PassShape>, _ scale: TimeScale, _ options: ReplayOptions,
    rules: EventSequence.Rules, beginning: Moment
  ) {
    self.lane = lane
    self.thread = thread
    self.isMainQueue = isMainQueue
    self.hasHigh = hasHigh
    batches = PassBatches(areUsed: options.replaysPasses, shapes)
    sequence = EventSequence(rules)
    contradictions = Contradictions(beginning: beginning)
    self.books = books
    self.seesCallouts = seesCallouts
    mayMissEnds = !rules.hasPhases
    emptyPollLimits = EmptyPolls.Limits(scale)
    runCalls = RunCalls(rows: books.runRows, emptyRows: books.emptyRunRows)
    clock = LaneClock(namedStretch: scale.length(ns: LaneClock.namedStretchNs))
    gap = GapInProgress(
      lane: lane, threshold: scale.length(ns: options.gapThresholdNs), callouts: books.callouts,
      detectors: books.detectors)
    busy = BusyInProgress(
      lane: lane, threshold: scale.length(ns: options.busyThresholdNs), scale, callouts: books.callouts,
      detectors: books.detectors)
  }

  // MARK: Segments

  /// Replays a segment. Timer events go to `timers`.
  mutating func replay(
    _ segment: EventStream.Segment, timers: inout TimerLedger
  ) {
    if segment.isNewBlock { ordinals.reset(to: 0) }
    let columns = EventColumns(segment.events)
    // Read for each event, because any thread may change it.
    let nextDue = timers.nextDue(lane: lane)
    var i = segment.start
    while i < segment.end {
      let time = columns.time(i)
      let kind = columns.kind(i)
      if time > nextDue.pointee { passDue(kind, time, &timers) }
      if unfollowed.runs > 0, passUnfollowed(kind) {
        follow(columns, i)
        i &+= 1
        continue
      }
      // The cases are constants, so that the switch is one jump.
      switch kind {
      case .beforeTimersLow:
        if batches.areUsed, !busy.following.needsEvents {
          let next = passesAtOnce(columns, from: i, in: segment, nextDue: nextDue.pointee, &timers)
          guard next == i else {
            i = next
            continue
          }
        }
        if !sequence.takesLow(.beforeTimersLow, columns.mode(i), columns.object(i)) { follow(columns, i) }
        beforeTimers(columns.stamp(i), &timers)
      case .beforeSourcesLow:
        if !sequence.takesLow(.beforeSourcesLow, columns.mode(i), columns.object(i)) { follow(columns, i) }
        beginPhase(.beforeSources, columns.stamp(i), &timers)
      case .beforeWaitingLow:
        if !sequence.takesLow(.beforeWaitingLow, columns.mode(i), columns.object(i)) { follow(columns, i) }
        beforeWaiting(columns.stamp(i), &timers)
      case .beforeWaitingHigh:
        if !sequence.takesHigh(.beforeWaitingLow, columns.mode(i), columns.object(i)), follow(columns, i) {
          resumeRun(.beforeWaitingLow, columns.stamp(i), &timers)
        }
        if depth > 0 { beginWaiting(time) }
      case .afterWaitingLow:
        if !sequence.takesLow(.afterWaitingLow, columns.mode(i), columns.object(i)) { follow(columns, i) }
        afterWaiting(columns.stamp(i), &timers)
      case .entryHigh, .beforeTimersHigh, .beforeSourcesHigh, .afterWaitingHigh:
        let low = EventKind(kind.rawValue &- 1)
        if !sequence.takesHigh(low, columns.mode(i), columns.object(i)), follow(columns, i) {
          resumeRun(low, columns.stamp(i), &timers)
        }
        endObserving(time)
      case .source0Begin:
        if !sequence.takesBegin(kind, columns.mode(i), columns.object(i)) { follow(columns, i) }
        beginCallout(.source0Begin, columns.object(i), time)
        books.sources.begin(columns.object(i), at: time)
      case .blockBegin, .mainQueueBlockBegin:
        if !sequence.takesBegin(kind, columns.mode(i), columns.object(i)) { follow(columns, i) }
        beginCallout(kind, columns.object(i), time)
        books.sources.beginBlock(columns.object(i), kind: kind, at: time)
      case .source1Begin, .mainQueueDrainBegin, .observerBegin:
        if !sequence.takesBegin(kind, columns.mode(i), columns.object(i)) { follow(columns, i) }
        if isMainQueue, kind == .mainQueueDrainBegin { beginDrain(columns.stamp(i), &timers) }
        beginCallout(kind, columns.object(i), time)
      case .source0End, .source1End, .blockEnd, .mainQueueDrainEnd, .mainQueueBlockEnd, .observerEnd:
        if !sequence.takesEnd(kind, columns.object(i)) { follow(columns, i) }
        endCallout(kind, columns.object(i), time, &timers)
        if isMainQueue, kind == .mainQueueDrainEnd { endDrain(time) }
      case .timerBegin:
        if !sequence.takesBegin(.timerBegin, columns.mode(i), columns.object(i)) { follow(columns, i) }
        let timerClass = timers.begin(lane: lane, object: columns.object(i), time: time, clock: clock)
        beginCallout(.timerBegin, columns.object(i), time, timerClass: timerClass)
      case .timerEnd:
        if !sequence.takesEnd(.timerEnd, columns.object(i)) { follow(columns, i) }
        endCallout(.timerEnd, columns.object(i), time, &timers)
        timers.end(object: columns.object(i), time: time, clock: clock)
      case .entryLow:
        if !sequence.takesEntry(columns.mode(i), columns.object(i)) { follow(columns, i) }
        entry(columns.stamp(i), &timers)
      case .exitLow:
        if !sequence.takesLow(.exitLow, columns.mode(i), columns.object(i)) { follow(columns, i) }
        exitLow(columns.stamp(i), &timers)
      case .exitHigh:
        if !sequence.takesHigh(.exitLow, columns.mode(i), columns.object(i)) { follow(columns, i) }
        exitHigh(columns.stamp(i), &timers)
      default:
        follow(columns, i)
        if ordinals.isMissing { ordinals = Rows(repeating: 0, count: 256) }
        let ordinal = ordinals[Int(kind.rawValue)]
        ordinals[Int(kind.rawValue)] = ordinal &+ 1
        other(kind, segment.events, Int(ordinal), columns.object(i), columns.mode(i), time, &timers)
      }
      lastTime = time
      i &+= 1
    }
  }

  /// Checks an event that is not one of the usual steps. Returns whether it is the first activity after a loss of
  /// events.
  @inline(never)
  @discardableResult
  private mutating func follow(_ columns: EventColumns, _ index: Int) -> Bool {
    let wrong = sequence.follow(columns.kind(index), columns.mode(index), columns.object(index))
    if sequence.searched > 0 {
      books.budget.use(sequence.searched / 8 &+ 1)
      sequence.searched = 0
    }
    if wrong != nil { contradictions.note(columns.time(index)) }
    guard clock.hole != nil, case .activity = EventTable.role(of: columns.kind(index).rawValue) else {
      return false
    }
    return endLoss(columns.time(index))
  }

  /// Finds or makes the run of a high stamp that is the first activity after a loss. Its phase is known from there on.
  @inline(never)
  private mutating func resumeRun(_ low: EventKind, _ stamp: Stamp, _ timers: inout TimerLedger) {
    guard let phase = Phase.allCases.first(where: { $0.activity.map { EventKind($0) } == low }) else {
      return
    }
    let frame = frame(stamp, &timers)
    frame.pointee.phase = phase.rawValue
    frame.pointee.phaseStart = stamp.time
  }

  /// Lets the due points before `time` pass, in the state since the last event.
  mutating func passDue(until time: Moment, _ timers: inout TimerLedger) {
    let before = timers.pointsPassed
    timers.advance(lane: lane, from: lastTime, to: time, clock: clock)
    busy.duePoints &+= timers.pointsPassed &- before
  }

  /// Lets due points pass in the state before the event. Before a loss, that state is not known: its points pass
  /// after `noteLoss`.
  @inline(never)
  private mutating func passDue(_ kind: EventKind, _ time: Moment, _ timers: inout TimerLedger) {
    if kind != .lostEvents { passDue(until: time, &timers) }
  }

  // MARK: Activities

  /// Returns the frame that an activity belongs to.
  @inline(__always)
  private mutating func frame(_ stamp: Stamp, _ timers: inout TimerLedger) -> RowAddress<RunFrame> {
    guard depth > 0, frames[depth &- 1].isOf(stamp) else { return findFrame(stamp, &timers) }
    return frames.address(depth &- 1)
  }

  /// Ends the current phase and the gap, and begins `phase`. Returns the frame.
  @inline(__always)
  @discardableResult
  private mutating func beginPhase(
    _ phase: Phase, _ stamp: Stamp, _ timers: inout TimerLedger
  ) -> RowAddress<RunFrame> {
    let frame = frame(stamp, &timers)
    endPhase(frame, stamp.time)
    if facts.wantsBegins, frame.pointee.phase == Phase.waiting.rawValue { reportWaitEnd(stamp.time) }
    frame.pointee.phase = phase.rawValue
    frame.pointee.phaseStart = stamp.time
    endGap(stamp.time, isSeen: frame.pointee.isSeen)
    gap.begin(phase, stamp.mode, stamp.time)
    beginObserving(phase, frame, stamp.time)
    return frame
  }

  /// Adds the time of the current phase.
  @inline(__always)
  mutating func endPhase(_ frame: RowAddress<RunFrame>, _ time: Moment) {
    frame.pointee.phases.add(time &- frame.pointee.phaseStart, at: frame.pointee.phase)
    if facts.sink != nil { reportPhase(frame, time) }
  }

  /// Reports the part of the phase after the last suspension. The part before it has been reported.
  @inline(never)
  func reportPhase(_ frame: RowAddress<RunFrame>, _ time: Moment) {
    let start = max(frame.pointee.phaseStart, facts.sentUntil)
    guard time > start, let phase = Phase(rawValue: frame.pointee.phase), phase != .outside else { return }
    let fact = PhaseFact(
      thread: thread.rawValue, mode: frame.pointee.mode.rawValue, depth: depth - 1, phase: phase,
      start: start.rawValue, end: time.rawValue)
    facts.sink?.report { $0.phase(fact) }
  }

  @inline(__always)
  private mutating func beginObserving(
    _ phase: Phase, _ frame: RowAddress<RunFrame>, _ time: Moment
  ) {
    if hasHigh {
      observing.isUnderWay = true
      observing.activity = phase.activity.map { EventKind($0) } ?? EventKind(0)
      gap.beginObserving(time)
      frame.pointee.observersSince = time
    }
    turn(time)
  }

  /// Ends the time of other observers, at the high stamp.
  @inline(__always)
  mutating func endObserving(_ time: Moment) {
    if depth > 0, observing.isUnderWay {
      let frame = frames.address(depth &- 1)
      frame.pointee.cell.pointee.observers.add(time &- frame.pointee.observersSince, at: frame.pointee.phase)
      shareObservers(time)
    }
    observing.isUnderWay = false
    turn(time)
  }

  /// Notes what runs now: the innermost callout of the innermost run, otherwise observers, otherwise nothing.
  @inline(__always)
  mutating func turn(_ time: Moment) {
    if isInCallout {
      let open = callouts.address(callouts.count &- 1)
      clock.turn(isBusy: true, kind: open.pointee.kind, object: open.pointee.object, at: time)
    } else {
      clock.turn(isBusy: observing.isUnderWay, kind: observing.activity, object: .none, at: time)
    }
  }

  @inline(__always)
  private mutating func beforeTimers(_ stamp: Stamp, _ timers: inout TimerLedger) {
    let frame = beginPhase(.beforeTimers, stamp, &timers)
    beginPass(frame, stamp.time)
  }

  /// Ends the current pass and begins the next.
  @inline(__always)
  mutating func beginPass(_ frame: RowAddress<RunFrame>, _ time: Moment) {
    endPass(frame, time)
    frame.pointee.passStart = time
    frame.pointee.passOpen = true
    passCount &+= 1
    frame.pointee.passNumber = passCount
    if facts.wantsBegins { report(.pass, frame.pointee.mode, time) }
  }

  @inline(__always)
  mutating func endPass(_ frame: RowAddress<RunFrame>, _ time: Moment) {
    let phases = frame.pointee.phases
    let cell = frame.pointee.cell
    cell.pointee.phases &+= phases
    if frame.pointee.passOpen {
      if !frame.pointee.waited { cell.pointee.polls &+= 1 }
      cell.pointee.pass.record(frame.pointee.passLength(until: time))
      if let sink = facts.sink {
        let fact = PassFact(
          thread: thread.rawValue, mode: frame.pointee.mode.rawValue, start: frame.pointee.passStart.rawValue,
          end: time.rawValue, phases: phases, nested: frame.pointee.nested.rawValue,
          suspended: frame.pointee.suspended.rawValue)
        sink.report { $0.pass(fact) }
      }
    }
    frame.pointee.phases = SIMD8()
    frame.pointee.nested = .zero
    frame.pointee.suspended = .zero
    frame.pointee.waited = false
    frame.pointee.passOpen = false
  }

  @inline(__always)
  private mutating func beforeWaiting(_ stamp: Stamp, _ timers: inout TimerLedger) {
    // With one observer, the wait begins at its only stamp, and the activity takes no time.
    let frame = hasHigh ? beginPhase(.beforeWaiting, stamp, &timers) : frame(stamp, &timers)
    frame.pointee.waited = true
    busy.beforeWaiting = stamp.time
    endWake()
    if !hasHigh { beginWaiting(stamp.time) }
  }

  @inline(__always)
  mutating func beginWaiting(_ time: Moment) {
    endObserving(time)
    let frame = frames.address(depth &- 1)
    endPhase(frame, time)
    frame.pointee.phase = Phase.waiting.rawValue
    frame.pointee.phaseStart = time
    endGap(time, isSeen: frame.pointee.isSeen)
    gap.isKnown = false
    if frame.pointee.isOfEventLoop { countPass(frame, time) }
    busy.end(time, books)
    if facts.wantsBegins { report(.wait, frame.pointee.mode, time) }
  }

  /// Ends the time after a wake without a callout: only observers ran.
  @inline(__always)
  mutating func endWake() {
    if lastWake.isUnanswered, depth > 0 { frames[depth &- 1].cell.pointee.emptyWakes &+= 1 }
    lastWake.isUnanswered = false
  }

  @inline(__always)
  private mutating func afterWaiting(_ stamp: Stamp, _ timers: inout TimerLedger) {
    let frame = beginPhase(.afterWaiting, stamp, &timers)
    if !busy.isKnown { busy.begin(stamp.time, stamp.mode, frame.pointee.cell, afterWait: true) }
    wake(frame.pointee.cell, stamp.time)
  }

  @inline(__always)
  mutating func wake(_ cell: RowAddress<ModeCell>, _ time: Moment) {
    cell.pointee.wakes &+= 1
    lastWake.time = time
    lastWake.isUnanswered = true
  }

  private mutating func entry(_ stamp: Stamp, _ timers: inout TimerLedger) {
    if depth > 0, frames[depth &- 1].phase == Phase.outside.rawValue { leaveUnknownRuns(stamp.time) }
    let isSeen = timers.isCommon(stamp.mode, loop: stamp.loop)
    endGap(stamp.time, isSeen: isSeen)
    let timeoutNs = runCalls.entry()
    let isOutermost = depth == 0
    if isOutermost { timers.seen(loop: stamp.loop, lane: lane, time: stamp.time, clock: clock) }
    push(stamp, isExplicit: true, isSeen: isSeen, timeoutNs: timeoutNs)
    if isOutermost { goOnBusy(stamp) }
    gap.begin(.entry, stamp.mode, stamp.time)
    beginObserving(.entry, frames.address(depth &- 1), stamp.time)
  }

  private mutating func exitLow(_ stamp: Stamp, _ timers: inout TimerLedger) {
    if depth > 0, frames[depth &- 1].isOfEventLoop, frames[depth &- 1].isOf(stamp) {
      return leaveEventLoop(stamp.time)
    }
    let frame = beginPhase(.exit, stamp, &timers)
    gap.leave(to: depth > 1 ? frames[depth - 2].mode : .outside)
    endWake()
    if isPollRun(frame) { endPollRun(frame, stamp.time) }
    endPass(frame, stamp.time)
    if !hasHigh { leaveRun(stamp.time) }
  }

  private mutating func exitHigh(_ stamp: Stamp, _ timers: inout TimerLedger) {
    endObserving(stamp.time)
    guard (0..<depth).reversed().contains(where: { frames[$0].isOf(stamp) }) else { return }
    _ = frame(stamp, &timers)
    leaveRun(stamp.time)
  }
}
