import TraceFormat

/// What becomes of due points when a timer's callout begins and ends.
extension TimerLedger {
  /// The recorder says which due point the begin that follows answers.
  mutating func due(lane: Int, object: UInt32, due: Int64) { announced[lane] = (object, due) }

  /// A timer's callout begins. Returns its class, -1 when it is not followed.
  mutating func begin(lane: Int, object: UInt32, time: UInt64, state: inout ThreadReplay) -> Int32 {
    let announcement = announced[lane]
    announced[lane] = (0, 0)
    guard let index = timers.find(object) ?? placeAnonymous(object) else { return -1 }
    let place = Int32(resolve(index))
    let row = classes.classes + Int(place)
    guard state.depth > 0 else {
      row.pointee.manual += 1
      return place
    }
    guard timers[index].isKnown, timers[index].loop >= 0, announcement.object == object, object != 0
    else {
      row.pointee.fired += 1
      row.pointee.firedWithoutDue += 1
      tell(index, .fired, due: nil, end: time, mode: state.mode)
      return place
    }
    let dueNs = announcement.due.multipliedClamping(by: unit)
    let isBefore =
      timers[index].status == .overdue && timers[index].isBeforeWindow
      || moment(timers[index], dueNs) < spanStart
    if !isBefore {
      row.pointee.fired += 1
      settle(index, row, dueNs: dueNs, time: time, state)
    }
    startCallout(index, dueNs: dueNs)
    return place
  }

  /// Books the lateness of a fire, and its due point among those passed.
  private mutating func settle(
    _ index: Int, _ row: UnsafeMutablePointer<TimerClass>, dueNs: Int64, time: UInt64,
    _ state: borrowing ThreadReplay
  ) {
    let due = moment(timers[index], dueNs)
    guard timers[index].status == .overdue, due <= time else {
      // Early, due at this very moment, or moved without the recorder's knowledge: then nobody knows why it is late.
      let column = state.clock.currentColumn
      if due > time { row.pointee.early += 1 }
      let lateness = due > time ? 0 : time - due
      row.pointee.lateness.record(lateness)
      row.pointee.overdue.causes[Cause.unknown.rawValue] &+= lateness
      row.pointee.fired(lateness, in: column)
      var causes = SIMD8<UInt64>()
      causes[Cause.unknown.rawValue] = lateness
      tell(index, .fired, due: due, end: time, mode: state.mode, lateness: lateness, causes: causes)
      return
    }
    var cause = timers[index].causeAtDue
    var column = timers[index].columnAtDue
    if timers[index].intervalNs > 0, dueNs - timers[index].pointNs > timers[index].intervalNs / 2 {
      // The loop's clock, read after the callout's end was stamped, was past the point that seemed in force: that
      // one is skipped, and the one behind it, tallied as skipped, fires.
      if timers[index].tallies > 0 {
        let (nextCause, nextColumn) = (timers[index].nextCause, timers[index].nextColumn)
        let blamed = skipsInDoubt[index]?.takeFirst(nextCause, column: nextColumn)
        row.pointee.unskip(nextCause, column: nextColumn, blamed: blamed ?? nil)
      }
      row.pointee.skip(1, cause, column: column)
      if observer != nil { firstHeldFires(index) }
      timers[index].modeAtDue = timers[index].nextMode
      cause = timers[index].nextCause
      column = timers[index].nextColumn
      timers[index].overdueSince = timers[index].nextSince
      // Of the point before.
      timers[index].toleranceEnd = nil
      timers[index].booked = BookedLateness()
    }
    let since = max(due, timers[index].bookedUntil)
    book(index, until: time, state)
    let lateness = time - due
    timers[index].booked.fit(lateness, cause: cause, column: column)
    row.pointee.overdue &+= timers[index].booked
    row.pointee.lateness.record(lateness)
    row.pointee.fired(lateness, in: column)
    tell(
      index, .fired, due: due, end: time, cause: cause, mode: timers[index].modeAtDue, lateness: lateness,
      causes: timers[index].booked.causes)
    if timers[index].booked.causes[Cause.busy.rawValue] > 0 {
      blame(index, row, since: since, until: time, state)
    }
  }

  /// Adds what the loop's clock went on since the last booking to the lateness of an overdue point.
  mutating func book(_ index: Int, until time: UInt64, _ state: borrowing ThreadReplay) {
    guard timers[index].status == .overdue || timers[index].isDueWhileFiring else { return }
    let now = state.clock.reading(at: time)
    let span = now &- timers[index].overdueSince
    guard span.isPossible else { return bookUnknown(index, until: time, now) }
    var booked = BookedLateness()
    booked.byColumn = span.running
    booked.causes[Cause.suspended.rawValue] = span.suspended
    booked.causes[Cause.unknown.rawValue] = span.unknown
    booked.causes[Cause.notRunning.rawValue] = span.running[0]
    var idle: UInt64 = 0
    var tolerated: UInt64 = 0
    let tolerance = (timers[index].toleranceEnd ?? now) &- timers[index].overdueSince
    let isTolerancePossible = tolerance.isPossible
    for column in 1..<LaneClock.columns where span.running[column] > 0 {
      let time = span.running[column]
      let mode = state.clock.mode(ofColumn: column)
      if timers[index].isDueWhileFiring {
        booked.causes[Cause.ownCallout.rawValue] &+= time
      } else if mode == nil {
        // Modes beyond the clock's columns: whether the timer was in them cannot be told.
        booked.causes[Cause.unknown.rawValue] &+= time
        booked.byColumn[column] = 0
      } else if let mode, isIn(index, mode) {
        booked.causes[Cause.busy.rawValue] &+= span.busy[column]
        idle &+= time &- span.busy[column]
        if isTolerancePossible { tolerated &+= tolerance.running[column] &- tolerance.busy[column] }
      } else {
        booked.causes[Cause.wrongMode.rawValue] &+= time
      }
    }
    let within = min(idle, tolerated, UInt64(timers[index].toleranceNs / unit))
    booked.causes[Cause.tolerance.rawValue] = within
    booked.causes[Cause.scheduler.rawValue] = idle &- within
    timers[index].booked &+= booked
    timers[index].bookedUntil = time
    timers[index].overdueSince = now
    if timers[index].toleranceEnd != nil { timers[index].toleranceEnd = now }
  }

