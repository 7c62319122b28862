import TraceFacts
import TraceFormat

/// The stack of open callouts.
extension ThreadReplay {
  @inline(__always)
  mutating func beginCallout(_ kind: EventKind, _ object: ObjectID, _ time: Moment, timerClass: Int32 = -1) {
    endWake(by: kind, time)
    served.note(kind)
    guard !callouts.isFull || callouts.widen() else {
      unfollowed.callouts &+= 1
      unfollowed.allCallouts &+= 1
      return
    }
    callouts[callouts.count] = OpenCallout(
      kind: kind, object: object, begin: time,
      row: books.callouts.row(lane: lane, kind: kind, object: object), timerClass: timerClass)
    if facts.wantsBegins { reportBegin(callouts[callouts.count], callouts.count, time) }
    callouts.count &+= 1
    clock.turn(isBusy: true, kind: kind, object: object, at: time)
  }

  /// Notes the first callout after a wait: the loop woke for it.
  @inline(__always)
  mutating func endWake(by kind: EventKind, _ time: Moment) {
    guard lastWake.isUnanswered, kind != .observerBegin else { return }
    lastWake.isUnanswered = false
    if depth > 0 { frames[depth &- 1].cell.pointee.wake.record(time &- lastWake.time) }
  }

  /// Ends a callout. An end without a known begin is ignored.
  @inline(__always)
  mutating func endCallout(_ kind: EventKind, _ object: ObjectID, _ time: Moment, _ timers: inout TimerLedger)
  {
    guard unfollowed.callouts == 0 else {
      unfollowed.callouts &-= 1
      return
    }
    var match = callouts.count &- 1
    // Usually the innermost callout matches. Otherwise events were lost.
    while match >= 0, callouts[match].object != object || callouts[match].kind.end != kind { match &-= 1 }
    // A single event may search all open callouts, so the search is charged to the budget.
    if match < callouts.count &- 1 { books.budget.use((callouts.count &- 1 &- match) / 8 &+ 1) }
    guard match >= 0 else { return }
    // The runs that the callout started are over: their Exits were lost.
    while depth > 0, callouts.enclosing > match { leaveRun(time) }
    share(match, until: time)
    close(match, time, isOpen: false, &timers)
    turn(time)
  }

  /// Updates the row of an unnamed callout. Another thread may name its object when the callout begins.
  @inline(__always)
  private mutating func learnName(_ place: Int) {
    guard books.callouts.isUnnamed(callouts[place].row) else { return }
    callouts[place].row = books.callouts.row(
      lane: lane, kind: callouts[place].kind, object: callouts[place].object)
  }

  /// Books a callout and drops the callouts inside it.
  @inline(__always)
  private mutating func close(_ match: Int, _ time: Moment, isOpen: Bool, _ timers: inout TimerLedger) {
    callouts.count = match
    let place = callouts.address(match)
    let nested = place.pointee.nested
    let took = time.since(place.pointee.begin).without(nested)
    if match > callouts.enclosing { callouts[match &- 1].inner &+= took }
    if nested != .zero { closeRuns(of: match, time) }
    books.callouts.add(
      place.pointee.row, begin: place.pointee.begin &- place.pointee.suspended, time: took,
      selfTime: took.without(place.pointee.inner), column: clock.currentColumn,
      pass: depth > 0 && frames[depth &- 1].passOpen
        ? PassMark(number: frames[depth &- 1].passNumber, start: frames[depth &- 1].passStart)
        : nil, isOpen: isOpen)
    if place.pointee.timerClass >= 0 {
      timers.add(callout: took, ofClass: place.pointee.timerClass, column: clock.currentColumn)
    }
    if facts.sink != nil { reportCallout(place.pointee, match, time, isOpen: isOpen) }
  }

