import TraceFacts

/// The stack of runs. Its code is kept apart, because runs are rare compared to passes and callouts.
extension ThreadReplay {
  @inline(never)
  mutating func push(_ stamp: Stamp, isExplicit: Bool, isSeen: Bool, timeoutNs: UInt64? = nil) {
    let time = stamp.time
    guard depth < AnalysisLimits.nesting else {
      unfollowed.runs += 1
      unfollowed.allRuns &+= 1
      return
    }
    if depth == frames.capacity { frames.widen(to: 2 * frames.capacity) }
    if depth > 0 {
      let outer = frames.address(depth - 1)
      endPhase(outer, time)
      outer.pointee.observing = observing
      outer.pointee.lastWake = lastWake
      outer.pointee.noteLastPass()
    }
    lastWake.isUnanswered = false
    let isOfEventLoop = books.objects.kind(of: stamp.loop).isEventLoop
    // Each pass counts for each of its callouts.
    if isOfEventLoop, !books.callouts.passes.isMissing { batches.areUsed = false }
    if depth == 0 {
      if outermost.began == nil { outermost.began = time }
      outermost.ended = nil
      busy.following.isOn = isOfEventLoop
    }
    clock.change(to: stamp.mode, at: time)
    observing.isUnderWay = false
    let cell = books.modes.cell(lane: lane, loop: stamp.loop, mode: stamp.mode)
    // A run that was active when the recording began is not counted as begun.
    if isExplicit {
      cell.pointee.runs &+= 1
      if depth > 0 { cell.pointee.nestedRuns &+= 1 }
    }
    if facts.wantsBegins {
      report(.run(loop: stamp.loop.object.rawValue, depth: depth), stamp.mode, time)
    }
    frames[depth] = RunFrame(
      cell: cell, loop: stamp.loop, mode: stamp.mode, isExplicit: isExplicit, isOfEventLoop: isOfEventLoop,
      phaseStart: time, entered: time, began: time, waitedBefore: cell.pointee.phases.length(Phase.waiting),
      isSeen: isSeen, enclosingCallouts: callouts.count, timeoutNs: timeoutNs, passesBefore: passCount,
      servedAround: served)
    served = Served()
    depth += 1
    callouts.enclosing = callouts.count
    turn(time)
  }

  /// Begins or continues the busy interval when the outermost run begins.
  mutating func goOnBusy(_ stamp: Stamp) {
    if busy.isKnown {
      guard outermost.isUnfinished else { return busy.resume(stamp.time) }
      busy.end(busy.lastExit, books)
    }
    busy.begin(stamp.time, stamp.mode, frames[0].cell, afterWait: false)
  }

  /// Ends the innermost run. Its time becomes nested time of the outer pass. `now` is the time of the event, if the run
  /// ended before it, and `shownEnd` the end that the sink receives.
  @inline(never)
  mutating func leaveRun(
    _ time: Moment, isOpen: Bool = false, now: Moment? = nil, shownEnd: Moment? = nil
  ) {
    let now = now ?? time
    let frame = frames.address(depth - 1)
    if isOpen, observing.isUnderWay {
      frame.pointee.cell.pointee.observers.add(
        time &- frame.pointee.observersSince, at: frame.pointee.phase)
    }
    endPhase(frame, time)
    frame.pointee.phaseStart = time
    frame.pointee.passOpen = false
    endPass(frame, time)
    frame.pointee.noteLastPass()
    let ran = time &- frame.pointee.entered
    let fact = RunFact(
      thread: thread.rawValue, loop: frame.pointee.loop.object.rawValue, mode: frame.pointee.mode.rawValue,
      depth: depth - 1, start: frame.pointee.began.rawValue,
      end: (shownEnd ?? time).rawValue, isOpen: isOpen)
    facts.sink?.report { $0.run(fact) }
    if isEmptyPoll(frame, ran) { noteEmptyPoll(frame, time) }
    // A callout that runs the loop serves what that run serves.
    served = frame.pointee.servedAround.union(served.intersection(.anything))
    let starter = callouts.enclosing
    depth -= 1
    callouts.enclosing = depth > 0 ? frames[depth - 1].enclosingCallouts : 0
    observing.isUnderWay = false
    clock.change(to: depth > 0 ? frames[depth - 1].mode : .outside, at: now)
    gap.resume(now)
    if depth > 0 {
      let outer = frames.address(depth - 1)
      outer.pointee.phaseStart = time
      outer.pointee.nested &+= ran
      // Passes of runs that observers of Entry started are not passes of this run.
      if outer.pointee.passNumber == 0 { outer.pointee.passesBefore = passCount }
      lastWake = outer.pointee.lastWake
      // If an observer started the run, it continues now.
      observing = outer.pointee.observing
      if observing.isUnderWay { gap.beginObserving(time) }
      outer.pointee.observersSince &+= ran
      if outer.pointee.phase == Phase.outside.rawValue { clock.beginHole(.unknown, at: now) }
    } else {
      busy.lastExit = time
      outermost.ended = time
      outermost.isUnfinished = mayMissEnds
    }
    // Only a callout of the next outer run gets the time. Runs further out count it as part of the run inside them.
    if starter > callouts.enclosing {
      callouts[starter - 1].add(nested: ran, in: frame.pointee.mode)
      if callouts[starter - 1].kind == .workBegin {
        books.queues.noteLoopWait(
          callouts[starter - 1].object, lane: lane, frame.pointee.loopWait(lane: lane))
      }
    }
    turn(now)
  }

  /// Finds or makes the frame for an activity that does not fit the innermost run: the recording began inside a run,
  /// an Entry was lost, or the mode was not observed yet.
  @inline(never)
  mutating func findFrame(_ stamp: Stamp, _ timers: inout TimerLedger) -> RowAddress<RunFrame> {
    let time = stamp.time
    var match = depth - 1
    while match >= 0, !frames[match].isOf(stamp) { match -= 1 }
    if match >= 0 {
      // The Exits of inner runs were lost.
      while depth - 1 > match { leaveRun(time) }
      endLoss(time)
    } else {
      if depth > 0, !frames[depth - 1].isExplicit || depth == AnalysisLimits.nesting { leaveRun(time) }
      endLoss(time)
      // These steps are the same as for an Entry.
      if isInCallout || observing.isUnderWay { shareOpen(time) }
      if depth == 0 { timers.seen(loop: stamp.loop, lane: lane, time: time, clock: clock) }
      push(stamp, isExplicit: false, isSeen: timers.isCommon(stamp.mode, loop: stamp.loop))
      if depth == 1 { goOnBusy(stamp) }
    }
    return frames.address(depth - 1)
  }
}
