import TraceFormat

/// Handles the parts that a recording does not contain: lost events, and runs beyond the limit.
extension ThreadReplay {
  /// Notes that events between the last one and `time` were lost. The state in between is not known.
  mutating func noteLoss(until time: Moment, _ timers: inout TimerLedger) {
    endWork(lastTime, &timers)
    clock.beginHole(.unknown, at: lastTime)
    passDue(until: time, &timers)
    clock.endHole(at: time)
    timers.loseFrames(lane: lane, from: lastTime, to: time)
    gap.isUncertain = true
    busy.isUncertain = true
    // The ends of these runs and callouts may be among the lost events.
    unfollowed.runs = 0
    unfollowed.callouts = 0
    books.queues.lose(lane: lane)
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
