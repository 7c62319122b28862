import TraceFormat

/// Replays plain passes in batches.
///
/// The differences between the times of a pass determine everything that its plain part adds to the books. Gaps and
/// busy intervals that are not listed need no account of their callouts. The replay event by event defines the correct
/// results, and tests compare the two.
extension ThreadReplay {
  /// Replays passes from `index` on, as long as they are plain and nothing else happens in them. A due point, another
  /// run, or a gap or busy interval that is listed ends the batch. The last pass may be replayed only up to one of its
  /// waits. Returns the index of the next event, or `index` if nothing was replayed.
  @inline(never)
  mutating func passesAtOnce(
    _ columns: EventColumns, from index: Int, in segment: EventStream.Segment, nextDue: Moment,
    _ timers: inout TimerLedger
  ) -> Int {
    guard isUndisturbed, sequence.mayBeginPass(frames[depth &- 1].mode, frames[depth &- 1].loop.object) else {
      return index
    }
    let last = segment.events.count &- PassShape.longest
    let end = segment.end
    let frame = frames.address(depth &- 1)
    let isAnnounced = timers.hasAnnouncement(lane: lane)
    var sums = PassSums(
      pass: index, activity: index, busySince: index, busyBooked: index, remembered: index, number: passCount,
      phaseStart: gap.isKnown ? gap.rawStart : columns.time(index))
    var at = index
    while at <= last {
      batches.shapes.look(columns, at: at, hasHigh: hasHigh)
      guard shape.count > 0, shape.timers == 0 || !isAnnounced else { break }
      // If something is due after the wait, stop at the wait: that is what the loop woke for.
      var count = shape.count
      var waits = shape.waits
      if at &+ count > end || columns.time(at &+ count &- 1) > nextDue {
        count = waits ? shape.beforeWaiting : 0
        waits = false
        guard count > 0, at &+ count <= end, columns.time(at &+ count &- 1) <= nextDue else { break }
      }
      guard isOfRun(frame, columns, at, waits: waits),
        isShort(columns, at, waits: waits, gapStart: sums.phaseStart)
      else { break }
      let isObserved = facts.sink != nil
      if isObserved, shape.isContinued || endsFiring(columns, at, count, timers) { break }
      // If the previous pass has the same shape, the sink receives its end together with this pass.
      let continuesPrevious =
        isObserved && at > index && count == shape.count && sums.pass == at &- shape.count
        && shape.isAt(sums.pass, columns)
      if shape.isContinued {
        // No loop waits again before it has looked for sources.
        if sums.phase != .beforeSources { contradictions.note(columns.time(at)) }
      } else if at == index {
        endLastPass(frame, columns.time(at))
      } else {
        if isObserved, !continuesPrevious { reportEnd(of: sums, columns, columns.time(at)) }
        endPass(&sums, frame, columns.time(at))
      }
      if count == shape.count, !shape.isContinued,
        shape.isRepeated(EqualPasses.fewest &- 1, at, columns, before: last),
        let passes = equalPasses(columns, at, until: end, nextDue, frame, timers)
      {
        book(passes, frame, &sums, &timers)
        sums.served.formUnion(shape.served)
        if isObserved { report(passes, continuesPrevious: continuesPrevious, until: count, &timers) }
        at = passes.end
      } else {
        if sums.remembered < at { remember(&sums, columns, until: at) }
        book(columns, at, count, waits: waits, frame, &sums, &timers)
        sums.remembered = at &+ count
        sums.served.formUnion(count == shape.count ? shape.served : shape.servedBeforeWaiting)
        if isObserved {
          let pass = EqualPasses(columns: columns, start: at, length: shape.count)
          report(pass, continuesPrevious: continuesPrevious, until: count, &timers)
        }
        at &+= count
      }
    }
    guard at > index else { return index }
    book(&sums, frame, columns, until: at)
    sequence.passed(to: columns.kind(sums.activity))
    lastTime = columns.time(at &- 1)
    batches.events &+= UInt64(truncatingIfNeeded: at &- index)
    return at
  }

