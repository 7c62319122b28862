import TraceFacts
import TraceFormat

/// Handles the parts that a recording does not contain: lost events, and runs beyond the limit.
extension ThreadReplay {
  /// Notes that `count` events between `from` and `time` were lost.
  ///
  /// Everything that is open ends at `from`, because its end may be among the lost events. So lengths are lower bounds.
  /// The state is unknown up to the next activity. The runs are assumed to continue until an activity shows otherwise,
  /// so that the callouts before it have a run.
  mutating func noteLoss(from: Moment, until time: Moment, count: UInt64, _ timers: inout TimerLedger) {
    // In a damaged trace, a missing block may claim any times.
    let from = max(min(from, time), lastTime)
    books.budget.use(WorkBudget.Cost.run &* depth &+ callouts.count)
    passDue(until: from, &timers)
    let loss = LossFact(thread: thread.rawValue, start: from.rawValue, end: time.rawValue, count: count)
    facts.sink?.report { $0.loss(loss) }
    timers.lose(lane: lane, from: from, to: time)
    for place in 0..<callouts.count where callouts[place].kind == .timerBegin {
      timers.breakOff(callouts[place].object, at: from)
    }
    var runs: [(stamp: Stamp, isSeen: Bool)] = []
    for place in 0..<depth {
      let frame = frames[place]
      runs.append((Stamp(time: from, mode: frame.mode, loop: frame.loop), frame.isSeen))
    }
    leaveUnknownRuns(from)
    lastTime = from
    gap.isUncertain = true
    stopGap(from, isOpen: false)
    gap.isKnown = false
    busy.lose(from, isInRun: depth > 0, books)
    // The runs may have served something.
    served.formUnion(.anything)
    closeAll(from, isOpen: false, &timers)
    for run in runs {
      push(run.stamp, isExplicit: false, isSeen: run.isSeen)
      frames[depth - 1].phase = Phase.outside.rawValue
    }
    turn(from)
    clock.beginHole(.unknown, at: from)
    clock.mayMissRuns = true
    outermost.lose(from)
    lastWake.isUnanswered = false
    unfollowed.runs = 0
    unfollowed.callouts = 0
    sequence.forget()
    runCalls.forgetOpen()
    books.sources.lose(until: time)
    books.queues.lose(lane: lane, until: time)
  }

  /// Ends the time in which the state is unknown, and leaves the innermost runs that may be over, unless a callout or
  /// observer of them goes on. They count up to the last event.
  @inline(never)
  mutating func leaveUnknownRuns(_ now: Moment) {
    while true {
      endLoss(now)
      guard depth > 0, frames[depth - 1].phase == Phase.outside.rawValue, !isInCallout, !observing.isUnderWay
      else {
        return
      }
      leaveRun(lastTime, now: now)
    }
  }

  /// Ends the time in which the state is unknown, if there is one. Returns whether there was one. The time ends with the
  /// next activity. If that is one of a run without earlier activities since the loss, it goes through `follow`.
  @discardableResult
  mutating func endLoss(_ time: Moment) -> Bool {
    guard clock.hole != nil else { return false }
    clock.endHole(at: time)
    return true
  }

  /// Handles an activity while a run is open beyond the limit. Returns false for other events.
  @inline(never)
  mutating func passUnfollowed(_ kind: EventKind) -> Bool {
    guard case .activity(let activity, let isHigh) = EventTable.role(of: kind.rawValue) else { return false }
    if activity == .entry, !isHigh {
      unfollowed.runs &+= 1
      unfollowed.allRuns &+= 1
    } else if activity == .exit, isHigh == hasHigh {
      unfollowed.runs &-= 1
    }
    return true
  }
}