  /// A trace in which nobody can tell what held: the ledger says so.
  @inline(never)
  private mutating func bookUnknown(_ index: Int, until time: UInt64, _ now: LaneClock.Reading) {
    let since = max(moment(timers[index], timers[index].pointNs), timers[index].bookedUntil)
    timers[index].booked.causes.add(time &- min(time, since), at: Cause.unknown.rawValue)
    timers[index].bookedUntil = time
    timers[index].overdueSince = now
    if timers[index].toleranceEnd != nil { timers[index].toleranceEnd = now }
  }

  /// Names the callouts that ran while the point was overdue, in modes that the timer is in.
  @inline(never)
  private func blame(
    _ index: Int, _ row: UnsafeMutablePointer<TimerClass>, since due: UInt64, until time: UInt64,
    _ state: borrowing ThreadReplay
  ) {
    state.clock.forEachStretch(since: due, until: time) { stretch in
      let column = Int(stretch.column)
      guard column != 0, let mode = state.clock.mode(ofColumn: column), isIn(index, mode) else {
        return
      }
      row.pointee.blame(
        kind: stretch.kind, name: objects.name(of: stretch.object), time: stretch.end &- stretch.begin,
        points: 0)
    }
  }

  private mutating func startCallout(_ index: Int, dueNs: Int64) {
    let interval = timers[index].intervalNs
    timers[index].isMovedWhileFiring = false
    timers[index].isMovedByItself = false
    timers[index].isDueWhileFiring = false
    guard interval > 0 else {
      timers[index].status = .unscheduled
      timers[index].version &+= 1
      return
    }
    // Grid points between due point and now have been tallied: go on behind them, on the announced grid.
    var next = dueNs &+ interval
    if timers[index].status == .overdue, timers[index].gridNs > next {
      next = dueNs &+ ((timers[index].gridNs - dueNs + interval / 2) / interval) &* interval
    }
    // Grid points before it was added to a mode were never due.
    let added = Int64(clamping: timers[index].addedAt ?? 0).multipliedClamping(by: unit)
    if next <= added { next = dueNs &+ ((added - dueNs) / interval + 1) &* interval }
    timers[index].status = .firing
    timers[index].isBeforeWindow = false
    timers[index].pointNs = dueNs
    timers[index].gridNs = next
    schedule(index)
  }

  /// A callout of a timer of a class is over. The timer may be gone: it may end itself in its callout.
  mutating func add(callout took: UInt64, ofClass place: Int32, column: Int) {
    let row = classes.classes + Int(place)
    row.pointee.calloutIn.add(took, at: column)
    row.pointee.longestCallout = max(row.pointee.longestCallout, took)
  }

  /// The callout ends: the next grid point is in force. One that lies at this very moment is dropped, because
  /// the loop looks at its clock later.
  mutating func end(object: UInt32, time: UInt64, state: inout ThreadReplay) {
    guard let index = timers.find(object), timers[index].status == .firing else { return }
    guard timers[index].addedAt != nil else {
      // It left its last mode: the loop computes its next date all the same.
      timers[index].pointNs =
        timers[index].isMovedWhileFiring ? timers[index].gridNs : gridPoint(timers[index], after: time)
      timers[index].isMovedWhileFiring = false
      timers[index].status = .unscheduled
      return
    }
    settleSkips(index, areDropped: timers[index].isMovedByItself)
    if timers[index].isDueWhileFiring {
      // Its callout moved it to a point that has passed meanwhile: all that time is the callout's own.
      book(index, until: time, state)
      timers[index].status = .overdue
      timers[index].isDueWhileFiring = false
      timers[index].isMovedWhileFiring = false
      return
    }
    timers[index].status = .scheduled
    timers[index].pointNs = timers[index].gridNs
    timers[index].isPointDropped =
      timers[index].intervalNs > 0 && !timers[index].isMovedWhileFiring
      && moment(timers[index], timers[index].pointNs) <= time
    timers[index].isMovedWhileFiring = false
  }

  /// Takes in a timer that was created before the recording.
  private mutating func placeAnonymous(_ object: UInt32) -> Int? {
    forget(object: object)
    var timer = FollowedTimer(object: object, name: 0, site: 0, intervalNs: 0, pointNs: 0)
    timer.isKnown = false
    return timers.place(timer)
  }
}