  /// Whether nothing is open but a run, in a mode that all monitors see.
  @inline(__always)
  private var isUndisturbed: Bool {
    depth > 0 && callouts.count == callouts.enclosing && callouts.count < AnalysisLimits.openCallouts
      && !observing.isUnderWay
      && unfollowed.runs | unfollowed.callouts == 0 && frames[depth &- 1].isSeen && !blind.isUnderWay
      && !clock.isBusy && clock.isInRun
  }

  /// Returns whether all activities belong to the run, and each callout ends with its own end event.
  @inline(__always)
  private func isOfRun(
    _ frame: RowAddress<RunFrame>, _ columns: EventColumns, _ index: Int, waits: Bool
  ) -> Bool {
    func isRuns(_ place: Int) -> Bool { LoopID(columns.object(index &+ place)) == frame.pointee.loop }
    guard shape.isIn(frame.pointee.mode, index, columns), isRuns(0), isRuns(shape.beforeSources) else {
      return false
    }
    if waits { guard isRuns(shape.beforeWaiting), isRuns(shape.afterWaiting) else { return false } }
    if hasHigh {
      guard isRuns(1), isRuns(shape.beforeSources &+ 1) else { return false }
      if waits {
        guard isRuns(shape.beforeWaiting &+ 1), isRuns(shape.afterWaiting &+ 1) else { return false }
      }
    }
    var rest = shape.callouts
    while rest != 0 {
      let begin = index &+ rest.trailingZeroBitCount
      guard columns.object(begin) == columns.object(begin &+ 1) else { return false }
      rest &= rest &- 1
    }
    return true
  }

  /// Returns whether the pass holds no gap or busy interval that is listed. Checks the time from the previous
  /// activity to the wait of the pass, or to its last activity, which includes all gaps in between.
  @inline(__always)
  private func isShort(_ columns: EventColumns, _ index: Int, waits: Bool, gapStart: Moment) -> Bool {
    guard waits else {
      return !gap.wouldBeLong(from: gapStart, to: columns.time(index &+ shape.beforeSources))
    }
    let waiting = columns.time(index &+ shape.afterWaiting &- 1)
    return !gap.wouldBeLong(from: gapStart, to: waiting) && !busy.isLong(waiting)
  }

  // MARK: Passes

  /// Ends the pass before the first one, which may have been of any kind.
  @inline(never)
  private mutating func endLastPass(_ frame: RowAddress<RunFrame>, _ time: Moment) {
    endPhase(frame, time)
    if facts.wantsBegins, frame.pointee.phase == Phase.waiting.rawValue { reportWaitEnd(time) }
    endPass(frame, time)
  }

  /// Ends a pass that was replayed in the batch.
  @inline(__always)
  private mutating func endPass(_ sums: inout PassSums, _ frame: RowAddress<RunFrame>, _ time: Moment) {
    sums.phases.add(time &- sums.phaseStart, at: sums.phase.rawValue)
    frame.pointee.cell.pointee.pass.record(time &- sums.start &- sums.waiting)
    if !sums.waited { sums.polls &+= 1 }
  }

  @inline(__always)
  private mutating func book(
    _ columns: EventColumns, _ index: Int, _ count: Int, waits: Bool, _ frame: RowAddress<RunFrame>,
    _ sums: inout PassSums, _ timers: inout TimerLedger
  ) {
    if !shape.isContinued {
      let start = columns.time(index)
      let sources = index &+ shape.beforeSources
      sums.pass = index
      sums.number &+= 1
      sums.start = start
      sums.waited = false
      sums.waiting = .zero
      sums.phases.add(columns.time(sources) &- start, at: Phase.beforeTimers.rawValue)
      book(observersAt: index, .beforeTimers, columns, &sums)
      begin(.beforeSources, at: sources, columns, &sums)
    }
    var rest = shape.callouts
    var isWaiting = waits
    while true {
      // After the last callout, `place` is 32.
      let place = rest.trailingZeroBitCount
      // Called in one place only: the compiler would not inline a second call.
      if isWaiting, place > shape.beforeWaiting {
        isWaiting = false
        bookWaiting(columns, index, frame, &sums)
      }
      guard place < count else { return }
      rest &= rest &- 1
      book(calloutAt: index &+ place, shape.isTimer(place), frame, columns, &sums, &timers)
    }
  }

