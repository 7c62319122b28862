import TraceFormat

/// The fate of due points when a timer's callout begins and ends.
extension TimerLedger {
  /// Notes which due point the next begin answers.
  mutating func due(lane: Int, object: ObjectID, due: Int64) {
    announced[lane] = Announcement(object: object, dueNs: scale.pointNs(due))
  }

  /// Returns whether the lane's next begin answers a due point.
  @inline(__always)
  func hasAnnouncement(lane: Int) -> Bool { announced[lane].object != .none }

  /// Handles the begin of a timer's callout. Returns the timer's class, -1 = not followed.
  mutating func begin(lane: Int, object: ObjectID, time: Moment, clock: borrowing LaneClock) -> Int32 {
    let announcement = announced[lane]
    announced[lane] = Announcement()
    guard let index = timers.find(object) ?? placeAnonymous(object) else { return -1 }
    guard clock.isInRun || clock.mayMissRuns && announcement.object == object else {
      if timers[index].loop < 0, timers[index].isKnown, !timers[index].isCounted {
        timers[index].manualBefore += 1
        return -1
      }
      let place = resolve(index)
      classes.rows[place].manual += 1
      return Int32(place)
    }
    guard timers[index].isKnown, announcement.object == object, object != .none else {
      return fireWithoutDue(index, at: time, mode: clock.mode)
    }
    if timers[index].loop < 0 {
      guard loopOfLane[lane] >= 0 else { return fireWithoutDue(index, at: time, mode: clock.mode) }
      // Another thread added the timer at this moment.
      join(index, loopOfLane[lane])
    }
    let place = Int32(resolve(index))
    let row = classes.rows.address(Int(place))
    classes.rates?.fired(Int(place), intervalNs: timers[index].schedule.intervalNs, at: time)
    let dueNs = announcement.dueNs
    timers[index].isAhead = false
    if timers[index].schedule.enteredAt == nil, clock.isInRun { enterAtFire(index, time, clock) }
    let looksBack = !expects(index, dueNs) && beginUnexpected(index, dueNs, time, clock)
    timers[index].losses = losses
    let isBefore =
      timers[index].schedule.isOverdue && timers[index].isBeforeWindow
      || timers[index].schedule.moment(dueNs) < spanStart
    if !isBefore {
      settle(index, row, dueNs: dueNs, time: time, looksBack: looksBack, clock)
    }
    if timers[index].frames >= 0 {
      beginFrame(index, dueNs: dueNs, at: time, isBooked: !isBefore, isUnexpected: looksBack)
    }
    timers[index].answeredNs = dueNs
    timers[index].isBeforeWindow = false
    timers[index].schedule.begin(dueNs: dueNs)
    hasAnswered = true
    schedule(index)
    return place
  }

  /// Returns whether a callout of the timer may answer this point. After a loss of events, only the point in force
  /// shows that the schedule is right.
  @inline(__always)
  private func expects(_ index: Int, _ dueNs: Int64) -> Bool {
    timers[index].schedule.isInForce(dueNs) || !isInDoubt(index) && timers[index].schedule.isOfGrid(dueNs)
  }

  /// Handles a callout that answers a point other than the one that the ledger has in force. Another thread moved
  /// the timer, and the ledger has not processed that move. Its event may have the same moment and be queued, or be the
  /// next one. The order of threads at one moment is not recorded, and a thread may record a move a little after it.
  ///
  /// In another case, the previous callout seemed to answer the same point, because the timer was moved between the
  /// loop's check and the recorder's. Returns whether to look back for the causes since the point.
  @inline(never)
  private mutating func beginUnexpected(
    _ index: Int, _ dueNs: Int64, _ time: Moment, _ clock: borrowing LaneClock
  ) -> Bool {
    passChanges(ofLoop: timers[index].loop, through: time, clock)
    guard timers[index].loop >= 0, !expects(index, dueNs) else { return false }
    guard !isInDoubt(index) else {
      beginAfterLoss(index, dueNs, time)
      return true
    }
    let isAgain = timers[index].answeredNs == dueNs
    let isOverdue = timers[index].schedule.isOverdue
    if isOverdue, isAgain {
      // The point in force is a later one of the same grid, which the loop drops.
      skipPointInForce(index)
    } else if isOverdue {
      // The point in force was moved before it fired.
      withdraw(index, at: time)
    }
    timers[index].schedule.replace(pointNs: dueNs, keepsGrid: isOverdue && isAgain)
    timers[index].isAhead = !isAgain
    return true
  }