  /// Books the runs that a callout started.
  @inline(never)
  private mutating func closeRuns(of match: Int, _ time: Moment) {
    let callout = callouts[match]
    if match > callouts.enclosing {
      callouts[match &- 1].add(nested: callout.nested, in: callout.nestedMode)
    }
    books.callouts.rows[Int(callout.row)].add(
      nested: callout.nested, in: callout.nestedMode, from: callout.begin &- callout.suspended, to: time)
  }

  /// Ends the runs and callouts that are open: at the end of the span (`isOpen`), or where events were lost.
  mutating func closeAll(_ time: Moment, isOpen: Bool, _ timers: inout TimerLedger) {
    while true {
      if isInCallout {
        learnName(callouts.count - 1)
        close(callouts.count - 1, time, isOpen: isOpen, &timers)
      } else if depth > 0 {
        leaveRun(time, isOpen: isOpen)
      } else {
        return
      }
    }
  }

  // MARK: Shares of gaps and busy intervals

  /// Books the share of an open callout in the current gap, for the gap and for the busy interval.
  @inline(__always)
  private mutating func share(_ place: Int, until time: Moment) {
    learnName(place)
    let open = callouts.address(place)
    let part = gap.part(since: open.pointee.begin, until: time)
    let inner = open.pointee.gap == gap.tally.span ? min(open.pointee.innerInGap, part) : .zero
    var isOuter = true
    if place > callouts.enclosing {
      let outer = callouts.address(place &- 1)
      if outer.pointee.gap != gap.tally.span {
        outer.pointee.gap = gap.tally.span
        outer.pointee.innerInGap = .zero
      }
      outer.pointee.innerInGap &+= part
      isOuter = !isInside(place)
    }
    gap.add(
      row: open.pointee.row, object: open.pointee.object, time: part, selfTime: part &- inner,
      isOuter: isOuter)
    // The thread's time outside runs is `outside_ns` of the interval.
    guard depth > 0 else { return }
    busy.tally.add(
      row: open.pointee.row, object: open.pointee.object, time: part, selfTime: part &- inner,
      isNew: open.pointee.busy != busy.tally.span, isOuter: isOuter)
    open.pointee.busy = busy.tally.span
  }

  /// Returns whether the callout is inside one of the same row in the same run, whose time already includes its own.
  @inline(never)
  private func isInside(_ place: Int) -> Bool {
    books.budget.use((place &- callouts.enclosing) / 8)
    return (callouts.enclosing..<place).contains { callouts[$0].row == callouts[place].row }
  }

  /// Books the shares of everything that runs when the gap ends: callouts of the innermost run and observers.
  /// Callouts that enclose the run got their share when it began.
  @inline(never)
  mutating func shareOpen(_ time: Moment) {
    books.budget.use(callouts.count &- callouts.enclosing)
    for place in stride(from: callouts.count - 1, through: callouts.enclosing, by: -1) {
      share(place, until: time)
    }
    if observing.isUnderWay, depth > 0 { shareObservers(time) }
  }

  /// Books the share of an activity's observers in the current gap.
  @inline(__always)
  mutating func shareObservers(_ time: Moment) {
    guard let phase = Phase(rawValue: frames[depth &- 1].phase) else { return }
    let part = gap.endObserving(phase, time)
    if part > .zero { busy.tally.observed(phase, part) }
  }

  @inline(never)
  private func reportCallout(_ open: OpenCallout, _ depth: Int, _ time: Moment, isOpen: Bool) {
    let fact = CalloutFact(
      thread: thread.rawValue, kind: open.kind.rawValue, object: open.object.rawValue,
      name: books.objects.name(of: open.object).rawValue, mode: clock.mode.rawValue, depth: depth,
      start: (open.begin &- open.suspended).rawValue, end: time.rawValue, nested: open.nested.rawValue,
      suspended: open.suspended.rawValue, isOpen: isOpen,
      queue: open.kind == .workBegin ? books.queues.serving(open.object, lane: lane) : nil)
    facts.sink?.report { $0.callout(fact) }
  }
}
