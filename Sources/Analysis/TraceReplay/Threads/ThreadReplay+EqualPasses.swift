import TraceFormat

/// Replays batches of equal passes.
///
/// Works column by column: one loop adds what the events at one position in all passes contribute to one book. For
/// more than a few passes, this takes half as long as replaying them one by one.
extension ThreadReplay {
  /// Returns the passes from the plain one at `index` on, as long as they are equal and nothing else happens in them.
  /// Returns nil if they are too few.
  @inline(never)
  func equalPasses(
    _ columns: EventColumns, _ index: Int, until end: Int, _ nextDue: Moment, _ frame: RowAddress<RunFrame>,
    _ timers: borrowing TimerLedger
  ) -> EqualPasses? {
    guard !shape.repeatsKind else { return nil }
    var passes = EqualPasses(columns: columns, start: index, length: shape.count)
    passes.count = repeated(passes, until: end, frame.pointee.mode)
    guard passes.count >= EqualPasses.fewest, areOfRun(frame, passes) else { return nil }
    passes.count = undisturbed(passes, nextDue)
    if facts.sink != nil { passes.count = withoutFiring(passes, timers) }
    return passes.count >= EqualPasses.fewest ? passes : nil
  }

  /// Returns how many passes from this one on have the same kinds, with all events in the run's mode.
  @inline(__always)
  private func repeated(_ passes: EqualPasses, until end: Int, _ mode: ModeID) -> Int {
    let (columns, start, length) = (passes.columns, passes.start, passes.length)
    // Each callout may add a row to the table. If the table might exceed its limit, the passes are replayed one by
    // one.
    let room = min(EqualPasses.most, books.callouts.room / PassShape.mostCallouts)
    let most = min(end &- start, room &* length)
    // The event after a pass is compared as well: a callout there would belong to the pass.
    let equal = columns.equalKinds(from: start &+ length, start, most: most &- length)
    guard equal > 0, columns.mode(start) == mode else { return 0 }
    return max(columns.equalModes(from: start, most: equal &+ length &- 1) / length, 1)
  }

  /// Returns whether all activities belong to the run, and each callout ends with its own end event.
  @inline(__always)
  private func areOfRun(_ frame: RowAddress<RunFrame>, _ passes: EqualPasses) -> Bool {
    let loop = frame.pointee.loop.object.rawValue
    let (sources, waiting, woken) = (shape.beforeSources, shape.beforeWaiting, shape.afterWaiting)
    var differences: UInt32 = 0
    func object(_ pass: Int, _ place: Int) -> UInt32 { passes.object(pass, place).rawValue }
    for pass in 0..<passes.count {
      differences |= (object(pass, 0) ^ loop) | (object(pass, sources) ^ loop)
      if shape.waits { differences |= (object(pass, waiting) ^ loop) | (object(pass, woken) ^ loop) }
    }
    if hasHigh {
      for pass in 0..<passes.count {
        differences |= (object(pass, 1) ^ loop) | (object(pass, sources &+ 1) ^ loop)
        if shape.waits {
          differences |= (object(pass, waiting &+ 1) ^ loop) | (object(pass, woken &+ 1) ^ loop)
        }
      }
    }
    var rest = shape.callouts
    while rest != 0 {
      let place = rest.trailingZeroBitCount
      for pass in 0..<passes.count { differences |= object(pass, place) ^ object(pass, place &+ 1) }
      rest &= rest &- 1
    }
    return differences == 0
  }

  /// Returns how many passes end before the next due point and hold no gap or busy interval that is listed. The check
  /// covers the time from the last activity of the previous pass to the wait of the pass, or to its last activity,
  /// which includes all gaps in between. The caller has checked the first pass.
  @inline(__always)
  private func undisturbed(_ passes: EqualPasses, _ nextDue: Moment) -> Int {
    // Where the checked time ends, and where it begins in the previous pass.
    let place = shape.waits ? shape.afterWaiting &- 1 : shape.beforeSources
    let next = shape.waits ? shape.afterWaiting : shape.beforeSources
    // After a wait, gap and busy interval begin together.
    let limit = shape.waits ? min(gap.listened, busy.listened) : gap.listened
    for pass in 1..<passes.count {
      guard passes.time(pass, place) &- passes.time(pass &- 1, next) < limit,
        passes.time(pass, passes.length &- 1) <= nextDue
      else { return pass }
    }
    return passes.count
  }

  // MARK: Passes

