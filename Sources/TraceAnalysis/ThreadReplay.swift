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
  var passStart: UInt64 = 0
  /// Phases since the pass (or the run) began, by `Phase.rawValue`.
  var phases = SIMD8<UInt64>()
  var nested: UInt64 = 0
  /// Callouts that were open when the run began: they enclose it, and hold nothing up inside it.
  var enclosingCallouts = 0
}

/// A callout that has begun and not ended.
struct OpenCallout {
  var kind: UInt8
  var object: UInt32
  var begin: UInt64
}

/// Replays the events of one thread: runs, passes, phases, gaps, busy intervals.
///
/// The hot loop of every analysis. It is a struct that is taken out of its array for a whole segment, with raw
/// storage behind it: a class property touched per event costs sixty nanoseconds in exclusivity checks.
///
/// State between two events: the innermost run `frame` (or none, `depth` = 0), its phase, open callouts. Time is
/// added up where the state changes, never per event.
struct ThreadReplay {
  let lane: Int
  /// Index in the trace's thread table.
  let thread: UInt32
  let hasHigh: Bool
  private let modes: ModeTable
  let frames: UnsafeMutablePointer<RunFrame>
  /// Runs on the stack; frames[depth - 1] is the innermost.
  var depth = 0
  /// Nested runs beyond the limit, not followed.
  private var unfollowedDepth = 0
  let callouts: UnsafeMutablePointer<OpenCallout>
  var openCallouts = 0
  /// Between an activity's low and high stamp: other observers run.
  var isObserving = false
  var lastTime: UInt64 = 0

  // The gap in progress.
  private var gapStart: UInt64 = 0
  private var gapPhase = Phase.outside
  private var gapMode: UInt8 = 0
  private var gapIsKnown = false
  private var gapCallouts = GapCalloutTally()
  private let gapThreshold: UInt64

  // The busy interval in progress.
  private var busyStart: UInt64 = 0
  private var busyIsKnown = false
  private var busyMode: UInt8 = 0
  private var busyOutside: UInt64 = 0
  private var lastExit: UInt64 = 0
  private let busyThreshold: UInt64

  private var wakeTime: UInt64 = 0
  private var wakePending = false

  /// A callout of the innermost run is running.
  var isInCallout: Bool { openCallouts > (depth > 0 ? frames[depth - 1].enclosingCallouts : 0) }

  /// Time in runs by innermost mode since the window began, `modeSince` excluded. See TimerLedger.
  var modeClock = ModeClock()
  var unknownEvents: UInt64 = 0
  var lostEvents: UInt64 = 0
  let onPass: ((PassRecord) -> Void)?

  init(
    lane: Int, thread: UInt32, hasHigh: Bool, modes: ModeTable, gapThreshold: UInt64, busyThreshold: UInt64,
    onPass: ((PassRecord) -> Void)?
  ) {
    self.lane = lane
    self.thread = thread
    self.hasHigh = hasHigh
    self.modes = modes
    self.gapThreshold = max(gapThreshold, 1)
    self.busyThreshold = max(busyThreshold, 1)
    self.onPass = onPass
    // SAFETY: `depth` and `openCallouts` never pass the limits; see `push` and `beginCallout`.
    frames = .allocate(capacity: AnalysisLimits.nesting)
    callouts = .allocate(capacity: AnalysisLimits.openCallouts)
  }

  func deallocate() {
    frames.deallocate()
    callouts.deallocate()
  }

  /// Mode of the innermost run, 0 outside any.
  var mode: UInt8 { depth > 0 ? frames[depth - 1].mode : 0 }

  // MARK: Segments

