import TraceFormat

/// Timers that enter and leave modes.
extension TimerLedger {
  mutating func add(
    object: ObjectID, mode: ModeID, loop: LoopID, time: Moment, lane: Int, gap: UInt64,
    clock: borrowing LaneClock
  ) {
    guard var index = timers.find(object) else { return }
    if loop != LoopID(.none) {
      let joined = loopIndex(loop)
      if timers[index].loop >= 0, timers[index].loop != joined {
        guard let moved = moveToLoop(index, at: time, lane) else { return }
        index = moved
      }
      if timers[index].loop < 0 {
        join(index, joined)
        timers[index].firstGap = gap
      }
    }
    // Modes that the timer is added to later do not change its class.
    if timers[index].loop >= 0, timers[index].firstGap != gap { classify(index) }
    change(index, .add(mode), time, lane, clock)
  }

  /// Moves a timer that is added to a loop other than its own. CoreFoundation ignores that while the timer is in a
  /// mode of its loop; the function then returns nil. Otherwise a new timer of the new loop replaces it, because the
  /// new loop has another clock.
  private mutating func moveToLoop(_ index: Int, at time: Moment, _ lane: Int) -> Int? {
    let old = timers[index].loop
    let mayHaveLeft = timers[index].schedule.enteredAt == nil || loops[old].mayStillRemove(index)
    guard mayHaveLeft, budget.use(loops[old].waitingChanges) else { return nil }
    var moved = FollowedTimer(
      object: timers[index].object, name: timers[index].name, site: timers[index].site,
      toleranceNs: timers[index].toleranceNs,
      schedule: TimerSchedule(
        intervalNs: timers[index].schedule.intervalNs, scale: scale, pointNs: timers[index].schedule.pointNs))
    moved.isKnown = timers[index].isKnown
    moved.losses = timers[index].losses
    let isDeclared = timers[index].frames >= 0 && frames.chains[timers[index].frames].isDeclared
    if waits(index, lane, until: time) {
      timers.detach(index)
      queue(.end, of: index, at: time)
    } else {
      end(index, at: time)
    }
    guard let place = timers.place(moved) else { return nil }
    followFrames(place, isDeclared: isDeclared)
    return place
  }

  mutating func remove(
    object: ObjectID, mode: ModeID, time: Moment, lane: Int, gap: UInt64, clock: borrowing LaneClock
  ) {
    guard let index = timers.find(object) else { return }
    if timers[index].loop >= 0, timers[index].firstGap != gap { classify(index) }
    change(index, .remove(mode), time, lane, clock)
  }

  /// Changes a timer's modes. Books the lateness so far with the old modes, by the clock of the loop's thread. A
  /// change by another thread comes after a point that is due at the same time.
  private mutating func change(
    _ index: Int, _ kind: Occurrence.Kind, _ time: Moment, _ lane: Int, _ clock: borrowing LaneClock
  ) {
    let loop = timers[index].loop
    guard !waits(index, lane, until: time &+ .unit) else { return queue(kind, of: index, at: time) }
    if loop >= 0 {
      if loops[loop].lane == lane { book(index, until: time, clock) }
      if loops[loop].lane < 0 { passNotRunning(loop, until: time &+ .unit) }
    }
    apply(kind, to: index, at: time)
  }

  mutating func apply(_ kind: Occurrence.Kind, to index: Int, at time: Moment) {
    // A callout that has begun shows that the loop has used the modes so far.
    if timers[index].schedule.isFiring { classify(index) }
    switch kind {
    case .add(let mode):
      timers[index].membership.add(mode, isCommonModes: isCommon(mode))
      enter(index, at: time)
    case .remove(let mode):
      timers[index].membership.remove(mode, isCommonModes: isCommon(mode), common: common(index))
      leave(index, at: time)
    case .move(let pointNs): move(index, toNs: pointNs, at: time)
    case .end: end(index, at: time)
    case .due, .tolerance, .common: break
    }
  }

  /// Ends a loop when its own thread reports the end: the loop's timers leave their modes.
  mutating func endLoop(_ object: LoopID, time: Moment, lane: Int, clock: borrowing LaneClock) {
    guard let loop = loopOfObject[object] else { return }
    if loops[loop].lane < 0 {
      passNotRunning(loop, until: time &+ .unit)
    } else if loops[loop].lane != lane {
      return
    }
    guard budget.use((WorkBudget.Cost.timer + WorkBudget.Cost.booking) * loops[loop].live) else { return }
    var next = loops[loop].first
    while next >= 0 {
      let index = next
      next = timers[index].nextOfLoop
      guard timers.isFound(index) else { continue }
      classify(index)
      if loops[loop].lane == lane { book(index, until: time, clock) }
      timers[index].membership = ModeMembership()
      leave(index, at: time)
    }
  }

  private func isCommon(_ mode: ModeID) -> Bool { mode == commonModesID && mode != .outside }

  /// Returns the common modes of a timer's loop.
  func common(_ index: Int) -> ModeSet {
    timers[index].loop >= 0 ? loops[timers[index].loop].common : ModeSet()
  }

  mutating func addCommonMode(
    loop: LoopID, mode: ModeID, time: Moment, lane: Int, clock: borrowing LaneClock
  ) {
    let index = loopIndex(loop)
    guard loops[index].lane >= 0, loops[index].lane != lane else {
      if loops[index].lane == lane { bookCommon(mode, of: index, until: time, clock) }
      becomesCommon(mode, of: index, at: time)
      return
    }
    add(change: Occurrence(time: time, timer: -1, version: 0, kind: .common(mode)), to: index)
  }

  /// Books the lateness of overdue common items up to `time`, before `mode` becomes common and contains them.
  mutating func bookCommon(
    _ mode: ModeID, of loop: Int, until time: Moment, _ clock: borrowing LaneClock
  ) {
    guard !loops[loop].common.contains(mode), budget.use(WorkBudget.Cost.timer * loops[loop].live) else {
      return
    }
    var index = loops[loop].first
    while index >= 0 {
      if timers[index].membership.isCommonItem, timers[index].schedule.isOverdue {
        guard budget.use(WorkBudget.Cost.booking) else { return }
        book(index, until: time, clock)
      }
      index = timers[index].nextOfLoop
    }
  }

  /// Makes a mode common. The common items enter it, also those whose end is queued: it comes later.
  mutating func becomesCommon(_ mode: ModeID, of loop: Int, at time: Moment) {
    guard !loops[loop].common.contains(mode), budget.use(WorkBudget.Cost.timer * loops[loop].live) else {
      return
    }
    loops[loop].common.insert(mode)
    var index = loops[loop].first
    while index >= 0 {
      if timers[index].membership.isCommonItem { enter(index, at: time) }
      index = timers[index].nextOfLoop
    }
  }

  /// Notes that the timer enters its first mode.
  private mutating func enter(_ index: Int, at time: Moment) {
    guard timers[index].schedule.enteredAt == nil, timers[index].loop >= 0,
      timers[index].membership.isInAnyMode(common: common(index))
    else { return }
    timers[index].schedule.enter(at: time)
    timers[index].cameAt = time
    appears(index)
    schedule(index)
  }

  /// Notes that the timer may have left its last mode. An overdue point is then withdrawn.
  private mutating func leave(_ index: Int, at time: Moment) {
    guard timers[index].schedule.enteredAt != nil,
      !timers[index].membership.isInAnyMode(common: common(index))
    else { return }
    settleSkips(index)
    withdraw(index, at: time)
    if timers[index].frames >= 0 { endFrames(index, at: time) }
    disappears(index, at: time)
    timers[index].schedule.leave()
    schedule(index)
  }
}