  mutating func book(
    _ passes: EqualPasses, _ frame: RowAddress<RunFrame>, _ sums: inout PassSums, _ timers: inout TimerLedger
  ) {
    bookWakes(passes, frame)
    let waiting = bookPhases(passes, &sums)
    if shape.waits { bookWaits(passes, waiting, frame, &sums) }
    var rest = shape.callouts
    while rest != 0 {
      book(calloutsAt: rest.trailingZeroBitCount, passes, &sums, &timers)
      rest &= rest &- 1
    }
    bookEnds(passes, frame, &sums)
    let last = passes.last
    sums.pass = passes.event(last, 0)
    sums.number &+= UInt64(truncatingIfNeeded: passes.count)
    sums.start = passes.time(last, 0)
    sums.waited = shape.waits
    sums.waiting = .zero
    var activity = shape.beforeSources
    if shape.waits {
      activity = shape.afterWaiting
      sums.waiting = passes.time(last, activity) &- passes.time(last, activity &- 1)
      sums.busySince = passes.event(last, activity)
    }
    sums.activity = passes.event(last, activity)
    sums.phase = shape.waits ? .afterWaiting : .beforeSources
    sums.phaseStart = passes.time(last, activity)
  }

  /// Books the phases from each pass's start to its last activity, and from there to the next pass's start; and the
  /// time of other observers between an activity's stamps. Returns the total waiting time.
  @inline(never)
  private func bookPhases(_ passes: EqualPasses, _ sums: inout PassSums) -> Length {
    func observers(_ phase: Phase, at place: Int, since low: Length) {
      guard hasHigh else { return }
      let took = passes.sum(place &+ 1) &- low
      sums.observers.add(took, at: phase.rawValue)
      sums.busy &+= took
    }
    let begin = passes.sum(0)
    let sources = passes.sum(shape.beforeSources)
    var (phase, lastLow, lastPlace) = (Phase.beforeSources, sources, shape.beforeSources)
    var waited = Length.zero
    sums.phases.add(sources &- begin, at: Phase.beforeTimers.rawValue)
    observers(.beforeTimers, at: 0, since: begin)
    observers(.beforeSources, at: shape.beforeSources, since: sources)
    if shape.waits {
      let low = passes.sum(shape.beforeWaiting)
      let waiting = hasHigh ? passes.sum(shape.afterWaiting &- 1) : low
      let woken = passes.sum(shape.afterWaiting)
      sums.phases.add(low &- sources, at: Phase.beforeSources.rawValue)
      sums.phases.add(waiting &- low, at: Phase.beforeWaiting.rawValue)
      waited = woken &- waiting
      sums.phases.add(waited, at: Phase.waiting.rawValue)
      observers(.beforeWaiting, at: shape.beforeWaiting, since: low)
      observers(.afterWaiting, at: shape.afterWaiting, since: woken)
      (phase, lastLow, lastPlace) = (.afterWaiting, woken, shape.afterWaiting)
    }
    let ends = begin &- (passes.time(0, 0) &- .origin)
    let lasts = lastLow &- (passes.time(passes.last, lastPlace) &- .origin)
    sums.phases.add(ends &- lasts, at: phase.rawValue)
    return waited
  }

  /// Books the ends of all passes but the last.
  @inline(never)
  private mutating func bookEnds(_ passes: EqualPasses, _ frame: RowAddress<RunFrame>, _ sums: inout PassSums)
  {
    let woken = shape.afterWaiting
    if shape.waits {
      batches.lengths.take(passes.last) { pass in
        passes.time(pass &+ 1, 0) &- passes.time(pass, 0)
          &- (passes.time(pass, woken) &- passes.time(pass, woken &- 1))
      }
    } else {
      sums.polls &+= UInt64(truncatingIfNeeded: passes.last)
      batches.lengths.take(passes.last) { passes.time($0 &+ 1, 0) &- passes.time($0, 0) }
    }
    frame.pointee.cell.pointee.pass.record(batches.lengths)
  }

  /// Books the waits, which take `waited` in total.
  @inline(never)
  private mutating func bookWaits(
    _ passes: EqualPasses, _ waited: Length, _ frame: RowAddress<RunFrame>, _ sums: inout PassSums
  ) {
    let woken = shape.afterWaiting
    func begin(_ pass: Int) -> Moment { passes.time(pass, woken &- 1) }
    func end(_ pass: Int) -> Moment { passes.time(pass, woken) }
    if sums.waits == 0 {
      // It is unknown how the busy interval before the first wait began.
      busy.end(begin(0), books)
      busy.begin(end(0), frame.pointee.mode, frame.pointee.cell, afterWait: true)
      busy.pause(
        &batches.lengths, passes.last, from: { begin($0 &+ 1) }, to: { end($0 &+ 1) },
        waiting: waited &- (end(0) &- begin(0)))
    } else {
      busy.pause(&batches.lengths, passes.count, from: begin, to: end, waiting: waited)
    }
    busy.beforeWaiting = passes.time(passes.last, shape.beforeWaiting)
    sums.waits &+= UInt64(truncatingIfNeeded: passes.count)
  }

