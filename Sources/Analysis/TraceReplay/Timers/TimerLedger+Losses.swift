import TraceFormat

/// Losses of events. Lost events may have fired, moved or ended any timer, whatever thread lost them.
///
/// Due points pass as before, but a schedule is in doubt until a callout shows its point. If that is the point in
/// force, the schedule was right. Otherwise the points since the last certain one are taken back. They are also taken
/// back if the timer is moved or ends first, or at the end of the span. So the numbers are lower bounds.
extension TimerLedger {
  /// Returns whether lost events may have changed the timer since its last callout.
  @inline(__always)
  func isInDoubt(_ index: Int) -> Bool { timers[index].losses != losses }

  /// Notes that events of a thread were lost.
  mutating func lose(lane: Int, from: Moment, to: Moment) {
    passUnrunLoops(until: from)
    loseFrames(lane: lane, from: from, to: to)
    losses &+= 1
    announced[lane] = Announcement()
  }

  /// Ends a timer's callout where events of its thread were lost. Call it after `lose`.
  mutating func breakOff(_ object: ObjectID, at time: Moment) {
    guard let index = timers.find(object), timers[index].schedule.isFiring else { return }
    settleSkips(index)
    _ = timers[index].schedule.end(at: time)
    schedule(index)
  }

  /// Handles the first callout after a loss, if it answers another point than the one in force. How many points were
  /// missed before it is not known.
  mutating func beginAfterLoss(_ index: Int, _ dueNs: Int64, _ time: Moment) {
    settleSkips(index)
    timers[index].isBeforeWindow = false
    timers[index].schedule.replace(pointNs: dueNs, keepsGrid: false)
    // The grid continues after the callout's begin, without the points that passed before it.
    _ = timers[index].schedule.pass(time, until: time)
  }
}