  /// Books the observers of BeforeWaiting and the wait.
  @inline(__always)
  private mutating func bookWaiting(
    _ columns: EventColumns, _ index: Int, _ frame: RowAddress<RunFrame>, _ sums: inout PassSums
  ) {
    let low = columns.time(index &+ shape.beforeWaiting)
    let waiting = columns.time(index &+ shape.afterWaiting &- 1)
    let woken = columns.time(index &+ shape.afterWaiting)
    let waited = woken &- waiting
    sums.waited = true
    sums.waiting &+= waited
    sums.phases.add(low &- sums.phaseStart, at: sums.phase.rawValue)
    sums.phases.add(waiting &- low, at: Phase.beforeWaiting.rawValue)
    sums.phases.add(waited, at: Phase.waiting.rawValue)
    book(observersAt: index &+ shape.beforeWaiting, .beforeWaiting, columns, &sums)
    busy.beforeWaiting = low
    if sums.waits > 0 {
      busy.pause(from: waiting, to: woken)
    } else {
      pauseFirst(from: waiting, to: woken, frame)
    }
    sums.waits &+= 1
    if lastWake.isUnanswered { frame.pointee.cell.pointee.emptyWakes &+= 1 }
    (lastWake.time, lastWake.isUnanswered) = (woken, true)
    sums.busySince = index &+ shape.afterWaiting
    begin(.afterWaiting, at: sums.busySince, columns, &sums)
  }

  /// Ends the busy interval before the first wait, which may have begun in any way.
  @inline(never)
  private mutating func pauseFirst(from time: Moment, to next: Moment, _ frame: RowAddress<RunFrame>) {
    busy.end(time, books)
    busy.begin(next, frame.pointee.mode, frame.pointee.cell, afterWait: true)
  }

  /// Begins an activity at `index`, which may be the pass's last one. Later events belong to its phase and gap.
  @inline(__always)
  private mutating func begin(
    _ phase: Phase, at index: Int, _ columns: EventColumns, _ sums: inout PassSums
  ) {
    sums.activity = index
    sums.phase = phase
    sums.phaseStart = columns.time(index)
    book(observersAt: index, phase, columns, &sums)
  }

  /// Books the time of other observers between an activity's stamps.
  @inline(__always)
  private mutating func book(
    observersAt index: Int, _ phase: Phase, _ columns: EventColumns, _ sums: inout PassSums
  ) {
    guard hasHigh else { return }
    let took = columns.time(index &+ 1) &- columns.time(index)
    sums.observers.add(took, at: phase.rawValue)
    ran(index, .none, took, columns, &sums)
  }

  /// Books a callout, or other observers of an activity, between the event at `index` and the next one.
  @inline(__always)
  private mutating func ran(
    _ index: Int, _ object: ObjectID, _ took: Length, _ columns: EventColumns, _ sums: inout PassSums
  ) {
    let begin = columns.time(index)
    clock.ran(columns.kind(index), object, from: begin, to: begin &+ took)
    sums.busy &+= took
    sums.remembered = index &+ 2
  }

