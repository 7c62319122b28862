import TraceFormat

/// One run of a loop on a thread's stack of runs.
struct RunFrame {
  var cell: UnsafeMutablePointer<ModeCell>
  var loop: UInt32
  var mode: UInt8
  /// Began with an Entry that was seen; else the recording began inside the run.
  var isExplicit: Bool
  var passOpen = false
  var phase = Phase.entry.rawValue
  /// When the present phase began, or went on after a nested run.
  var phaseStart: UInt64
  var entered: UInt64
  /// When it really began: a suspension moves `entered`.
  var began: UInt64
  var passStart: UInt64 = 0
  /// Phases since the pass (or the run) began, by `Phase.rawValue`.
  var phases = PhaseTimes()
  var nested: UInt64 = 0
  /// Since the pass began, in no phase.
  var suspended: UInt64 = 0
  /// The pass waited.
  var waited = false
  /// A monitor that observes the common modes sees its activities.
  var isSeen = true
  /// When the activity's other observers began.
  var observersSince: UInt64 = 0
  /// Observers of the activity of this code ran when a nested run began.
  var isObserving = false
  var observed: UInt8 = 0
  var passNumber: UInt64 = 0
  /// Callouts that were open when the run began: they enclose it, and hold nothing up inside it.
  var enclosingCallouts = 0
}

/// A callout that has begun and not ended.
struct OpenCallout {
  var kind: UInt8
  var object: UInt32
  /// When it began, plus what it was suspended.
  var begin: UInt64
  var suspended: UInt64 = 0
  /// Inside runs that it started.
  var nested: UInt64 = 0
  /// Of the callout table.
  var row: Int32
  /// Of a timer that is known, -1 else. The timer may be gone when its callout ends.
  var timerClass: Int32
  /// In callouts inside it; and of that, in the gap of this number.
  var inner: UInt64 = 0
  var innerInGap: UInt64 = 0
  var gap: UInt64 = 0
  /// The busy interval that has counted it.
  var busy: UInt64 = 0
}

/// Replays the events of one thread: runs, passes, phases, gaps, busy intervals.
///
/// The hot loop of every analysis. It is a struct that is taken out of its array for a whole segment, with raw
/// storage behind it: a class property touched per event costs sixty nanoseconds in exclusivity checks.
///
/// State between two events: the innermost run `frame` (or none, `depth` = 0), its phase, open callouts. Time is
/// added up where the state changes, never per event.
struct ThreadReplay: ~Copyable {
  let lane: Int
  /// Index in the trace's thread table.
  let thread: UInt32
  let hasHigh: Bool
  let books: Books
  let frames: UnsafeMutablePointer<RunFrame>
  /// Runs on the stack; frames[depth - 1] is the innermost.
  var depth = 0
  /// Open runs and callouts beyond the limits, and how many there were in all.
  var unfollowedDepth = 0
  var unfollowedCallouts = 0
  var unfollowedRunCount: UInt64 = 0
  var unfollowedCalloutCount: UInt64 = 0
  let callouts: UnsafeMutablePointer<OpenCallout>
  var openCallouts = 0
  /// Between an activity's low and high stamp: other observers run.
  var isObserving = false
  /// Of which activity, as the code of its low stamp.
  var observed: UInt8 = 0
  var lastTime: UInt64 = 0
  var clock: LaneClock
  var gap: GapInProgress
  var blind = BlindGap()
  var busy: BusyInProgress

  var wakeTime: UInt64 = 0
  var wakePending = false
  private var passCount: UInt64 = 0

  /// `enclosingCallouts` of the innermost run, 0 outside any.
  var enclosing = 0

  /// A callout of the innermost run is running.
  var isInCallout: Bool { openCallouts > enclosing }

  var unknownEvents: UInt64 = 0
  var lostEvents: UInt64 = 0
  var observer: ObserverLink?
  /// When the first run began in the span.
  var firstRun: UInt64?
  /// When the last one ended, as if the suspensions since had been before; nil while one is under way.
  var endOfLastRun: UInt64?
  var runCalls = RunCalls()