  /// Adds a timer to the current mode. According to earlier events it is in no mode, so another thread added it
  /// at this moment.
  @inline(never)
  private mutating func enterAtFire(_ index: Int, _ time: Moment, _ clock: borrowing LaneClock) {
    timers[index].membership.add(clock.mode, isCommonModes: false)
    timers[index].schedule.enter(at: time)
  }

  private mutating func skipPointInForce(_ index: Int) {
    guard !timers[index].isBeforeWindow else { return }
    let held = timers[index].atDue
    classes.rows[resolve(index)].skips.add(1, held.cause, column: held.column)
    timers[index].missed.missPointInForce(held.cause)
    reportSkipped(index, timers[index].schedule.pointNs, held.cause, held.mode)
  }

  /// Books a complete callout without a due point; the caller reports it. Returns whether an earlier
  /// callout of the timer that answered a due point was open, and so has ended.
  @inline(__always)
  mutating func fireAtOnce(_ object: ObjectID, _ took: Length, column: Int) -> Bool {
    guard let index = timers.find(object) ?? placeAnonymous(object) else { return false }
    let row = classes.rows.address(resolve(index))
    row.pointee.firedWithoutDue &+= 1
    row.pointee.add(callout: took, column: column)
    return timers[index].schedule.isFiring
  }

  /// Handles a callout that a loop begins without a due point. Returns the timer's class.
  private mutating func fireWithoutDue(_ index: Int, at time: Moment, mode: ModeID) -> Int32 {
    let place = resolve(index)
    classes.rows[place].firedWithoutDue &+= 1
    report(index, .fired, due: nil, end: time, mode: mode)
    return Int32(place)
  }

  /// Books the lateness of a fire, and its due point as fired.
  private mutating func settle(
    _ index: Int, _ row: RowAddress<TimerClass>, dueNs: Int64, time: Moment, looksBack: Bool,
    _ clock: borrowing LaneClock
  ) {
    let due = timers[index].schedule.moment(dueNs)
    guard timers[index].schedule.isOverdue, due <= time, !looksBack else {
      return settleUnforeseen(index, row, due, time, looksBack: looksBack, clock)
    }
    let (interval, ahead) = (timers[index].schedule.intervalNs, dueNs &- timers[index].schedule.pointNs)
    if interval > 0, ahead > interval / 2 {
      // The loop read its clock after the callout's end was stamped, and the clock was past the point that seemed to
      // be in force. That point is skipped. The next one, which was counted as skipped, fires, or a later one. The
      // point that fires may come due at this moment, while those before it have passed.
      let hasPassed = timers[index].tallies >= UInt64(clamping: (ahead &+ interval / 2) / interval)
      if hasPassed {
        let next = timers[index].atNext
        let blamed = skipsInDoubt[index]?.takeFirst(next.cause, column: next.column)
        row.pointee.skips.takeBack(next.cause, column: next.column, blamed: blamed ?? nil)
        timers[index].missed.takeBack(next.cause)
      }
      timers[index].missed.missPointInForce(timers[index].atDue.cause)
      row.pointee.skips.add(1, timers[index].atDue.cause, column: timers[index].atDue.column)
      if sink != nil { pointInForceFails(index, firstHeldFires: hasPassed) }
      // A point that comes due at this moment has not passed yet.
      timers[index].atDue = hasPassed ? timers[index].atNext : held(index, at: time, clock)
      // These belong to the previous point.
      timers[index].toleranceEnd = nil
      timers[index].booked = BookedLateness()
    }
    endStretch(index, isPast: true)
    let since = max(due, timers[index].bookedUntil)
    book(index, until: time, clock)
    if timers[index].booked.causes.length(.busy) > .zero {
      blame(index, row, since: since, until: time, clock)
    }
    let lateness = time &- due
    let (cause, column) = (timers[index].atDue.cause, timers[index].atDue.column)
    timers[index].booked.fit(lateness, cause: cause, column: column)
    row.pointee.fired(lateness, timers[index].booked, in: column)
    report(
      index, .fired, due: due, end: time, cause: cause, mode: timers[index].atDue.mode, lateness: lateness,
      causes: timers[index].booked.causes)
  }