  @inline(__always)
  private mutating func book(
    calloutAt index: Int, _ isTimer: Bool, _ frame: RowAddress<RunFrame>, _ columns: EventColumns,
    _ sums: inout PassSums, _ timers: inout TimerLedger
  ) {
    let (kind, object, time) = (columns.kind(index), columns.object(index), columns.time(index))
    let took = columns.time(index &+ 1) &- time
    let known = books.objects.row(object)
    if lastWake.isUnanswered {
      lastWake.isUnanswered = false
      frame.pointee.cell.pointee.wake.record(time &- lastWake.time)
    }
    var isFiring = false
    if isTimer {
      isFiring = timers.fireAtOnce(object, took, column: clock.currentColumn)
    } else if let known {
      if kind == .source0Begin {
        books.sources.begin(known, at: time)
      } else if kind == .blockBegin || kind == .mainQueueBlockBegin {
        books.sources.beginBlock(known, kind: kind, at: time)
      }
    } else if kind == .blockBegin || kind == .mainQueueBlockBegin {
      books.objects.beginUnqueued(object, at: time)
    }
    books.callouts.add(
      books.callouts.row(lane: lane, kind: kind, known), begin: time, time: took, selfTime: took,
      column: clock.currentColumn, pass: PassMark(number: sums.number, start: sums.start), isOpen: false)
    ran(index, object, took, columns, &sums)
    if isFiring { endFiring(index, columns, &sums, &timers) }
  }

  /// Handles a callout of a timer whose earlier callout, which answered a due point, has no recorded end. The earlier
  /// one ends with this one.
  @inline(never)
  mutating func endFiring(
    _ index: Int, _ columns: EventColumns, _ sums: inout PassSums, _ timers: inout TimerLedger
  ) {
    // In a batch of equal passes, `sums` may lack some of what ran until then, and may contain later callouts.
    var ran = Length.zero
    var last = observing.activity
    ThreadReplay.forEachRunning(columns, hasHigh: hasHigh, from: sums.busyBooked, until: index &+ 2) {
      at, phase in
      ran &+= columns.time(at &+ 1) &- columns.time(at)
      if phase != nil { last = columns.kind(at) }
    }
    observing.activity = last
    sums.busy = sums.busy &- ran
    bookBusy(ran, &sums, columns, until: index &+ 2)
    timers.end(object: columns.object(index), time: columns.time(index &+ 1), clock: clock)
  }

  // MARK: The end of a batch

  /// Books the sums. The last pass continues in its last activity.
  @inline(never)
  private mutating func book(
    _ sums: inout PassSums, _ frame: RowAddress<RunFrame>, _ columns: EventColumns, until end: Int
  ) {
    let cell = frame.pointee.cell
    let own = phases(of: sums, columns)
    cell.pointee.phases &+= sums.phases &- own
    cell.pointee.observers &+= sums.observers
    cell.pointee.polls &+= sums.polls
    cell.pointee.wakes &+= sums.waits
    frame.pointee.phases = own
    frame.pointee.phase = sums.phase.rawValue
    frame.pointee.phaseStart = sums.phaseStart
    frame.pointee.passStart = sums.start
    frame.pointee.passOpen = true
    frame.pointee.waited = sums.waited
    frame.pointee.passNumber = sums.number
    passCount = sums.number
    if hasHigh { observing.activity = columns.kind(sums.activity) }
    served.formUnion(sums.served)
    bookBusy(sums.busy, &sums, columns, until: end)
    if hasHigh { frame.pointee.observersSince = sums.phaseStart }
    gap.begin(sums.phase, frame.pointee.mode, sums.phaseStart)
    if sums.waits > 0 { busy.tally.begin() }
    tally(sums, columns, until: end)
  }

  /// Returns the finished phases of the last pass.
  func phases(of sums: PassSums, _ columns: EventColumns) -> PhaseTimes {
    var phases = PhaseTimes()
    var (phase, start) = (Phase.beforeTimers, sums.start)
    ThreadReplay.forEachStep(columns, hasHigh: hasHigh, from: sums.pass, until: sums.activity &+ 1) {
      at, next in
      guard let next else { return }
      let time = columns.time(at)
      phases.add(time &- start, at: phase.rawValue)
      (phase, start) = (next, time)
      guard next == .beforeWaiting else { return }
      phase = .waiting
      start = columns.time(hasHigh ? at &+ 1 : at)
      phases.add(start &- time, at: next.rawValue)
    }
    return phases
  }

