import TraceFormat

/// Passes at once.
///
/// What the plain part of a pass adds to the books is known from the differences of its times: gaps and busy intervals in it
/// that nobody lists need no account of who took how much of them. Event by event, as everything else is replayed, the
/// same comes out: that is what says what is right, and tests compare the two.
extension ThreadReplay {
  /// Replays the passes from the one that begins at `index` on, as long as they are plain and nothing else happens in them:
  /// no due point, no other run, no gap or busy interval that anybody wants to hear of. Of the last one, it may be the
  /// part up to the waiting. Returns where to go on; `index`: nothing has happened.
  @inline(never)
  mutating func passesAtOnce(
    _ columns: EventColumns, from index: Int, in segment: EventStream.Segment, nextDue: Moment,
    _ timers: inout TimerLedger
  ) -> Int {
    guard isUndisturbed else { return index }
    let last = segment.events.count &- PassShape.longest
    let frame = frames.address(depth &- 1)
    let isAnnounced = timers.hasAnnouncement(lane: lane)
    var at = index
    while at <= last, columns.kind(at) == .beforeTimersLow {
      if !shape.isAt(at, columns) { shape = PassShape(columns, at: at, hasHigh: hasHigh) }
      // Up to the waiting where something is due behind it: that is what the loop woke for.
      var count = shape.count
      var waits = shape.afterWaiting > 0
      if waits, at &+ count > segment.end || columns.time(at &+ count &- 1) > nextDue {
        count = shape.beforeWaiting
        waits = false
      }
      guard count > 0, at &+ count <= segment.end, columns.time(at &+ count &- 1) <= nextDue,
        shape.timers == 0 || !isAnnounced, isOfRun(frame, columns, at, waits: waits),
        isShort(columns, at, waits: waits)
      else { break }
      book(columns, at, count, waits: waits, frame, &timers)
      at &+= count
    }
    if at > index { lastTime = columns.time(at &- 1) }
    eventsAtOnce &+= UInt64(truncatingIfNeeded: at &- index)
    return at
  }

  /// Nothing is under way but a run, of a mode, that all monitors see.
  @inline(__always)
  private var isUndisturbed: Bool {
    depth > 0 && openCallouts == enclosing && openCallouts < AnalysisLimits.openCallouts && !isObserving
      && unfollowedDepth | unfollowedCallouts == 0 && observer == nil && frames[depth &- 1].isSeen
      && !blind.isUnderWay && !clock.isBusy && clock.isInRun
  }

  /// The place of the second activity.
  private var beforeSources: Int { hasHigh ? 2 : 1 }

  /// All activities are the run's, and each callout ends as what it began as.
  @inline(__always)
  private func isOfRun(
    _ frame: RowAddress<RunFrame>, _ columns: EventColumns, _ index: Int, waits: Bool
  ) -> Bool {
    func isRuns(_ place: Int) -> Bool {
      columns.mode(index &+ place) == frame.pointee.mode
        && LoopID(columns.object(index &+ place)) == frame.pointee.loop
    }
    guard isRuns(0), isRuns(beforeSources) else { return false }
    if waits { guard isRuns(shape.beforeWaiting), isRuns(shape.afterWaiting) else { return false } }
    var rest = shape.callouts
    while rest != 0 {
      let begin = index &+ rest.trailingZeroBitCount
      guard columns.object(begin) == columns.object(begin &+ 1) else { return false }
      rest &= rest &- 1
    }
    return true
  }

  /// From the activity before the pass to where it waits, or to its last activity, it takes less than anybody wants to hear
  /// of: so do all gaps in between.
  @inline(__always)
  private func isShort(_ columns: EventColumns, _ index: Int, waits: Bool) -> Bool {
    let start = columns.time(index)
    guard waits else { return !gap.isLong(columns.time(index &+ beforeSources), orSince: start) }
    let waiting = columns.time(index &+ shape.afterWaiting &- 1)
    return !gap.isLong(waiting, orSince: start) && !busy.isLong(waiting)
  }

  @inline(__always)
  private mutating func book(
    _ columns: EventColumns, _ index: Int, _ count: Int, waits: Bool, _ frame: RowAddress<RunFrame>,
    _ timers: inout TimerLedger
  ) {
    let start = columns.time(index)
    let sources = index &+ beforeSources
    endPhase(frame, start)
    beginPass(frame, start)
    frame.pointee.phases.add(columns.time(sources) &- start, at: Phase.beforeTimers.rawValue)
    book(observersAt: index, .beforeTimers, frame, columns, isTallied: !waits)
    if waits {
      book(observersAt: sources, .beforeSources, frame, columns)
    } else {
      beginLast(.beforeSources, frame, sources, columns)
    }
    // The gap and the busy interval that are under way at the end have begun.
    var isLast = !waits
    var rest = shape.callouts
    while true {
      // Behind the last one: 32.
      let place = rest.trailingZeroBitCount
      if !isLast, place > shape.afterWaiting {
        isLast = true
        bookWaiting(columns, index, frame)
      }
      guard place < count else { break }
      rest &= rest &- 1
      let isTimer = shape.timers &>> UInt32(truncatingIfNeeded: place) & 1 != 0
      book(calloutAt: index &+ place, isTimer: isTimer, frame, columns, isTallied: isLast, &timers)
    }
  }

