import TraceFormat

/// Timers that end or whose fire date is moved, either by their loop's thread or by another thread.
extension TimerLedger {
  mutating func invalidate(object: ObjectID, time: Moment, lane: Int) {
    guard let index = timers.find(object) else { return }
    passUnrunLoop(of: index, until: time)
    guard waits(index, lane, until: time) else {
      return end(index, at: time, byItself: isOwn(index, lane))
    }
    // Its slot may be reused at once.
    timers.detach(index)
    queue(.end, of: index, at: time)
  }

  mutating func reschedule(object: ObjectID, due: Int64, time: Moment, lane: Int) {
    guard let index = timers.find(object) else { return }
    let pointNs = scale.pointNs(due)
    // A callout has answered the point already, and the schedule went on from there.
    if timers[index].isAhead, timers[index].answeredNs == pointNs, !isOwnLoop(index, lane) {
      timers[index].isAhead = false
      return
    }
    passUnrunLoop(of: index, until: time)
    guard waits(index, lane, until: time) else {
      return move(index, toNs: pointNs, at: time, byItself: isOwn(index, lane))
    }
    queue(.move(toNs: pointNs), of: index, at: time)
  }

  // MARK: Changes by other threads

  /// Returns whether a change to the timer by `lane` is queued until the thread of the timer's loop reaches it.
  ///
  /// That thread has been replayed only up to its last event. If a point has passed before `end`, or if an earlier
  /// change of the common modes is queued, the timer's state at the time of the change is not known yet. Otherwise the
  /// state cannot differ, and the change applies at once. So a queued change comes after all earlier ones.
  func waits(_ index: Int, _ lane: Int, until end: Moment) -> Bool {
    let loop = timers[index].loop
    guard loop >= 0, loops[loop].lane >= 0, loops[loop].lane != lane, loopOfLane[loops[loop].lane] == loop
    else { return false }
    if timers[index].membership.isCommonItem, loops[loop].hasQueuedCommonMode { return true }
    return timers[index].schedule.enteredAt != nil && isDue(index, at: end)
  }

  /// Returns whether `lane` runs the timer's loop.
  private func isOwnLoop(_ index: Int, _ lane: Int) -> Bool {
    let loop = timers[index].loop
    return loop >= 0 && loops[loop].lane == lane
  }

  /// Returns whether the change comes from the timer's own callout, which is open on this thread.
  private func isOwn(_ index: Int, _ lane: Int) -> Bool {
    isOwnLoop(index, lane) && timers[index].schedule.isFiring
  }

  /// Returns whether the point in force may have passed or the timer's callout is running.
  private func isDue(_ index: Int, at time: Moment) -> Bool {
    guard case .scheduled = timers[index].schedule.state else { return true }
    return timers[index].schedule.moment < time
  }

  mutating func queue(_ kind: Occurrence.Kind, of index: Int, at time: Moment) {
    let loop = timers[index].loop
    add(change: Occurrence(time: time, timer: index, version: timers[index].life, kind: kind), to: loop)
  }

  /// Applies what other threads did at the very end of the span.
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

  // MARK: Immediate changes

  mutating func end(_ index: Int, at time: Moment, byItself: Bool = false) {
    settleSkips(index, byItself: byItself)
    withdraw(index, at: time)
    // A timer that ends before it was ever due also counts in its class.
    if timers[index].loop >= 0 { _ = resolve(index) } else { resolveManual(index) }
    endStretches(index)
    if timers[index].frames >= 0 { releaseFrames(index, at: time) }
    disappears(index, at: time)
    detach(index)
    timers.remove(index)
  }

  mutating func move(_ index: Int, toNs point: Int64, at time: Moment, byItself: Bool = false) {
    let isIgnored = timers[index].schedule.ignores(moveToNs: point)
    guard !isIgnored || timers[index].schedule.isMoved else { return }
    // A date that the grid would have reached does not end the grid.
    let byItself = byItself && !timers[index].schedule.continues(toNs: point)
    if timers[index].frames >= 0, !timers[index].schedule.isFiring {
      moveFrames(index, toNs: point, at: time)
    }
    withdraw(index, at: time)
    timers[index].schedule.move(toNs: point, byItself: byItself)
    if timers[index].schedule.isFiring, !isIgnored, !byItself {
      // Another thread moved the timer. Points that were skipped before then stay skipped, even if the timer's own
      // callout had moved it earlier.
      skipsInDoubt[index] = nil
      reportSkips(index)
    }
    schedule(index)
  }

  /// Withdraws an overdue point that was moved, or whose timer ended, before it fired.
  mutating func withdraw(_ index: Int, at time: Moment) {
    guard timers[index].schedule.isOverdue, !timers[index].isBeforeWindow, !isInDoubt(index) else {
      // Points that passed before and in its callout are settled at the callout's end.
      if !timers[index].schedule.isFiring { settleSkips(index) }
      return
    }
    let row = classes.rows.address(resolve(index))
    row.pointee.withdrawn += 1
    endStretch(index, isPast: true)
    row.pointee.withdrawnIn.add(1, at: timers[index].atDue.column)
    report(
      index, .withdrawn, due: timers[index].schedule.moment, end: time,
      cause: timers[index].atDue.cause, mode: timers[index].atDue.mode)
    skipsInDoubt[index] = nil
  }
}