  /// Settles a point that is early, due at this moment, or moved without the recorder's knowledge. The cause of its
  /// lateness is then not known, unless the thread's last callouts show it.
  @inline(never)
  private mutating func settleUnforeseen(
    _ index: Int, _ row: RowAddress<TimerClass>, _ due: Moment, _ time: Moment, looksBack: Bool,
    _ clock: borrowing LaneClock
  ) {
    if due > time { row.pointee.early += 1 }
    endStretch(index, isPast: looksBack && timers[index].schedule.isOverdue)
    let lateness = time.since(due)
    var booked =
      looksBack && due < time ? lookBack(index, row, since: due, until: time, clock) : BookedLateness()
    booked.causes.add(lateness.without(booked.causes.lengthInAll), at: .unknown)
    if timers[index].frames >= 0 { timers[index].booked = booked }
    row.pointee.fired(lateness, booked, in: clock.currentColumn)
    report(index, .fired, due: due, end: time, mode: clock.mode, lateness: lateness, causes: booked.causes)
  }

  /// Returns the causes since a point that becomes known only now, if the mode has not changed and the callouts since
  /// then are remembered.
  private func lookBack(
    _ index: Int, _ row: RowAddress<TimerClass>, since due: Moment, until time: Moment,
    _ clock: borrowing LaneClock
  ) -> BookedLateness {
    var booked = BookedLateness()
    guard clock.isInRun, clock.remembersAll(since: due) else { return booked }
    let isInMode = isIn(index, clock.mode)
    var left = time &- due
    booked.byColumn.add(left, at: clock.currentColumn)
    var own = Length.zero
    var busy = Length.zero
    clock.forEachStretch(since: due, until: time) { stretch in
      let part = min(left, stretch.end &- stretch.begin)
      if stretch.kind == .timerBegin, stretch.object == timers[index].object {
        own &+= part
        left = left &- part
      } else if isInMode {
        busy &+= part
        left = left &- part
        row.pointee.skips.blockers.blame(stretch.kind, objects.name(of: stretch.object), time: part)
      }
    }
    booked.causes.add(own, at: .ownCallout)
    booked.causes.add(busy, at: .busy)
    booked.causes.add(left, at: isInMode ? .scheduler : .wrongMode)
    return booked
  }

  /// Books the time of the loop's clock since the last booking as lateness of an overdue point.
  mutating func book(_ index: Int, until time: Moment, _ clock: borrowing LaneClock) {
    guard timers[index].schedule.isOverdue else { return }
    let now = clock.reading(at: time)
    let span = now &- timers[index].atDue.since
    guard span.isPossible else { return bookUnknown(index, until: time, now) }
    var booked = BookedLateness()
    booked.byColumn = span.running
    booked.causes.add(span.suspended, at: .suspended)
    booked.causes.add(span.unknown, at: .unknown)
    booked.causes.add(span.running.length(0), at: clock.mayMissRuns ? .unknown : .notRunning)
    if clock.mayMissRuns { booked.byColumn[0] = 0 }
    var idle = Length.zero
    var tolerated = Length.zero
    let tolerance = (timers[index].toleranceEnd ?? now) &- timers[index].atDue.since
    let isTolerancePossible = tolerance.isPossible
    for column in 1..<LaneClock.columns where span.running[column] > 0 {
      let time = span.running.length(column)
      let mode = clock.mode(ofColumn: column)
      if timers[index].schedule.isDueWhileFiring {
        booked.causes.add(time, at: .ownCallout)
      } else if mode == nil {
        // For modes beyond the clock's columns, it is not known whether the timer was in them.
        booked.causes.add(time, at: .unknown)
        booked.byColumn[column] = 0
      } else if let mode, isIn(index, mode) {
        let busy = span.busy.length(column)
        booked.causes.add(busy, at: .busy)
        idle &+= time &- busy
        if isTolerancePossible {
          tolerated &+= tolerance.running.length(column) &- tolerance.busy.length(column)
        }
      } else {
        booked.causes.add(time, at: .wrongMode)
      }
    }
    let within = min(idle, tolerated, scale.length(ns: timers[index].toleranceNs))
    booked.causes.add(within, at: .tolerance)
    booked.causes.add(idle &- within, at: .scheduler)
    timers[index].booked &+= booked
    timers[index].bookedUntil = time
    timers[index].atDue.since = now
    if timers[index].toleranceEnd != nil { timers[index].toleranceEnd = now }
  }