  init(lane: Int, thread: UInt32, hasHigh: Bool, books: Books, _ scale: TimeScale, _ options: ReplayOptions) {
    self.lane = lane
    self.thread = thread
    self.hasHigh = hasHigh
    self.books = books
    clock = LaneClock(namedStretch: scale.units(ns: AnalysisLimits.namedStretchNs))
    gap = GapInProgress(
      lane: lane, threshold: scale.units(ns: options.gapThresholdNs), callouts: books.callouts,
      detectors: books.detectors)
    busy = BusyInProgress(
      lane: lane, threshold: scale.units(ns: options.busyThresholdNs), scale, callouts: books.callouts,
      detectors: books.detectors)
    // SAFETY: `depth` and `openCallouts` never pass the limits; see `push` and `beginCallout`.
    frames = .allocate(capacity: AnalysisLimits.nesting)
    callouts = .allocate(capacity: AnalysisLimits.openCallouts)
  }

  deinit {
    frames.deallocate()
    callouts.deallocate()
  }

  // MARK: Segments

  /// Replays a segment. Timer events go to `timers`.
  mutating func replay(
    _ segment: EventStream.Segment, ordinals: UnsafeMutablePointer<Int>, timers: inout TimerLedger
  ) {
    let times = segment.events.times
    let kinds = segment.events.kinds
    let modeIDs = segment.events.modes
    let objectIDs = segment.events.objects
    // Read anew for each event: any thread may change it.
    let nextDue = timers.nextDue(lane: lane)
    var i = segment.start
    while i < segment.end {
      let time = times[i]
      if time > nextDue.pointee { passDue(kinds[i], time, &timers) }
      if unfollowedDepth > 0, passUnfollowed(kinds[i]) {
        i &+= 1
        continue
      }
      // Constants, so that it is one jump.
      switch EventKind(kinds[i]) {
      case .beforeTimersLow: beforeTimers(time, modeIDs[i], objectIDs[i], &timers)
      case .beforeSourcesLow: beginPhase(.beforeSources, time, modeIDs[i], objectIDs[i], &timers)
      case .beforeWaitingLow: beforeWaiting(time, modeIDs[i], objectIDs[i], &timers)
      case .beforeWaitingHigh: if depth > 0 { beginWaiting(time) }
      case .afterWaitingLow: afterWaiting(time, modeIDs[i], objectIDs[i], &timers)
      case .entryHigh, .beforeTimersHigh, .beforeSourcesHigh, .afterWaitingHigh: endObserving(time)
      case .source0Begin:
        beginCallout(EventKind.source0Begin.rawValue, objectIDs[i], time)
        books.sources.begin(objectIDs[i], at: time)
      case .blockBegin, .mainQueueBlockBegin:
        beginCallout(kinds[i], objectIDs[i], time)
        books.sources.beginBlock(objectIDs[i], kind: kinds[i], at: time)
      case .source1Begin, .mainQueueDrainBegin, .observerBegin: beginCallout(kinds[i], objectIDs[i], time)
      case .source0End, .source1End, .blockEnd, .mainQueueDrainEnd, .mainQueueBlockEnd, .observerEnd:
        endCallout(kinds[i], objectIDs[i], time, &timers)
      case .timerBegin:
        let timerClass = timers.begin(lane: lane, object: objectIDs[i], time: time, clock: clock)
        beginCallout(EventKind.timerBegin.rawValue, objectIDs[i], time, timerClass: timerClass)
      case .timerEnd:
        endCallout(EventKind.timerEnd.rawValue, objectIDs[i], time, &timers)
        timers.end(object: objectIDs[i], time: time, clock: clock)
      case .entryLow: entry(time, modeIDs[i], objectIDs[i], &timers)
      case .runBegin: runCalls.begin(at: time)
      case .runEnd: runCalls.end(loop: objectIDs[i], mode: modeIDs[i], at: time)
      case .exitLow: exitLow(time, modeIDs[i], objectIDs[i], &timers)
      case .exitHigh: exitHigh(time, modeIDs[i], objectIDs[i], &timers)
      default:
        let kind = kinds[i]
        let ordinal = ordinals[Int(kind)]
        ordinals[Int(kind)] = ordinal &+ 1
        other(kind, segment.events, ordinal, objectIDs[i], time, &timers)
      }
      lastTime = time
      i &+= 1
    }
  }