  /// Replays a segment. Timer events go to `timers`, long gaps and busy intervals to `findings`.
  mutating func replay(
    _ segment: EventStream.Segment, ordinals: UnsafeMutablePointer<Int>, objects: ObjectTable,
    timers: inout TimerLedger,
    findings: Findings
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
      if time > nextDue.pointee { timers.advance(lane: lane, to: time, state: &self) }
      switch kinds[i] {
      case 3: beforeTimers(time, modeIDs[i], objectIDs[i], &timers, findings)
      case 5: beginPhase(.beforeSources, time, modeIDs[i], objectIDs[i], &timers, findings)
      case 7: beforeWaiting(time, modeIDs[i], objectIDs[i], &timers, findings)
      case 8: if depth > 0 { beginWaiting(time, findings) }
      case 9: afterWaiting(time, modeIDs[i], objectIDs[i], &timers, findings)
      case 2, 4, 6, 10: isObserving = false
      case 22, 24, 26, 28, 30, 32: beginCallout(kinds[i], objectIDs[i], time)
      case 23, 25, 27, 29, 31, 33: endCallout(kinds[i], objectIDs[i], time)
      case 20:
        timers.begin(lane: lane, object: objectIDs[i], time: time, state: &self)
        beginCallout(20, objectIDs[i], time)
      case 21:
        endCallout(21, objectIDs[i], time)
        timers.end(object: objectIDs[i], time: time)
      case 1: entry(time, modeIDs[i], objectIDs[i], &timers, findings)
      case 11: exitLow(time, modeIDs[i], objectIDs[i], &timers, findings)
      case 12: exitHigh(time, modeIDs[i], objectIDs[i], &timers)
      default:
        let kind = kinds[i]
        let ordinal = ordinals[Int(kind)]
        ordinals[Int(kind)] = ordinal &+ 1
        other(kind, segment.events, ordinal, objectIDs[i], time, objects, &timers)
      }
      lastTime = time
      i &+= 1
    }
  }

  /// Everything that is neither an activity nor a callout, and all that this version does not know.
  private mutating func other(
    _ kind: UInt8, _ events: DecodedEvents, _ ordinal: Int, _ object: UInt32, _ time: UInt64,
    _ objects: ObjectTable,
    _ timers: inout TimerLedger
  ) {
    func argument(_ position: Int) -> UInt64 { events.argument(position, kind: kind, ordinal: ordinal) ?? 0 }
    switch EventKind(kind) {
    case .timerCreate:
      objects.define(object, name: UInt32(truncatingIfNeeded: argument(0)))
      timers.create(
        object: object, name: UInt32(truncatingIfNeeded: argument(0)), intervalNs: argument(1),
        due: Int64(bitPattern: argument(3)), site: UInt32(truncatingIfNeeded: argument(4)))
    case .timerAdd:
      timers.add(
        object: object, mode: UInt8(truncatingIfNeeded: argument(0)),
        loop: UInt32(truncatingIfNeeded: argument(1)),
        time: time)
    case .timerRemove: timers.remove(object: object, mode: UInt8(truncatingIfNeeded: argument(0)))
    case .timerInvalidate: timers.invalidate(object: object)
    case .timerReschedule: timers.reschedule(object: object, due: Int64(bitPattern: argument(0)))
    case .timerDue: timers.due(lane: lane, object: object, due: Int64(bitPattern: argument(0)))
    case .sourceCreate, .blockCreate, .observerCreate, .loopCreate, .backgroundTaskBegin:
      objects.define(object, name: UInt32(truncatingIfNeeded: argument(0)))
    case .loopAddCommonMode: timers.addCommonMode(loop: object, mode: UInt8(truncatingIfNeeded: argument(0)))
    case .lostEvents: lostEvents &+= argument(0)
    default: if EventTable.definition(of: EventKind(kind)) == nil { unknownEvents &+= 1 }
    }
  }

  // MARK: Activities

  /// Ends the present phase and the gap, and begins `phase`. Returns the frame.
  @inline(__always)
  @discardableResult
  private mutating func beginPhase(
    _ phase: Phase, _ time: UInt64, _ mode: UInt8, _ loop: UInt32, _ timers: inout TimerLedger,
    _ findings: Findings
  ) -> UnsafeMutablePointer<RunFrame> {
    var frame = frames + (depth &- 1)
    if depth == 0 || frame.pointee.mode != mode || frame.pointee.loop != loop {
      frame = findFrame(time, mode, loop, &timers)
    }
    frame.pointee.phases[frame.pointee.phase] &+= time &- frame.pointee.phaseStart
    frame.pointee.phase = phase.rawValue
    frame.pointee.phaseStart = time
    endGap(time, findings)
    beginGap(phase, mode, time)
    isObserving = hasHigh
    return frame
  }

  @inline(__always)
  private mutating func beforeTimers(
    _ time: UInt64, _ mode: UInt8, _ loop: UInt32, _ timers: inout TimerLedger, _ findings: Findings
  ) {
    let frame = beginPhase(.beforeTimers, time, mode, loop, &timers, findings)
    endPass(frame, time)
    frame.pointee.passStart = time
    frame.pointee.passOpen = true
  }

  @inline(__always)
  private mutating func endPass(_ frame: UnsafeMutablePointer<RunFrame>, _ time: UInt64) {
    let phases = frame.pointee.phases
    let cell = frame.pointee.cell
    cell.pointee.phases &+= phases
    if frame.pointee.passOpen {
      let waiting = phases[Phase.waiting.rawValue]
      cell.pointee.passes &+= 1
      cell.pointee.pass.record(time &- frame.pointee.passStart &- waiting &- frame.pointee.nested)
      if let onPass {
        onPass(
          PassRecord(
            thread: thread, mode: frame.pointee.mode, start: frame.pointee.passStart, end: time,
            phases: phases,
            nested: frame.pointee.nested))
      }
    }
    frame.pointee.phases = SIMD8()
    frame.pointee.nested = 0
    frame.pointee.passOpen = false
  }

  @inline(__always)
  private mutating func beforeWaiting(
    _ time: UInt64, _ mode: UInt8, _ loop: UInt32, _ timers: inout TimerLedger, _ findings: Findings
  ) {
    beginPhase(.beforeWaiting, time, mode, loop, &timers, findings)
    wakePending = false
    // With one observer the wait is taken to begin at its only stamp.
    if !hasHigh { beginWaiting(time, findings) }
  }

  @inline(__always)
  private mutating func beginWaiting(_ time: UInt64, _ findings: Findings) {
    let frame = frames + (depth &- 1)
    frame.pointee.phases[frame.pointee.phase] &+= time &- frame.pointee.phaseStart
    frame.pointee.phase = Phase.waiting.rawValue
    frame.pointee.phaseStart = time
    isObserving = false
    endGap(time, findings)
    gapIsKnown = false
    endBusy(time, findings)
  }

  @inline(__always)
  private mutating func afterWaiting(
    _ time: UInt64, _ mode: UInt8, _ loop: UInt32, _ timers: inout TimerLedger, _ findings: Findings
  ) {
    beginPhase(.afterWaiting, time, mode, loop, &timers, findings)
    if !busyIsKnown { beginBusy(time, mode) }
    wakeTime = time
    wakePending = true
  }

  private mutating func entry(
    _ time: UInt64, _ mode: UInt8, _ loop: UInt32, _ timers: inout TimerLedger, _ findings: Findings
  ) {
    endGap(time, findings)
    wakePending = false
    if depth == 0 {
      timers.seen(loop: loop, lane: lane, time: time, clock: modeClock)
      if busyIsKnown { busyOutside &+= time &- lastExit } else { beginBusy(time, mode) }
    }
    push(time, mode, loop, isExplicit: true)
    beginGap(.entry, mode, time)
    isObserving = hasHigh
  }

  private mutating func exitLow(
    _ time: UInt64, _ mode: UInt8, _ loop: UInt32, _ timers: inout TimerLedger, _ findings: Findings
  ) {
    let frame = beginPhase(.exit, time, mode, loop, &timers, findings)
    wakePending = false
    endPass(frame, time)
    if !hasHigh { leaveRun(time) }
  }

  private mutating func exitHigh(_ time: UInt64, _ mode: UInt8, _ loop: UInt32, _ timers: inout TimerLedger) {
    guard depth > 0 else { return }
    if frames[depth - 1].mode == mode, frames[depth - 1].loop == loop {
      leaveRun(time)
    } else if (0..<depth).contains(where: { frames[$0].mode == mode && frames[$0].loop == loop }) {
      _ = findFrame(time, mode, loop, &timers)
      leaveRun(time)
    }
  }

  // MARK: The stack of runs

  private mutating func push(_ time: UInt64, _ mode: UInt8, _ loop: UInt32, isExplicit: Bool) {
    guard depth < AnalysisLimits.nesting else {
      unfollowedDepth += 1
      return
    }
    if depth > 0 {
      let outer = frames + (depth - 1)
      outer.pointee.phases[outer.pointee.phase] &+= time &- outer.pointee.phaseStart
    }
    modeClock.change(to: mode, at: time)
    let cell = modes.cell(lane: lane, loop: loop, mode: mode)
    cell.pointee.runs &+= 1
    if depth > 0 { cell.pointee.nestedRuns &+= 1 }
    (frames + depth).initialize(
      to: RunFrame(
        cell: cell, loop: loop, mode: mode, isExplicit: isExplicit, phaseStart: time, entered: time,
        enclosingCallouts: openCallouts))
    depth += 1
  }

  /// Ends the innermost run; its time is the outer pass's nested time.
  private mutating func leaveRun(_ time: UInt64) {
    guard unfollowedDepth == 0 else {
      unfollowedDepth -= 1
      return
    }
    let frame = frames + (depth - 1)
    frame.pointee.phases[frame.pointee.phase] &+= time &- frame.pointee.phaseStart
    frame.pointee.phaseStart = time
    frame.pointee.passOpen = false
    endPass(frame, time)
    let ran = time &- frame.pointee.entered
    depth -= 1
    isObserving = false
    modeClock.change(to: mode, at: time)
    if depth > 0 {
      let outer = frames + (depth - 1)
      outer.pointee.phaseStart = time
      outer.pointee.nested &+= ran
    } else {
      lastExit = time
    }
  }

  /// The frame for an activity that does not fit the innermost run: the recording began inside a run, an Entry
  /// was lost, or its mode was not observed yet.
  private mutating func findFrame(
    _ time: UInt64, _ mode: UInt8, _ loop: UInt32, _ timers: inout TimerLedger
  ) -> UnsafeMutablePointer<RunFrame> {
    var match = depth - 1
    while match >= 0, frames[match].mode != mode || frames[match].loop != loop { match -= 1 }
    if match >= 0 {
      // Exits of inner runs were lost.
      while depth - 1 > match { leaveRun(time) }
    } else {
      if depth > 0, !frames[depth - 1].isExplicit || depth == AnalysisLimits.nesting { leaveRun(time) }
      if depth == 0 {
        timers.seen(loop: loop, lane: lane, time: time, clock: modeClock)
        if !busyIsKnown { beginBusy(time, mode) }
      }
      push(time, mode, loop, isExplicit: false)
    }
    return frames + (depth - 1)
  }

  // MARK: Callouts

  @inline(__always)
  private mutating func beginCallout(_ kind: UInt8, _ object: UInt32, _ time: UInt64) {
    if wakePending, kind != EventKind.observerBegin.rawValue {
      wakePending = false
      if depth > 0 { frames[depth &- 1].cell.pointee.wake.record(time &- wakeTime) }
    }
    guard openCallouts < AnalysisLimits.openCallouts else { return }
    callouts[openCallouts] = OpenCallout(kind: kind, object: object, begin: time)
    openCallouts &+= 1
  }

  @inline(__always)
  private mutating func endCallout(_ kind: UInt8, _ object: UInt32, _ time: UInt64) {
    var match = openCallouts &- 1
    // Usually the innermost; others mean lost events.
    while match >= 0, callouts[match].object != object || callouts[match].kind &+ 1 != kind { match &-= 1 }
    guard match >= 0 else { return }
    openCallouts = match
    let open = callouts[match]
    gapCallouts.add(
      kind: open.kind, object: object, duration: time &- (open.begin > gapStart ? open.begin : gapStart),
      threshold: gapThreshold)
  }

  // MARK: Gaps and busy intervals

  @inline(__always)
  private mutating func beginGap(_ phase: Phase, _ mode: UInt8, _ time: UInt64) {
    gapStart = time
    gapPhase = phase
    gapMode = mode
    gapIsKnown = true
    gapCallouts.clear()
  }

  @inline(__always)
  private mutating func endGap(_ time: UInt64, _ findings: Findings) {
    if gapIsKnown, time &- gapStart >= gapThreshold { listGap(time, findings, isOpen: false) }
  }

  private mutating func listGap(_ time: UInt64, _ findings: Findings, isOpen: Bool) {
    // The callout that still runs fills the gap from its begin on. One that encloses the innermost run does not:
    // what happens in the run is the run's.
    var tally = gapCallouts
    if isInCallout {
      let open = callouts[openCallouts - 1]
      tally.add(
        kind: open.kind, object: open.object, duration: time &- max(open.begin, gapStart),
        threshold: gapThreshold)
    }
    // Behind a run's Exit, outside any run, there is no mode.
    let isOutside = gapPhase == .exit && depth == 0
    findings.add(
      FoundGap(
        lane: lane, start: gapStart, end: time, phase: gapPhase, mode: isOutside ? 0 : gapMode,
        callouts: tally,
        isOpen: isOpen))
  }

  @inline(__always)
  private mutating func beginBusy(_ time: UInt64, _ mode: UInt8) {
    busyStart = time
    busyMode = mode
    busyOutside = 0
    busyIsKnown = true
  }

  @inline(__always)
  private mutating func endBusy(_ time: UInt64, _ findings: Findings) {
    if busyIsKnown, time &- busyStart >= busyThreshold { listBusy(time, findings, isOpen: false) }
    busyIsKnown = false
  }

  private func listBusy(_ time: UInt64, _ findings: Findings, isOpen: Bool) {
    findings.add(
      FoundBusy(lane: lane, start: busyStart, end: time, mode: busyMode, outside: busyOutside, isOpen: isOpen)
    )
  }

  // MARK: The window

  /// Forgets what was counted before `time`, keeps the state. What is open then is not counted.
  mutating func beginWindow(_ time: UInt64) {
    for i in 0..<depth {
      let isInnermost = i == depth - 1
      frames[i].phases = SIMD8()
      frames[i].nested = 0
      frames[i].passOpen = false
      frames[i].entered = max(frames[i].entered, time)
      if isInnermost { frames[i].phaseStart = max(frames[i].phaseStart, time) }
    }
    gapIsKnown = false
    busyIsKnown = false
    wakePending = false
    modeClock.reset(at: time)
    lostEvents = 0
    unknownEvents = 0
  }

  /// Adds up what is open at the end of the span.
  mutating func finish(_ end: UInt64, _ findings: Findings) {
    let time = max(end, lastTime)
    if gapIsKnown, depth > 0, time &- gapStart >= gapThreshold { listGap(time, findings, isOpen: true) }
    if busyIsKnown {
      // Outside runs nothing says that the thread was busy after the last one.
      let busyEnd = depth > 0 ? time : lastExit
      if busyEnd > busyStart, busyEnd &- busyStart >= busyThreshold {
        listBusy(busyEnd, findings, isOpen: depth > 0)
      }
    }
    while depth > 0 { leaveRun(time) }
    modeClock.change(to: 0, at: time)
  }
}
