import TraceFormat

/// The classes that timers count in, and the bounds of the analyzed span.
extension TimerLedger {
  // MARK: Classes

  /// Returns the timer's class and counts the timer in it. The class has the modes that the timer was created with.
  @inline(__always)
  mutating func resolve(_ index: Int) -> Int {
    timers[index].isCounted ? timers[index].classIndex : resolveAnew(index)
  }

  mutating func classify(_ index: Int) {
    guard timers[index].classIndex < 0 else { return }
    let timer = timers[index]
    let (modes, isCommon) = timer.membership.stated(common: common(index))
    timers[index].classIndex = classes.index(
      TimerClassKey(
        site: timer.site, name: timer.site == .none ? timer.name : .none,
        anonymousObject: timer.isKnown ? .none : timer.object,
        intervalNs: UInt64(timer.schedule.intervalNs), modes: modes, isCommon: isCommon,
        loop: timer.loop
      ),
      name: timer.name)
    let row = classes.rows.address(timers[index].classIndex)
    row.pointee.toleranceNs = max(row.pointee.toleranceNs, timer.toleranceNs)
    if let skipped = skipsInDoubt[index] { row.pointee.skips.add(skipped) }
  }

  /// Classifies a timer that was overdue when its loop last ran: modes that are added later are changes.
  @inline(never)
  mutating func classifyOverdue(_ index: Int, loopRanAt last: Moment) {
    if timers[index].schedule.isOverdue, timers[index].cameAt < last { classify(index) }
  }

  @inline(never)
  mutating func resolveAnew(_ index: Int) -> Int {
    classify(index)
    timers[index].isCounted = true
    classes.rows[timers[index].classIndex].objects += 1
    classes.rows[timers[index].classIndex].manual += timers[index].manualBefore
    timers[index].manualBefore = 0
    appears(index)
    return timers[index].classIndex
  }

  /// Counts a timer that fired outside any run and was never added to a loop.
  mutating func resolveManual(_ index: Int) {
    if timers[index].manualBefore > 0 { _ = resolve(index) }
  }

  // MARK: Live timers

  /// Counts the timer as live, if its class counts it and it is in a mode.
  mutating func appears(_ index: Int) {
    guard timers[index].isCounted, !timers[index].isLive, timers[index].cameAt != .never else { return }
    timers[index].isLive = true
    classes.rows[timers[index].classIndex].lives.appears(timers[index].cameAt, lifeSpan)
  }

  /// Counts the timer as gone from its last mode. `time` is nil if not known: the timer then counts as if it had
  /// never come.
  mutating func disappears(_ index: Int, at time: Moment?) {
    if timers[index].isLive {
      classes.rows[timers[index].classIndex].lives.disappears(time ?? timers[index].cameAt, lifeSpan)
    }
    timers[index].isLive = false
    timers[index].cameAt = .never
  }

  // MARK: The window

  /// Forgets what was counted. Points that are overdue now belong to the time before.
  mutating func beginWindow(_ time: Moment) {
    passUnrunLoops(until: time)
    spanStart = time
    classes.reset()
    frames.beginWindow(time, ns: scale.ns(time))
    skipsInDoubt = [:]
    heldSkips = [:]
    heldFrameTimes = [:]
    for index in 0..<timers.count {
      timers[index].isCounted = false
      timers[index].isLive = false
      timers[index].manualBefore = 0
      timers[index].tallies = 0
      timers[index].missed = MissedInARow()
      if timers[index].schedule.isOverdue { timers[index].isBeforeWindow = true }
    }
  }

  /// Books what is overdue at the end, and lets the points of loops that never ran pass.
  mutating func finish(end: Moment) {
    passUnrunLoops(until: end)
    passLastChanges()
    for index in 0..<timers.count where timers.isFound(index) { resolveManual(index) }
    for index in 0..<timers.count where timers[index].loop >= 0 && timers.isFound(index) {
      settleSkips(index)
      endStretches(index)
      let row = classes.rows.address(resolve(index))
      guard timers[index].schedule.isOverdue, !timers[index].isBeforeWindow, !isInDoubt(index) else {
        reportSkips(index)
        continue
      }
      report(
        index, .pending, due: timers[index].schedule.moment, end: end,
        cause: timers[index].atDue.cause, mode: timers[index].atDue.mode)
      row.pointee.pending += 1
      row.pointee.pendingIn.add(1, at: timers[index].atDue.column)
      let overdue = end.since(timers[index].schedule.moment)
      row.pointee.longestPending = max(row.pointee.longestPending, overdue)
    }
    finishFrames(end)
  }
}