  /// Everything that is neither an activity nor a callout, and all that this version does not know.
  private mutating func other(
    _ kind: UInt8, _ events: DecodedEvents, _ ordinal: Int, _ object: UInt32, _ time: UInt64,
    _ timers: inout TimerLedger
  ) {
    func argument(_ position: Int) -> UInt64 { events.argument(position, kind: kind, ordinal: ordinal) ?? 0 }
    func string(_ position: Int) -> UInt32 { books.names.id(UInt32(truncatingIfNeeded: argument(position))) }
    var name: UInt32 { string(0) }
    switch EventKind(kind) {
    case .timerCreate:
      books.objects.define(object, name: name, at: time)
      timers.create(
        object: object, name: name, intervalNs: argument(1), toleranceNs: argument(2),
        due: Int64(bitPattern: argument(3)), site: string(4))
    case .timerAdd:
      timers.add(
        object: object, mode: UInt8(truncatingIfNeeded: argument(0)),
        loop: UInt32(truncatingIfNeeded: argument(1)), time: time, lane: lane, gap: gap.tally.span,
        clock: clock)
    case .timerRemove:
      timers.remove(
        object: object, mode: UInt8(truncatingIfNeeded: argument(0)), time: time, lane: lane,
        gap: gap.tally.span, clock: clock)
    case .timerInvalidate: timers.invalidate(object: object, time: time, lane: lane)
    case .timerReschedule:
      timers.reschedule(object: object, due: Int64(bitPattern: argument(0)), time: time, lane: lane)
    case .timerDue: timers.due(lane: lane, object: object, due: Int64(bitPattern: argument(0)))
    case .sourceSignal: books.sources.signal(object, at: time)
    case .sourceCreate, .observerCreate, .loopCreate: books.objects.define(object, name: name, at: time)
    case .blockCreate:
      let due = Int64(bitPattern: argument(2))
      books.objects.define(object, name: name, at: max(time, UInt64(clamping: due)))
    case .loopAddCommonMode:
      timers.addCommonMode(
        loop: object, mode: UInt8(truncatingIfNeeded: argument(0)), time: time, lane: lane, clock: clock)
    case .loopEnd: timers.endLoop(object, time: time, lane: lane, clock: clock)
    case .lifeCycle: books.lifeCycle.phase(argument(0), at: time)
    case .backgroundTaskBegin:
      books.objects.define(object, name: name, at: time)
      books.lifeCycle.taskBegins(object, name: name, budgetNs: argument(1), at: time)
    case .backgroundTaskEnd: books.lifeCycle.taskEnds(object, expired: false, at: time)
    case .backgroundTaskExpired: books.lifeCycle.taskEnds(object, expired: true, at: time)
    case .serviceBegin:
      books.objects.define(object, name: name, at: time)
      books.lifeCycle.serviceBegins(object, name: name, at: time)
    case .serviceEnd: books.lifeCycle.serviceEnds(object, at: time)
    case .mark: books.marks.mark(name, lane: lane, at: time)
    case .intervalBegin: books.marks.begin(object, name: name, lane: lane, at: time)
    case .intervalEnd: books.marks.end(object, lane: lane, at: time)
    case .lostEvents:
      lostEvents &+= argument(0)
      noteLoss(until: time, &timers)
    default: if EventTable.role(of: kind) == nil { unknownEvents &+= 1 }
    }
  }

  /// Lets the due points before `time` pass, in the state since the last event.
  mutating func passDue(until time: UInt64, _ timers: inout TimerLedger) {
    timers.advance(lane: lane, to: time, clock: clock)
  }

  /// Due points pass in the state of before. What lies in front of a loss passes in an unknown one.
  @inline(never)
  private mutating func passDue(_ kind: UInt8, _ time: UInt64, _ timers: inout TimerLedger) {
    if kind != EventKind.lostEvents.rawValue { passDue(until: time, &timers) }
  }

  /// Events between the one before and now were dropped: nobody knows what held meanwhile.
  private mutating func noteLoss(until time: UInt64, _ timers: inout TimerLedger) {
    clock.beginHole(.unknown, at: lastTime)
    passDue(until: time, &timers)
    clock.endHole(at: time)
    gap.isUncertain = true
    busy.isUncertain = true
    // Their ends may be among what was lost.
    unfollowedDepth = 0
    unfollowedCallouts = 0
  }