  /// Books the time from each wake to the first callout after it.
  @inline(never)
  private mutating func bookWakes(_ passes: EqualPasses, _ frame: RowAddress<RunFrame>) {
    let cell = frame.pointee.cell
    let first = shape.firstCallout
    let woken = shape.afterWaiting
    if lastWake.isUnanswered, first < (shape.waits ? shape.beforeWaiting : passes.length) {
      lastWake.isUnanswered = false
      cell.pointee.wake.record(passes.time(0, first) &- lastWake.time)
    }
    guard shape.waits else { return }
    if lastWake.isUnanswered { cell.pointee.emptyWakes &+= 1 }
    let answer = shape.firstAfterWaiting
    if answer < passes.length {
      batches.lengths.take(passes.count) { passes.time($0, answer) &- passes.time($0, woken) }
      cell.pointee.wake.record(batches.lengths)
    } else if first < shape.beforeWaiting {
      batches.lengths.take(passes.last) { passes.time($0 &+ 1, first) &- passes.time($0, woken) }
      cell.pointee.wake.record(batches.lengths)
    } else {
      cell.pointee.emptyWakes &+= UInt64(truncatingIfNeeded: passes.last)
    }
    (lastWake.time, lastWake.isUnanswered) = (passes.time(passes.last, woken), answer >= passes.length)
  }

  // MARK: Callouts

  /// Books the callouts at a place of each pass.
  @inline(never)
  private mutating func book(
    calloutsAt place: Int, _ passes: EqualPasses, _ sums: inout PassSums, _ timers: inout TimerLedger
  ) {
    let keepsDurations = !books.callouts.durations.isMissing
    batches.lengths.take(passes.count, findBuckets: keepsDurations) {
      passes.time($0, place &+ 1) &- passes.time($0, place)
    }
    sums.busy &+= batches.lengths.sum
    let kind = passes.columns.kind(passes.event(0, place))
    switch kind {
    case .timerBegin: book(timersAt: place, passes, &sums, &timers)
    case .source0Begin: book(sourcesAt: place, passes, sums)
    case .blockBegin, .mainQueueBlockBegin: book(blocksAt: place, kind, passes, sums)
    default: add(calloutsAt: place, kind, passes, sums) { _, _ in }
    }
  }

  @inline(never)
  private mutating func book(
    timersAt place: Int, _ passes: EqualPasses, _ sums: inout PassSums, _ timers: inout TimerLedger
  ) {
    let column = clock.currentColumn
    var firing: [Int] = []
    add(calloutsAt: place, .timerBegin, passes, sums) { pass, _ in
      if timers.fireAtOnce(passes.object(pass, place), batches.lengths[pass], column: column) {
        firing.append(passes.event(pass, place))
      }
    }
    for index in firing { endFiring(index, passes.columns, &sums, &timers) }
  }

  @inline(never)
  private func book(sourcesAt place: Int, _ passes: EqualPasses, _ sums: PassSums) {
    let sources = books.sources
    add(calloutsAt: place, .source0Begin, passes, sums) { pass, known in
      if let known { sources.begin(known, at: passes.time(pass, place)) }
    }
  }

  @inline(never)
  private func book(blocksAt place: Int, _ kind: EventKind, _ passes: EqualPasses, _ sums: PassSums) {
    let (sources, objects) = (books.sources, books.objects)
    add(calloutsAt: place, kind, passes, sums) { pass, known in
      if let known {
        sources.beginBlock(known, kind: kind, at: passes.time(pass, place))
      } else {
        objects.beginUnqueued(passes.object(pass, place), at: passes.time(pass, place))
      }
    }
  }

  /// Adds the callouts to their rows. Calls `begin` for each callout first.
  @inline(__always)
  private func add(
    calloutsAt place: Int, _ kind: EventKind, _ passes: EqualPasses, _ sums: PassSums,
    _ begin: (_ pass: Int, _ known: RowAddress<ObjectRow>?) -> Void
  ) {
    let (objects, callouts, column) = (books.objects.living, books.callouts, clock.currentColumn)
    let places = callouts.places(lane: lane, kind: kind)
    var row: Int32 = 0
    for pass in 0..<passes.count {
      let known = objects.row(passes.object(pass, place))
      begin(pass, known)
      row = places.row(known) ?? callouts.row(lane: lane, kind: kind, known)
      places.add(
        row, begin: passes.time(pass, place), time: batches.lengths[pass],
        bucket: batches.lengths.bucket(pass),
        column: column, passStart: passes.time(pass, 0))
    }
    // The last pass may have more callouts of the row, and may continue.
    let number = sums.number &+ UInt64(truncatingIfNeeded: passes.count)
    callouts.rows[Int(row)].add(
      batches.lengths[passes.last], to: PassMark(number: number, start: passes.time(passes.last, 0)))
  }
}
