/// Threads that wait for file descriptors.
extension ThreadReplay {
  /// Counts the pass that ends with a wait at `time` for each row of callouts that ran in it.
  @inline(never)
  func countPass(_ frame: RowAddress<RunFrame>, _ time: Moment) {
    guard frame.pointee.passOpen, busy.isKnown else { return }
    books.callouts.add(pass: frame.pointee.passLength(until: time), busy.tally)
  }

  /// Ends the run of an event loop at its Exit. The recorder may notice late that a thread left its loop, and a thread
  /// may do other things before it ends. So the run ends where its last pass began, and the time since then belongs to no
  /// pass, gap or busy interval.
  @inline(never)
  mutating func leaveEventLoop(_ time: Moment) {
    let frame = frames.address(depth &- 1)
    let left = frame.pointee.phaseStart
    lastWake.isUnanswered = false
    frame.pointee.passOpen = false
    gap.isKnown = false
    let hasCallouts = busy.tally.count > 0 || isInCallout
    busy.leave(left, books)
    // Callouts stay inside the run that is shown.
    leaveRun(left, now: time, shownEnd: hasCallouts ? time : nil)
  }
}
