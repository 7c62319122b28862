import TraceFormat

/// Timers whose fire date is moved, or that die: by their loop's thread, or by another.
extension TimerLedger {
  mutating func invalidate(object: ObjectID, time: Moment, lane: Int) {
    guard let index = timers.find(object) else { return }
    passUnrunLoop(of: index, until: time)
    guard isElsewhere(index, lane), isDue(index, at: time) else {
      return end(index, at: time, byItself: isOwn(index, lane))
    }
    // Its slot may serve another at once.
    timers.detach(index)
    queue(.end, of: index, at: time)
  }

  mutating func reschedule(object: ObjectID, due: Int64, time: Moment, lane: Int) {
    guard let index = timers.find(object) else { return }
    let pointNs = scale.pointNs(due)
    // A callout has answered the point, and the schedule went on from there.
    if timers[index].isAhead, timers[index].answeredNs == pointNs, !isOwnLoop(index, lane) {
      timers[index].isAhead = false
      return
    }
    passUnrunLoop(of: index, until: time)
    guard isElsewhere(index, lane), isDue(index, at: time) else {
      return move(index, toNs: pointNs, at: time, byItself: isOwn(index, lane))
    }
    queue(.move(toNs: pointNs), of: index, at: time)
  }

  // MARK: Other threads

  /// The timer's loop runs on another thread than `lane`. That thread's time has passed up to its last event only, so
  /// what becomes of the timer now takes its turn among the loop's moments.
  func isElsewhere(_ index: Int, _ lane: Int) -> Bool {
    let loop = timers[index].loop
    guard loop >= 0, timers[index].schedule.enteredAt != nil, loops[loop].lane >= 0 else { return false }
    return loops[loop].lane != lane && loopOfLane[loops[loop].lane] == loop
  }

  /// Whether `lane` runs the timer's loop.
  private func isOwnLoop(_ index: Int, _ lane: Int) -> Bool {
    let loop = timers[index].loop
    return loop >= 0 && loops[loop].lane == lane
  }

  /// Its callout is on the stack of this thread, so whatever happens to it there happens in that.
  private func isOwn(_ index: Int, _ lane: Int) -> Bool {
    let loop = timers[index].loop
    return loop >= 0 && loops[loop].lane == lane && timers[index].schedule.isFiring
  }

  /// Its point in force may have passed, or its callout runs.
  private func isDue(_ index: Int, at time: Moment) -> Bool {
    guard case .scheduled = timers[index].schedule.state else { return true }
    return timers[index].schedule.moment < time
  }

  mutating func queue(_ kind: Occurrence.Kind, of index: Int, at time: Moment) {
    let loop = timers[index].loop
    add(change: Occurrence(time: time, timer: index, version: timers[index].life, kind: kind), to: loop)
  }

  /// What other threads did at the very end of the span.
  mutating func passLastChanges() {
    for loop in loops.indices {
      while let next = loops[loop].popChange() {
        guard next.timer >= 0, isLive(next) else { continue }
        switch next.kind {
        case .move, .end: apply(next.kind, to: next.timer, at: next.time)
        case .due, .tolerance, .add, .remove, .common: break
        }
      }
    }
  }

  // MARK: Now

  mutating func end(_ index: Int, at time: Moment, byItself: Bool = false) {
    settleSkips(index, byItself: byItself)
    withdraw(index, at: time)
    // A timer that dies before it was ever due is one of its class, too.
    if timers[index].loop >= 0 { _ = resolve(index) }
    goes(index, at: time)
    part(index)
    timers.remove(index)
  }

  mutating func move(_ index: Int, toNs point: Int64, at time: Moment, byItself: Bool = false) {
    let isIgnored = timers[index].schedule.ignores(moveToNs: point)
    guard !isIgnored || timers[index].schedule.isMoved else { return }
    // A date that the grid would have come to ends no grid.
    let byItself = byItself && !timers[index].schedule.goesOn(toNs: point)
    withdraw(index, at: time)
    timers[index].schedule.move(toNs: point, byItself: byItself)
    if timers[index].schedule.isFiring, !isIgnored, !byItself {
      // By others: what was skipped by then stays so, even where its own callout moved it before.
      skipsInDoubt[index] = nil
      tellSkips(index)
    }
    schedule(index)
  }

  /// A due point in the past is moved or dies before it fired.
  mutating func withdraw(_ index: Int, at time: Moment) {
    guard timers[index].schedule.isOverdue, !timers[index].isBeforeWindow else {
      // What passed before and in its callout is settled when that ends.
      if !timers[index].schedule.isFiring { settleSkips(index) }
      return
    }
    let row = classes.rows.address(resolve(index))
    row.pointee.withdrawn += 1
    row.pointee.withdrawnIn.add(1, at: timers[index].atDue.column)
    tell(
      index, .withdrawn, due: timers[index].schedule.moment, end: time,
      cause: timers[index].atDue.cause, mode: timers[index].atDue.mode)
    if !timers[index].schedule.isFiring { skipsInDoubt[index] = nil }
  }
}
