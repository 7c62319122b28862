/// Runs that serve what is ready and do not wait.
extension ThreadReplay {
  /// A run with a shorter time limit polls. Foundation turns a limit of "now" into one between zero and a
  /// microsecond.
  private static let longestPollNs: UInt64 = 1_000_000

  /// Returns whether a run only serves what is ready; `docs/reference/numbers.md` describes the consequences. Without a
  /// recorded time limit, CFRunLoop's rules decide: the run had one pass that did not wait, although it served no
  /// source0.
  func isPollRun(_ frame: RowAddress<RunFrame>) -> Bool {
    guard frame.pointee.isExplicit, frame.pointee.passOpen else { return false }
    if let timeout = frame.pointee.timeoutNs { return timeout <= ThreadReplay.longestPollNs }
    return seesCallouts && !frame.pointee.waited && !served.contains(.source0)
      && frame.pointee.passNumber == frame.pointee.passesBefore &+ 1
  }

  /// Ends a poll run, whose last pass is still open.
  mutating func endPollRun(_ frame: RowAddress<RunFrame>, _ time: Moment) {
    if !frame.pointee.waited, frame.pointee.passNumber == frame.pointee.passesBefore &+ 1 {
      frame.pointee.cell.pointee.pollRuns &+= 1
    }
    // The following time belongs to the surrounding run, or to the code that runs the loop again.
    let next = depth > 1 ? frames.address(depth &- 2) : frame
    busy.look(time, next.pointee.mode, next.pointee.cell, books)
  }

  func isEmptyPoll(_ frame: RowAddress<RunFrame>, _ ran: Length) -> Bool {
    served.isEmpty && frame.pointee.isExplicit && ran < emptyPollLimits.longest
  }

  @inline(never)
  mutating func noteEmptyPoll(_ frame: RowAddress<RunFrame>, _ time: Moment) {
    let caller = callouts.enclosing > 0 ? callouts[callouts.enclosing &- 1].row : -1
    frame.pointee.cell.pointee.emptyPolls.add(
      from: frame.pointee.began, to: time, caller: caller, emptyPollLimits)
  }
}
