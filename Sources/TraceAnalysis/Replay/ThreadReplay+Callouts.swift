import TraceFormat

/// The stack of open callouts.
extension ThreadReplay {
  @inline(__always)
  mutating func beginCallout(_ kind: UInt8, _ object: UInt32, _ time: UInt64) {
    if wakePending, kind != EventKind.observerBegin.rawValue {
      wakePending = false
      if depth > 0 { frames[depth &- 1].cell.pointee.wake.record(time &- wakeTime) }
    }
    guard openCallouts < AnalysisLimits.openCallouts else {
      unfollowedCallouts &+= 1
      unfollowedCalloutCount &+= 1
      return
    }
    callouts[openCallouts] = OpenCallout(kind: kind, object: object, begin: time)
    openCallouts &+= 1
    clock.turn(isBusy: true, kind: kind, object: object, at: time)
  }

  /// Returns how long it took, without the runs that it started; nil when its begin is not known.
  @inline(__always)
  @discardableResult
  mutating func endCallout(_ kind: UInt8, _ object: UInt32, _ time: UInt64) -> UInt64? {
    guard unfollowedCallouts == 0 else {
      unfollowedCallouts &-= 1
      return nil
    }
    var match = openCallouts &- 1
    // Usually the innermost; others mean lost events.
    while match >= 0, callouts[match].object != object || callouts[match].kind &+ 1 != kind { match &-= 1 }
    guard match >= 0 else { return nil }
    // Runs that it started are over, too: their Exits were lost.
    while depth > 0, enclosing > match { leaveRun(time) }
    openCallouts = match
    let open = callouts[match]
    gap.add(open, until: time)
    let nested = open.nested
    let took = time &- open.begin &- nested
    if match > enclosing { callouts[match &- 1].nested &+= nested }
    books.callouts.add(
      lane: lane, kind: open.kind, object: object, begin: open.begin &- open.suspended, time: took,
      nested: nested,
      column: clock.currentColumn,
      pass: depth > 0 && frames[depth &- 1].passOpen
        ? PassMark(number: frames[depth &- 1].passNumber, start: frames[depth &- 1].passStart)
        : nil)
    if observer != nil { tellCallout(open, match, time) }
    turn(time)
    return took
  }

  @inline(never)
  private func tellCallout(_ open: OpenCallout, _ depth: Int, _ time: UInt64) {
    observer?.callout(
      CalloutRecord(
        thread: thread, kind: open.kind, object: open.object, name: books.objects.name(of: open.object),
        mode: mode, depth: depth, start: open.begin &- open.suspended, end: time, nested: open.nested,
        suspended: open.suspended))
  }
}