  /// From the end of what the pass does before it waits until it goes on.
  @inline(__always)
  private mutating func bookWaiting(_ columns: EventColumns, _ index: Int, _ frame: RowAddress<RunFrame>) {
    let sources = columns.time(index &+ beforeSources)
    let low = columns.time(index &+ shape.beforeWaiting)
    let waiting = columns.time(index &+ shape.afterWaiting &- 1)
    let woken = columns.time(index &+ shape.afterWaiting)
    frame.pointee.phases.add(low &- sources, at: Phase.beforeSources.rawValue)
    frame.pointee.phases.add(waiting &- low, at: Phase.beforeWaiting.rawValue)
    frame.pointee.phases.add(woken &- waiting, at: Phase.waiting.rawValue)
    book(observersAt: index &+ shape.beforeWaiting, .beforeWaiting, frame, columns)
    frame.pointee.waited = true
    busy.beforeWaiting = low
    endWake()
    busy.end(waiting, books)
    busy.begin(woken, frame.pointee.mode, frame.pointee.cell, afterWait: true)
    wake(frame.pointee.cell, woken)
    beginLast(.afterWaiting, frame, index &+ shape.afterWaiting, columns)
  }

  /// The pass's last activity, stamped at `index`: what follows is in its phase and in its gap.
  @inline(__always)
  private mutating func beginLast(
    _ phase: Phase, _ frame: RowAddress<RunFrame>, _ index: Int, _ columns: EventColumns
  ) {
    let time = columns.time(index)
    frame.pointee.phase = phase.rawValue
    frame.pointee.phaseStart = time
    gap.begin(phase, frame.pointee.mode, time)
    book(observersAt: index, phase, frame, columns, isTallied: true, isLast: true)
  }

  /// What other observers took between an activity's stamps. `isTallied`: of the busy interval that goes on behind the
  /// pass; `isLast`: of the gap, too.
  @inline(__always)
  private mutating func book(
    observersAt index: Int, _ phase: Phase, _ frame: RowAddress<RunFrame>, _ columns: EventColumns,
    isTallied: Bool = false, isLast: Bool = false
  ) {
    guard hasHigh else { return }
    let low = columns.time(index), high = columns.time(index &+ 1)
    observed = columns.kind(index)
    frame.pointee.cell.pointee.observers.add(high &- low, at: phase.rawValue)
    clock.ran(observed, .none, from: low, to: high, thenIdle: observed)
    if isLast { (frame.pointee.observersSince, frame.pointee.observed) = (low, observed) }
    guard isTallied, high > low else { return }
    if isLast { gap.observed(phase, high &- low) }
    busy.tally.observed(phase, high &- low)
  }

  @inline(__always)
  private mutating func book(
    calloutAt index: Int, isTimer: Bool, _ frame: RowAddress<RunFrame>, _ columns: EventColumns,
    isTallied: Bool, _ timers: inout TimerLedger
  ) {
    let (kind, object) = (columns.kind(index), columns.object(index))
    let (time, end) = (columns.time(index), columns.time(index &+ 1))
    let took = end &- time
    endWake(by: kind, time)
    if isTimer {
      let timerClass = timers.fireWithoutDue(object, at: time, mode: clock.mode)
      if timerClass >= 0 { timers.add(callout: took, ofClass: timerClass, column: clock.currentColumn) }
    } else if kind == .source0Begin {
      books.sources.begin(object, at: time)
    } else if kind == .blockBegin || kind == .mainQueueBlockBegin {
      books.sources.beginBlock(object, kind: kind, at: time)
    }
    let row = books.callouts.row(lane: lane, kind: kind, object: object)
    if isTallied {
      gap.add(row: row, object: object, time: took, selfTime: took, isOuter: true)
      busy.tally.add(row: row, object: object, time: took, selfTime: took, isNew: true, isOuter: true)
    }
    books.callouts.add(
      row, begin: time, time: took, selfTime: took, nested: .zero, column: clock.currentColumn,
      pass: PassMark(number: frame.pointee.passNumber, start: frame.pointee.passStart), isOpen: false)
    clock.ran(kind, object, from: time, to: end, thenIdle: observed)
    if isTimer, timers.isFiring(object) { timers.end(object: object, time: end, clock: clock) }
  }
}
