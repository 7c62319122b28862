/// Runs that are to serve what is ready, and not to wait.
extension ThreadReplay {
  /// Whoever gives a run no more time than this polls: Foundation makes a time limit of "now" something between none and a
  /// microsecond.
  private static let longestPollNs: UInt64 = 1_000_000

  /// A run that looks at what is ready and returns: `docs/analysis.md` says what follows from it. Without its time limit it
  /// is known by CFRunLoop's rules: one pass that did not wait, though no source kept it from it.
  func isPollRun(_ frame: RowAddress<RunFrame>) -> Bool {
    guard frame.pointee.isExplicit, frame.pointee.passOpen else { return false }
    if let timeout = frame.pointee.timeoutNs { return timeout <= ThreadReplay.longestPollNs }
    return seesCallouts && !frame.pointee.waited && !served.contains(.source0)
      && frame.pointee.passNumber == frame.pointee.passesBefore &+ 1
  }

  /// The run's last pass is under way.
  mutating func endPollRun(_ frame: RowAddress<RunFrame>, _ time: Moment) {
    if !frame.pointee.waited, frame.pointee.passNumber == frame.pointee.passesBefore &+ 1 {
      frame.pointee.cell.pointee.pollRuns &+= 1
    }
    // What follows belongs to the run around it, or to whoever runs the loop again.
    let next = depth > 1 ? frames.address(depth &- 2) : frame
    busy.look(time, next.pointee.mode, next.pointee.cell, books)
  }

  func isEmptyPoll(_ frame: RowAddress<RunFrame>, _ ran: Length) -> Bool {
    served.isEmpty && frame.pointee.isExplicit && ran < emptyPollLimits.longest
  }

  @inline(never)
  mutating func noteEmptyPoll(_ frame: RowAddress<RunFrame>, _ time: Moment) {
    let caller = enclosing > 0 ? callouts[enclosing &- 1].row : -1
    frame.pointee.cell.pointee.emptyPolls.add(
      from: frame.pointee.began, to: time, caller: caller, emptyPollLimits)
  }
}
