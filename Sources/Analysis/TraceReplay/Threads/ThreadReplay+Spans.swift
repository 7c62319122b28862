/// Effects on a thread from outside: a suspension, and the bounds of the analyzed span.
extension ThreadReplay {
  // MARK: Suspension

  /// Handles a suspension from `from` to `to`, with no event in between. Everything in progress continues as if it
  /// had begun later by the length of the suspension.
  mutating func suspend(from: Moment, to: Moment, _ timers: inout TimerLedger) {
    // In a damaged trace, a thread marked as the recorder's may have events in the suspension.
    let from = max(from, lastTime)
    guard from < to else { return }
    books.budget.use(depth &+ callouts.count)
    passDue(until: from, &timers)
    let isLost = endLoss(from)
    clock.beginHole(.suspended, at: from)
    passDue(until: to, &timers)
    clock.endHole(at: to)
    if isLost { clock.beginHole(.unknown, at: to) }
    let length = to &- from
    if depth > 0, facts.sink != nil {
      reportPhase(frames.address(depth &- 1), from)
      facts.sentUntil = to
    }
    for i in 0..<depth {
      frames[i].entered &+= length
      frames[i].phaseStart &+= length
      frames[i].observersSince &+= length
      frames[i].lastWake.time &+= length
      frames[i].suspended &+= length
    }
    if depth > 0 { frames[depth - 1].cell.pointee.suspended &+= length }
    for i in 0..<callouts.count {
      callouts[i].begin &+= length
      callouts[i].suspended &+= length
    }
    lastWake.time &+= length
    gap.suspend(length)
    blind.suspend(length)
    busy.suspend(from: from, to: to, isInRun: depth > 0)
    if let end = outermost.ended { outermost.ended = end &+ length }
    // If a later loss makes the time up to it unknown, that time begins after the suspension.
    lastTime = max(lastTime, to)
  }

  /// Marks what is in progress as uncertain. The recorder itself was late, so the process may not have run.
  mutating func noteUncertainty() {
    gap.isUncertain = true
    busy.isUncertain = true
  }

  // MARK: The window

  /// Forgets what was counted before `time` and keeps the state. Spans that are open at `time` are not counted. With
  /// `countsOpen`, the innermost pass and the busy interval are.
  mutating func beginWindow(_ time: Moment, countsOpen: Bool) {
    // It is not known whether an open run served anything before the window, so it does not count as an empty poll.
    if depth > 0 { served.formUnion([.anything, .source0]) }
    for i in 0..<depth {
      frames[i].servedAround.formUnion([.anything, .source0])
      let isInnermost = i == depth - 1
      frames[i].passOpen = countsOpen && isInnermost && frames[i].passOpen
      if frames[i].passOpen { frames[i].leavePausesOut(until: time) }
      frames[i].phases = SIMD8()
      frames[i].nested = .zero
      frames[i].suspended = .zero
      frames[i].entered = max(frames[i].entered, time)
      frames[i].began = max(frames[i].began, time)
      frames[i].waitedBefore = .zero
      if isInnermost { frames[i].phaseStart = max(frames[i].phaseStart, time) }
      frames[i].observersSince = max(frames[i].observersSince, time)
      frames[i].lastWake.isUnanswered = false
    }
    for i in 0..<callouts.count {
      callouts[i].begin = max(callouts[i].begin, time)
      callouts[i].suspended = .zero
      callouts[i].nested = .zero
      callouts[i].inner = .zero
      callouts[i].innerInGap = .zero
    }
    gap.isKnown = false
    blind.forget()
    busy.beginWindow(time, isInRun: depth > 0, countsOpen: countsOpen)
    outermost.began = depth > 0 ? time : nil
    outermost.ended = outermost.ended.map { max($0, time) }
    runCalls.beginWindow()
    lastWake.isUnanswered = false
    clock.reset(at: time)
    lastTime = max(lastTime, time)
    unused.lost = 0
    unused.lostToFullDisk = 0
    unused.unknown = 0
    unfollowed.allRuns = 0
    unfollowed.allCallouts = 0
  }

  /// Returns what is open at the end of the span.
  func end() -> ThreadEnd {
    ThreadEnd(
      runs: (0..<depth).map { place in
        let frame = frames[place]
        return ThreadEnd.Run(
          loop: frame.loop, mode: frame.mode, isWaiting: frame.phase == Phase.waiting.rawValue,
          passStart: frame.passStart, enclosing: frame.enclosingCallouts)
      },
      callouts: (0..<callouts.count).map { place in
        let open = callouts[place]
        return (open.kind, open.object, open.begin &- open.suspended)
      }, lastExit: outermost.ended)
  }

  /// Ends and books everything that is still open at the end of the span.
  mutating func finish(_ end: Moment, _ timers: inout TimerLedger) {
    let time = max(end, lastTime)
    let isInRun = depth > 0
    leaveUnknownRuns(time)
    stopGap(time, isOpen: true)
    busy.finish(time, isInRun: depth > 0, books)
    closeAll(time, isOpen: true, &timers)
    if isInRun { outermost.ended = nil }
    clock.change(to: .outside, at: time)
  }
}
