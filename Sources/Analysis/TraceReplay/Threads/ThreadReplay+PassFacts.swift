import TraceFacts
import TraceFormat

/// Sends the facts of batches of passes.
extension ThreadReplay {
  /// Returns whether a timer's callout in the pass ends an earlier one that answered a due point and has no recorded
  /// end. The sink must receive the facts of that one in between, so such a pass is replayed event by event.
  func endsFiring(_ columns: EventColumns, _ index: Int, _ count: Int, _ timers: borrowing TimerLedger)
    -> Bool
  {
    guard timers.hasAnswered else { return false }
    var rest = shape.timers
    while rest != 0 {
      let place = rest.trailingZeroBitCount
      if place < count, timers.isFiring(columns.object(index &+ place)) { return true }
      rest &= rest &- 1
    }
    return false
  }

  /// Returns the number of passes before the first one for which `endsFiring` holds.
  func withoutFiring(_ passes: EqualPasses, _ timers: borrowing TimerLedger) -> Int {
    guard timers.hasAnswered else { return passes.count }
    for pass in 0..<passes.count
    where endsFiring(passes.columns, passes.event(pass, 0), passes.length, timers) {
      return pass
    }
    return passes.count
  }

  /// Reports the end of the last pass in `sums`.
  @inline(never)
  func reportEnd(of sums: PassSums, _ columns: EventColumns, _ time: Moment) {
    let mode = frames[depth &- 1].mode.rawValue
    if time > sums.phaseStart {
      let fact = PhaseFact(
        thread: thread.rawValue, mode: mode, depth: depth &- 1, phase: sums.phase,
        start: sums.phaseStart.rawValue, end: time.rawValue)
      facts.sink?.report { $0.phase(fact) }
    }
    var phases = phases(of: sums, columns)
    phases.add(time &- sums.phaseStart, at: sums.phase.rawValue)
    let fact = PassFact(
      thread: thread.rawValue, mode: mode, start: sums.start.rawValue, end: time.rawValue, phases: phases,
      nested: 0)
    facts.sink?.report { $0.pass(fact) }
  }

  /// Reports what ends in each pass before its event at `place`. `continuesPrevious`: also reports the end of the pass before
  /// the first one, which has the same shape.
  @inline(never)
  mutating func report(
    _ passes: EqualPasses, continuesPrevious: Bool, until place: Int, _ timers: inout TimerLedger
  ) {
    guard let sink = facts.sink else { return }
    facts.passes.take(shape, until: place)
    let objects = books.objects.living
    var (callout, fire) = (0, 0)
    for pass in 0..<passes.count {
      var rest = facts.passes.callouts
      while rest != 0 {
        let place = rest.trailingZeroBitCount
        let object = passes.object(pass, place)
        facts.passes.called[callout] = EqualPassFacts.Called(
          object: object.rawValue, name: (objects.row(object)?.pointee.name ?? .none).rawValue)
        callout &+= 1
        if shape.isTimer(place) {
          facts.passes.fires[fire] = timers.fire(of: object)
          fire &+= 1
        }
        rest &= rest &- 1
      }
    }
    let common = EqualPassFacts.Common(
      thread: thread.rawValue, mode: clock.mode.rawValue, depth: depth &- 1, calloutDepth: callouts.count,
      length: passes.length,
      callouts: facts.passes.callouts.nonzeroBitCount, fires: facts.passes.timers.nonzeroBitCount)
    // SAFETY: the columns and the facts stay alive during the call.
    let facts = unsafe EqualPassFacts(
      common, count: passes.count, continuesPrevious: continuesPrevious, facts.passes.steps,
      times: passes.columns.times(from: passes.start),
      called: facts.passes.called.pointer(0), fires: facts.passes.fires.pointer(0))
    sink.report { $0.passes(facts) }
  }
}