  /// Books lateness as unknown. In a damaged trace, the readings may not allow any other cause.
  @inline(never)
  private mutating func bookUnknown(_ index: Int, until time: Moment, _ now: LaneClock.Reading) {
    let since = max(timers[index].schedule.moment, timers[index].bookedUntil)
    timers[index].booked.causes.add(time.since(since), at: .unknown)
    timers[index].bookedUntil = time
    timers[index].atDue.since = now
    if timers[index].toleranceEnd != nil { timers[index].toleranceEnd = now }
  }

  /// Names the callouts that ran while the point was overdue, in modes that the timer is in. Their total time is at
  /// most the time booked as busy. A timer does not block itself: a point may pass during its callout and become
  /// known after it.
  @inline(never)
  private mutating func blame(
    _ index: Int, _ row: RowAddress<TimerClass>, since due: Moment, until time: Moment,
    _ clock: borrowing LaneClock
  ) {
    var left = timers[index].booked.causes.length(.busy)
    var own = Length.zero
    clock.forEachStretch(since: due, until: time) { stretch in
      let column = Int(stretch.column)
      guard column != 0, let mode = clock.mode(ofColumn: column), isIn(index, mode) else {
        return
      }
      let part = min(left, stretch.end &- stretch.begin)
      left = left &- part
      if stretch.kind == .timerBegin, stretch.object == timers[index].object {
        own &+= part
      } else if part > .zero {
        row.pointee.skips.blockers.blame(stretch.kind, objects.name(of: stretch.object), time: part)
      }
    }
    timers[index].booked.causes.move(own, from: .busy, to: .ownCallout)
  }

  /// Adds a finished callout to its timer's class. The timer may be gone, because its callout may invalidate it.
  mutating func add(callout took: Length, ofClass place: Int32, column: Int) {
    classes.rows[Int(place)].add(callout: took, column: column)
  }

  /// Handles the end of a timer's callout.
  mutating func end(object: ObjectID, time: Moment, clock: borrowing LaneClock) {
    guard let index = timers.find(object), timers[index].schedule.isFiring else { return }
    if timers[index].frames >= 0 { endFrame(index, at: time, clock) }
    let isMoved = timers[index].frames >= 0 && timers[index].schedule.isMoved
    if timers[index].schedule.enteredAt != nil {
      // The callout moved the timer to a point that has passed in the meantime: that time all belongs to the callout.
      // The points behind it are settled with the callout that answers it, which may move the timer as well.
      if !timers[index].schedule.isDueWhileFiring { settleSkips(index) }
      book(index, until: time, clock)
    }
    if let dropped = timers[index].schedule.end(at: time) { drop(index, dropped, clock) }
    if isMoved { restartFrames(index, atNs: timers[index].schedule.pointNs) }
  }

  /// Counts the point at the moment of the callout's end at once, because the timer may be moved before anything else
  /// happens.
  @inline(never)
  private mutating func drop(_ index: Int, _ pointNs: Int64, _ clock: borrowing LaneClock) {
    let row = classes.rows.address(resolve(index))
    row.pointee.skips.add(1, .ownCallout, column: clock.currentColumn)
    timers[index].missed.add(1, .ownCallout)
    reportSkipped(index, pointNs, .ownCallout, clock.mode)
    schedule(index)
  }

  /// Follows a timer that was created before the recording.
  @inline(never)
  mutating func placeAnonymous(_ object: ObjectID) -> Int? {
    forget(object: object)
    var timer = FollowedTimer(
      object: object, name: .none, site: .none,
      schedule: TimerSchedule(intervalNs: 0, scale: scale, pointNs: 0))
    timer.isKnown = false
    return timers.place(timer)
  }
}
