import RunLoopVocabulary
import TraceFormat

/// What a recording does not say: lost events, and runs beyond the limit.
extension ThreadReplay {
  /// Events between the one before and now were dropped: nobody knows what held meanwhile.
  mutating func noteLoss(until time: Moment, _ timers: inout TimerLedger) {
    clock.beginHole(.unknown, at: lastTime)
    passDue(until: time, &timers)
    clock.endHole(at: time)
    gap.isUncertain = true
    busy.isUncertain = true
    // Their ends may be among what was lost.
    unfollowedDepth = 0
    unfollowedCallouts = 0
  }

  /// An activity of a run beyond the limit: true, and nothing else comes of it.
  @inline(never)
  mutating func passUnfollowed(_ kind: EventKind) -> Bool {
    guard case .activity(let activity, let isHigh) = EventTable.role(of: kind.rawValue) else { return false }
    if activity == .entry, !isHigh {
      unfollowedDepth &+= 1
      unfollowedRunCount &+= 1
    } else if activity == .exit, isHigh == hasHigh {
      unfollowedDepth &-= 1
    }
    return true
  }
}
