import TraceFormat

/// Timers that join and leave modes.
extension TimerLedger {
  mutating func add(
    object: ObjectID, mode: ModeID, loop: LoopID, time: Moment, lane: Int, gap: UInt64,
    clock: borrowing LaneClock
  ) {
    guard let index = timers.find(object) else { return }
    if timers[index].loop < 0, loop != LoopID(.none) {
      timers[index].loop = loopIndex(loop)
      timers[index].firstGap = gap
      loops[timers[index].loop].live += 1
    }
    // Whatever it is added to later, it stays one of its class.
    if timers[index].loop >= 0, timers[index].firstGap != gap { classify(index) }
    change(index, .add(mode), time, lane, clock)
  }

  mutating func remove(
    object: ObjectID, mode: ModeID, time: Moment, lane: Int, gap: UInt64, clock: borrowing LaneClock
  ) {
    guard let index = timers.find(object) else { return }
    if timers[index].loop >= 0, timers[index].firstGap != gap { classify(index) }
    change(index, .remove(mode), time, lane, clock)
  }

  /// A timer's membership changes. What it waited for so far is booked with the membership it had; the clock for that is
  /// the one of its loop's thread. When another thread makes the change, that thread's moment comes with its next event.
  private mutating func change(
    _ index: Int, _ kind: Occurrence.Kind, _ time: Moment, _ lane: Int, _ clock: borrowing LaneClock
  ) {
    let loop = timers[index].loop
    guard !isElsewhere(index, lane) else { return queue(kind, of: index, at: time) }
    if loop >= 0 {
      if loops[loop].lane == lane { book(index, until: time, clock) }
      if loops[loop].lane < 0 { passNotRunning(loop, until: time &+ .unit) }
    }
    apply(kind, to: index, at: time)
  }

  mutating func apply(_ kind: Occurrence.Kind, to index: Int, at time: Moment) {
    // Before it is in no mode. What it is added to at the moment of its first addition is part of its class, also where its
    // first point had passed by then.
    if timers[index].schedule.isOverdue || timers[index].schedule.isFiring,
      timers[index].schedule.enteredAt != time
    {
      classify(index)
    }
    switch kind {
    case .add(let mode):
      if isCommon(mode) {
        timers[index].isCommon = true
        timers[index].joinsCommonModes = false
      } else {
        timers[index].modes.insert(mode)
      }
      enter(index, at: time)
    case .remove(let mode) where isCommon(mode):
      // CFRunLoop takes it out of each common mode, whoever put it there.
      if timers[index].loop >= 0 { timers[index].modes.subtract(loops[timers[index].loop].common) }
      timers[index].isCommon = false
      timers[index].joinsCommonModes = false
      leave(index, at: time)
    case .remove(let mode):
      if timers[index].isCommon, timers[index].loop >= 0, loops[timers[index].loop].common.contains(mode) {
        // It stays in the other common modes.
        timers[index].modes.formUnion(loops[timers[index].loop].common)
        timers[index].isCommon = false
        timers[index].joinsCommonModes = true
      }
      timers[index].modes.remove(mode)
      leave(index, at: time)
    case .move(let pointNs): move(index, toNs: pointNs, at: time)
    case .end: end(index, at: time)
    case .due, .tolerance, .common: break
    }
  }

  /// The thread of a loop ends, and says so itself: its timers leave their modes.
  mutating func endLoop(_ object: LoopID, time: Moment, lane: Int, clock: borrowing LaneClock) {
    guard let loop = loopOfObject[object] else { return }
    if loops[loop].lane < 0 {
      passNotRunning(loop, until: time &+ .unit)
    } else if loops[loop].lane != lane {
      return
    }
    guard budget.use(timers.count) else { return }
    for index in 0..<timers.count where timers[index].loop == loop && timers.isFound(index) {
      classify(index)
      if loops[loop].lane == lane { book(index, until: time, clock) }
      timers[index].modes = ModeSet()
      timers[index].isCommon = false
      timers[index].joinsCommonModes = false
      leave(index, at: time)
    }
  }

  private func isCommon(_ mode: ModeID) -> Bool { mode == commonModesID && mode != .outside }

  /// A mode becomes common: timers that were taken out of others of the common modes are in this one all the same.
  mutating func becomesCommon(_ mode: ModeID, of loop: Int, at time: Moment) {
    guard !loops[loop].common.contains(mode), budget.use(timers.count) else { return }
    loops[loop].common.insert(mode)
    for index in 0..<timers.count
    where timers[index].loop == loop && timers[index].joinsCommonModes && timers.isFound(index) {
      timers[index].modes.insert(mode)
      enter(index, at: time)
    }
  }

  /// It enters a first mode.
  private mutating func enter(_ index: Int, at time: Moment) {
    guard timers[index].schedule.enteredAt == nil, timers[index].loop >= 0 else { return }
    timers[index].schedule.enter(at: time)
    timers[index].cameAt = time
    comes(index)
    schedule(index)
  }

  /// It may have left its last mode: what is overdue is withdrawn.
  private mutating func leave(_ index: Int, at time: Moment) {
    guard timers[index].modes.isEmpty, !timers[index].isCommon, timers[index].schedule.enteredAt != nil
    else { return }
    settleSkips(index)
    withdraw(index, at: time)
    goes(index, at: time)
    timers[index].schedule.leave()
    schedule(index)
  }
}