  /// An activity of a run beyond the limit: true, and nothing else comes of it.
  @inline(never)
  private mutating func passUnfollowed(_ kind: UInt8) -> Bool {
    guard case .activity(let activity, let isHigh) = EventTable.role(of: kind) else { return false }
    if activity == .entry, !isHigh {
      unfollowedDepth &+= 1
      unfollowedRunCount &+= 1
    } else if activity == .exit, isHigh == hasHigh {
      unfollowedDepth &-= 1
    }
    return true
  }

  // MARK: Activities

  /// The frame that an activity belongs to.
  @inline(__always)
  private mutating func frame(
    _ time: UInt64, _ mode: UInt8, _ loop: UInt32, _ timers: inout TimerLedger
  ) -> UnsafeMutablePointer<RunFrame> {
    let frame = frames + (depth &- 1)
    guard depth > 0, frame.pointee.mode == mode, frame.pointee.loop == loop else {
      return findFrame(time, mode, loop, &timers)
    }
    return frame
  }

  /// Ends the present phase and the gap, and begins `phase`. Returns the frame.
  @inline(__always)
  @discardableResult
  private mutating func beginPhase(
    _ phase: Phase, _ time: UInt64, _ mode: UInt8, _ loop: UInt32, _ timers: inout TimerLedger
  ) -> UnsafeMutablePointer<RunFrame> {
    let frame = frame(time, mode, loop, &timers)
    endPhase(frame, time)
    frame.pointee.phase = phase.rawValue
    frame.pointee.phaseStart = time
    endGap(time, isSeen: frame.pointee.isSeen)
    gap.begin(phase, mode, time)
    beginObserving(phase, frame, time)
    return frame
  }

  /// Adds up the present phase.
  @inline(__always)
  mutating func endPhase(_ frame: UnsafeMutablePointer<RunFrame>, _ time: UInt64) {
    frame.pointee.phases.add(time &- frame.pointee.phaseStart, at: frame.pointee.phase)
    if observer != nil { tellPhase(frame, time) }
  }

  @inline(never)
  private func tellPhase(_ frame: UnsafeMutablePointer<RunFrame>, _ time: UInt64) {
    guard time > frame.pointee.phaseStart, let phase = Phase(rawValue: frame.pointee.phase) else { return }
    observer?.phase(
      PhaseRecord(
        thread: thread, mode: frame.pointee.mode, depth: frame - frames, phase: phase,
        start: frame.pointee.phaseStart, end: time))
  }

  @inline(__always)
  private mutating func beginObserving(
    _ phase: Phase, _ frame: UnsafeMutablePointer<RunFrame>, _ time: UInt64
  ) {
    if hasHigh {
      isObserving = true
      observed = phase.activity.map { EventKind($0).rawValue } ?? 0
      gap.beginObserving(time)
      frame.pointee.observersSince = time
      frame.pointee.observed = observed
    }
    turn(time)
  }

  /// The high stamp: other observers are done.
  @inline(__always)
  mutating func endObserving(_ time: UInt64) {
    if depth > 0, isObserving {
      let frame = frames + (depth &- 1)
      frame.pointee.cell.pointee.observers.add(time &- frame.pointee.observersSince, at: frame.pointee.phase)
      shareObservers(time)
    }
    isObserving = false
    turn(time)
  }

  /// Who runs now: the innermost callout of the innermost run, else observers, else nobody.
  @inline(__always)
  mutating func turn(_ time: UInt64) {
    if isInCallout {
      let open = callouts + (openCallouts &- 1)
      clock.turn(isBusy: true, kind: open.pointee.kind, object: open.pointee.object, at: time)
    } else {
      clock.turn(isBusy: isObserving, kind: observed, object: 0, at: time)
    }
  }

  @inline(__always)
  private mutating func beforeTimers(
    _ time: UInt64, _ mode: UInt8, _ loop: UInt32, _ timers: inout TimerLedger
  ) {
    let frame = beginPhase(.beforeTimers, time, mode, loop, &timers)
    endPass(frame, time)
    frame.pointee.passStart = time
    frame.pointee.passOpen = true
    passCount &+= 1
    frame.pointee.passNumber = passCount
  }