  /// Adds what ran since the last call, `ran` in total, to the clock.
  private mutating func bookBusy(
    _ ran: Length, _ sums: inout PassSums, _ columns: EventColumns, until end: Int
  ) {
    clock.add(busy: ran)
    sums.busyBooked = end
    remember(&sums, columns, until: end)
  }

  /// Tells the clock what ran in passes that were added up column by column. The clock keeps only the last few.
  @inline(never)
  private mutating func remember(_ sums: inout PassSums, _ columns: EventColumns, until end: Int) {
    var start = sums.remembered
    sums.remembered = end
    if end &- start > 2 &* LaneClock.remembered {
      let all = start
      var left = LaneClock.remembered
      start = end
      while start > all, left > 0 {
        // Everything that runs ends with the event after its begin.
        let runs = ThreadReplay.phase(columns.kind(start &- 1)) == nil
        start &-= runs ? 2 : 1
        if runs, clock.remembers(columns.time(start &+ 1) &- columns.time(start)) { left &-= 1 }
      }
    }
    ThreadReplay.forEachRunning(columns, hasHigh: hasHigh, from: start, until: end) { at, phase in
      clock.ran(
        columns.kind(at), phase != nil ? .none : columns.object(at), from: columns.time(at),
        to: columns.time(at &+ 1))
    }
  }

  /// Fills the tallies of the gap and of the busy interval in progress. Earlier ones are not listed and need none.
  private mutating func tally(_ sums: PassSums, _ columns: EventColumns, until end: Int) {
    ThreadReplay.forEachRunning(columns, hasHigh: hasHigh, from: sums.busySince, until: end) { at, phase in
      let took = columns.time(at &+ 1) &- columns.time(at)
      if let phase {
        guard took > .zero else { return }
        if at == sums.activity { gap.observed(phase, took) }
        busy.tally.observed(phase, took)
      } else {
        let object = columns.object(at)
        let row = books.callouts.row(lane: lane, kind: columns.kind(at), books.objects.row(object))
        if at > sums.activity { gap.add(row: row, object: object, time: took, selfTime: took, isOuter: true) }
        busy.tally.add(row: row, object: object, time: took, selfTime: took, isNew: true, isOuter: true)
      }
    }
  }

  /// Calls `body` for each callout and for the other observers of each activity. Each begins with the given event and
  /// ends with the next one.
  @inline(__always)
  private static func forEachRunning(
    _ columns: EventColumns, hasHigh: Bool, from start: Int, until end: Int,
    _ body: (_ index: Int, Phase?) -> Void
  ) {
    forEachStep(columns, hasHigh: hasHigh, from: start, until: end) { at, phase in
      if phase == nil || hasHigh { body(at, phase) }
    }
  }

  /// Calls `body` for each callout and each activity, with its first event. nil = a callout.
  @inline(__always)
  private static func forEachStep(
    _ columns: EventColumns, hasHigh: Bool, from start: Int, until end: Int,
    _ body: (_ index: Int, Phase?) -> Void
  ) {
    var at = start
    while at < end {
      let phase = ThreadReplay.phase(columns.kind(at))
      body(at, phase)
      at &+= phase == nil || hasHigh ? 2 : 1
    }
  }

  /// Returns the phase that begins with an activity's only or first stamp; nil = in a plain pass, a callout's event.
  private static func phase(_ kind: EventKind) -> Phase? {
    switch kind {
    case .beforeTimersLow: .beforeTimers
    case .beforeSourcesLow: .beforeSources
    case .beforeWaitingLow: .beforeWaiting
    case .afterWaitingLow: .afterWaiting
    default: nil
    }
  }
}