  @inline(__always)
  mutating func endPass(_ frame: UnsafeMutablePointer<RunFrame>, _ time: UInt64) {
    let phases = frame.pointee.phases
    let cell = frame.pointee.cell
    cell.pointee.phases &+= phases
    if frame.pointee.passOpen {
      let waiting = phases[Phase.waiting.rawValue]
      cell.pointee.passes &+= 1
      if !frame.pointee.waited { cell.pointee.polls &+= 1 }
      cell.pointee.pass.record(
        time &- frame.pointee.passStart &- waiting &- frame.pointee.nested &- frame.pointee.suspended)
      if let observer {
        observer.pass(
          PassRecord(
            thread: thread, mode: frame.pointee.mode, start: frame.pointee.passStart, end: time,
            phases: phases, nested: frame.pointee.nested, suspended: frame.pointee.suspended))
      }
    }
    frame.pointee.phases = SIMD8()
    frame.pointee.nested = 0
    frame.pointee.suspended = 0
    frame.pointee.waited = false
    frame.pointee.passOpen = false
  }

  @inline(__always)
  private mutating func beforeWaiting(
    _ time: UInt64, _ mode: UInt8, _ loop: UInt32, _ timers: inout TimerLedger
  ) {
    // With one observer the wait is taken to begin at its only stamp: the activity takes no time.
    let frame =
      hasHigh ? beginPhase(.beforeWaiting, time, mode, loop, &timers) : frame(time, mode, loop, &timers)
    frame.pointee.waited = true
    busy.beforeWaiting = time
    endWake()
    if !hasHigh { beginWaiting(time) }
  }

  @inline(__always)
  private mutating func beginWaiting(_ time: UInt64) {
    endObserving(time)
    let frame = frames + (depth &- 1)
    endPhase(frame, time)
    frame.pointee.phase = Phase.waiting.rawValue
    frame.pointee.phaseStart = time
    endGap(time, isSeen: frame.pointee.isSeen)
    gap.isKnown = false
    busy.end(time, books)
  }

  /// What the loop woke for is done.
  @inline(__always)
  private mutating func endWake() {
    if wakePending, depth > 0 { frames[depth &- 1].cell.pointee.emptyWakes &+= 1 }
    wakePending = false
  }

  @inline(__always)
  private mutating func afterWaiting(
    _ time: UInt64, _ mode: UInt8, _ loop: UInt32, _ timers: inout TimerLedger
  ) {
    let frame = beginPhase(.afterWaiting, time, mode, loop, &timers)
    frame.pointee.cell.pointee.wakes &+= 1
    if !busy.isKnown { busy.begin(time, mode, frame.pointee.cell, afterWait: true) }
    wakeTime = time
    wakePending = true
  }

  private mutating func entry(
    _ time: UInt64, _ mode: UInt8, _ loop: UInt32, _ timers: inout TimerLedger
  ) {
    let isSeen = timers.isCommon(mode, loop: loop)
    endGap(time, isSeen: isSeen)
    wakePending = false
    runCalls.entry()
    let isOutermost = depth == 0
    if isOutermost { timers.seen(loop: loop, lane: lane, time: time, clock: clock) }
    push(time, mode, loop, isExplicit: true, isSeen: isSeen)
    if isOutermost {
      if busy.isKnown { busy.goOn(time) } else { busy.begin(time, mode, frames[0].cell, afterWait: false) }
    }
    gap.begin(.entry, mode, time)
    beginObserving(.entry, frames + (depth &- 1), time)
  }

  private mutating func exitLow(
    _ time: UInt64, _ mode: UInt8, _ loop: UInt32, _ timers: inout TimerLedger
  ) {
    let frame = beginPhase(.exit, time, mode, loop, &timers)
    gap.leave(to: depth > 1 ? frames[depth - 2].mode : 0)
    endWake()
    endPass(frame, time)
    if !hasHigh { leaveRun(time) }
  }

  private mutating func exitHigh(_ time: UInt64, _ mode: UInt8, _ loop: UInt32, _ timers: inout TimerLedger) {
    endObserving(time)
    guard depth > 0 else { return }
    if frames[depth - 1].mode == mode, frames[depth - 1].loop == loop {
      leaveRun(time)
    } else if (0..<depth).contains(where: { frames[$0].mode == mode && frames[$0].loop == loop }) {
      _ = findFrame(time, mode, loop, &timers)
      leaveRun(time)
    }
  }
}
