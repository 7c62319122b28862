import TraceFacts
import TraceFormat

/// Frames of timers; see `FrameBook`.
///
/// A suspension or a loss ends a hitch. After a suspension, the next frame is expected one interval after the first
/// grid point at its end. After a loss, and after the timer came back into a mode, the next frame has no frame before
/// it. If the timer is moved, the time up to its new due point counts as intended.
extension TimerLedger {
  /// Begins to follow a timer that may be a frame source.
  mutating func followFrames(_ index: Int, isDeclared: Bool) {
    guard
      isDeclared && timers[index].schedule.intervalNs > 0
        || frames.follows(intervalNs: timers[index].schedule.intervalNs)
    else { return }
    if timers[index].frames < 0 {
      var chain = FrameChain()
      chain.timer = index
      timers[index].frames = frames.add(chain)
    }
    if isDeclared { frames.chains[timers[index].frames].isDeclared = true }
  }

  /// Notes that the program declared a timer a frame source.
  mutating func declareFrames(object: ObjectID) {
    if let index = timers.find(object) { followFrames(index, isDeclared: true) }
  }

  /// Notes that a due point of a source passes.
  mutating func framesComeDue(_ index: Int, at time: Moment) {
    let chain = frames.chains.address(timers[index].frames)
    if !chain.pointee.isLost { chain.pointee.activate(at: time) }
  }

  // MARK: Frames

  /// Begins a frame with the callout that answers a due point. `isBooked`: the timer's ledger has booked its lateness.
  /// `isUnexpected`: the timer was moved, and it is not known when.
  @inline(never)
  mutating func beginFrame(
    _ index: Int, dueNs: Int64, at time: Moment, isBooked: Bool, isUnexpected: Bool
  ) {
    let chain = frames.chains.address(timers[index].frames)
    let due = timers[index].schedule.moment(dueNs)
    var frame = FrameInMaking(isUnderWay: true, dueNs: dueNs, due: max(due, chain.pointee.ready), begin: time)
    if time > due {
      if isBooked {
        frame.booked = timers[index].booked
        // Until the end of the frame before, its own callout ran.
        let before = min(frame.due &- due, frame.booked.causes.length(.ownCallout))
        frame.booked.causes[Cause.ownCallout.rawValue] &-= before.rawValue
      } else {
        frame.booked.causes.add(time.since(frame.due), at: .unknown)
      }
    }
    chain.pointee.frame = frame
    if isUnexpected { chain.pointee.presentedNs = nil }
    chain.pointee.isLost = false
    chain.pointee.activate(at: max(min(due, time), chain.pointee.lastHole, spanStart))
  }

  /// Ends a frame at the end of its callout.
  @inline(never)
  mutating func endFrame(_ index: Int, at time: Moment, _ clock: borrowing LaneClock) {
    guard var hitch = presentFrame(index, at: time) else { return }
    if hitch.blame.cause == .busy {
      let frame = frames.chains[timers[index].frames].frame
      hitch.blamed = nameBusiest(&hitch.blame, index, frame, clock)
    } else if hitch.blame.cause == .wrongMode {
      let frame = frames.chains[timers[index].frames].frame
      hitch.blame.mode = longestWrongMode(index, frame.booked.byColumn, clock)
    }
    book(hitch, at: time)
  }

  /// Ends a frame when its callout removes the source.
  private mutating func endLastFrame(_ index: Int, at time: Moment) {
    guard frames.chains[timers[index].frames].frame.isUnderWay, let hitch = presentFrame(index, at: time)
    else {
      return
    }
    book(hitch, at: time)
  }

  private mutating func book(_ hitch: FoundHitch, at time: Moment) {
    guard let hitch = frames.add(hitch, nowNs: scale.ns(time)), let sink else { return }
    let fact = HitchFact(timer: hitch.row, startNs: hitch.startNs, endNs: hitch.endNs)
    sink.report { $0.hitch(fact) }
  }

  /// Begins to report, at the begin of a span.
  mutating func begin(sending sink: SinkLink?) {
    self.sink = sink
    let hitches = frames.begunBefore
    if !hitches.isEmpty { sink?.report { for hitch in hitches { $0.hitch(hitch) } } }
  }

  /// Presents the frame that is ready at `time`. Returns the hitch before it, if there is one.
  private mutating func presentFrame(_ index: Int, at time: Moment) -> FoundHitch? {
    let chain = frames.chains.address(timers[index].frames)
    guard chain.pointee.frame.isUnderWay else { return nil }
    chain.pointee.frame.isUnderWay = false
    let frame = chain.pointee.frame
    let interval = timers[index].schedule.intervalNs
    // Stamps are rounded down to units. Within the unit of a grid point, the frame is ready in time.
    let took = scale.pointNs(at: time) &- frame.dueNs &- (Int64(clamping: scale.ns(.unit)) &- 1)
    let steps = took <= interval ? 1 : (took &- 1) / interval &+ 1
    let presented = frame.dueNs &+ steps &* interval
    var outcome = FrameOutcome.unknown
    if chain.pointee.lastHole <= frame.due {
      // A timer that enters a mode may be overdue at once.
      let entered = scale.pointNs(at: timers[index].schedule.moment(frame.dueNs))
      let expected = max(frame.dueNs, entered) &+ interval
      outcome = presented <= expected ? .onTime : .late
    }
    chain.pointee.counts.add(outcome)
    if sink != nil {
      reportFrame(index, outcome, dueNs: frame.dueNs, ready: time, presentedNs: presented)
    }
    chain.pointee.ready = time
    let before = chain.pointee.presentedNs
    chain.pointee.presentedNs = presented
    guard let before else { return nil }
    let length = TimerLedger.onGrid(presented &- before &- interval, interval)
    guard length > 0 else { return nil }
    var causes = frame.booked.causes
    causes.add(time.since(max(frame.begin, frame.due)), at: .ownCallout)
    let blame = blame(index, causes)
    return FoundHitch(
      row: resolve(index), lane: lane(of: index), startNs: UInt64(clamping: before &+ interval),
      endNs: UInt64(clamping: before &+ interval &+ length), due: timers[index].schedule.moment(frame.dueNs),
      ready: time, causes: causes, blame: blame,
      blamed: blame.cause == .ownCallout ? causes.length(.ownCallout) : .zero)
  }

  private func reportFrame(
    _ index: Int, _ outcome: FrameOutcome, dueNs: Int64, ready: Moment, presentedNs: Int64
  ) {
    let timer = timers[index]
    guard timer.classIndex >= 0 else { return }
    let frame = FrameFact(
      timer: timer.classIndex, object: timer.object.rawValue, name: timer.name.rawValue,
      site: timer.site.rawValue, createdBefore: timer.isKnown ? 0 : timer.object.rawValue,
      isDeclared: frames.chains[timer.frames].isDeclared, outcome: outcome,
      due: timer.schedule.moment(dueNs).rawValue, ready: ready.rawValue,
      presented: timer.schedule.moment(presentedNs).rawValue)
    sink?.report { $0.frame(frame) }
  }

  /// Returns a length as whole intervals if it differs from them only by the rounding of due points.
  private static func onGrid(_ length: Int64, _ interval: Int64) -> Int64 {
    guard length > 0 else { return 0 }
    let room = min(TimeScale.inexactNs, interval / 4)
    let rest = length % interval
    if rest <= room { return length &- rest }
    return rest >= interval &- room ? length &- rest &+ interval : length
  }

  private func lane(of index: Int) -> Int {
    timers[index].loop >= 0 ? loops[timers[index].loop].lane : -1
  }

  // MARK: Blame

  private func blame(_ index: Int, _ causes: CauseAmounts) -> FrameBlame {
    var causes = causes
    causes[Cause.suspended.rawValue] = 0
    var blame = FrameBlame()
    // Without such time, the callout of the frame before ended at a grid point, which the loop then skipped.
    blame.cause = .ownCallout
    var most = Length.zero
    for cause in Cause.allCases where causes.length(cause) > most {
      most = causes.length(cause)
      blame.cause = cause
    }
    if blame.cause == .ownCallout { nameOwn(&blame, index) }
    return blame
  }

  private func nameOwn(_ blame: inout FrameBlame, _ index: Int) {
    blame.kind = .timerBegin
    blame.name = objects.name(of: timers[index].object)
  }

  /// Names the callout that ran longest between the due point and the begin of the frame, in modes that the source is
  /// in. Returns its time. Names none if one that is not remembered may have run longer.
  private func nameBusiest(
    _ blame: inout FrameBlame, _ index: Int, _ frame: FrameInMaking, _ clock: borrowing LaneClock
  ) -> Length {
    var ran: [(kind: EventKind, name: StringID, time: Length)] = []
    var known = Length.zero
    let object = timers[index].object
    clock.forEachStretch(since: frame.due, until: frame.begin) { stretch in
      let column = Int(stretch.column), end = min(stretch.end, frame.begin)
      guard end > stretch.begin, column != 0, let mode = clock.mode(ofColumn: column), isIn(index, mode),
        stretch.kind != .timerBegin || stretch.object != object
      else { return }
      let name = objects.name(of: stretch.object)
      known &+= end &- stretch.begin
      if let at = ran.firstIndex(where: { $0.kind == stretch.kind && $0.name == name }) {
        ran[at].time &+= end &- stretch.begin
      } else {
        ran.append((stretch.kind, name, end &- stretch.begin))
      }
    }
    let unknown = frame.booked.causes.length(.busy).without(known)
    // The newest stretch comes first. If several ran equally long, the earliest is named.
    guard let longest = ran.reversed().max(by: { $0.time < $1.time }), longest.time >= unknown else {
      return .zero
    }
    blame.kind = longest.kind
    blame.name = longest.name
    return longest.time
  }

  private func longestWrongMode(
    _ index: Int, _ byColumn: SIMD16<UInt64>, _ clock: borrowing LaneClock
  ) -> ModeID {
    var longest = (mode: ModeID.outside, time: Length.zero)
    for column in 1..<LaneClock.columns where byColumn.length(column) > longest.time {
      guard let mode = clock.mode(ofColumn: column), !isIn(index, mode) else { continue }
      longest = (mode, byColumn.length(column))
    }
    return longest.mode
  }

  // MARK: What ends a hitch besides a frame

  /// Adds the hitch that is in progress at `time`.
  private mutating func endHitch(_ index: Int, at time: Moment) {
    let chain = frames.chains[timers[index].frames]
    let end = scale.pointNs(at: time)
    let interval = timers[index].schedule.intervalNs
    guard !isInDoubt(index), chain.isActive, let before = chain.presentedNs, end > before &+ interval else {
      return
    }
    var hitch = FoundHitch(
      row: resolve(index), lane: lane(of: index), startNs: UInt64(clamping: before &+ interval),
      endNs: UInt64(clamping: end))
    if timers[index].schedule.isFiring {
      hitch.blame.cause = .ownCallout
      nameOwn(&hitch.blame, index)
      hitch.due = chain.frame.isUnderWay ? chain.frame.due : nil
    } else if timers[index].schedule.isOverdue {
      let held = timers[index].atDue
      hitch.due = timers[index].schedule.moment
      hitch.blame.cause = held.cause
      if held.cause == .wrongMode { hitch.blame.mode = held.mode }
    }
    book(hitch, at: time)
  }

  // MARK: The active time

  /// Active times of a timer that are held until its class is known. Beyond: not reported.
  private static let heldOfSource = 64

  /// Ends the active time of a source, and reports it.
  private mutating func deactivate(_ index: Int, at time: Moment) {
    let chain = frames.chains.address(timers[index].frames)
    if sink != nil, chain.pointee.isActive, time > chain.pointee.since {
      var held = heldFrameTimes.removeValue(forKey: index) ?? []
      if held.count < Self.heldOfSource {
        held.append(
          FrameTimeFact(
            timer: -1, start: chain.pointee.since.rawValue, end: time.rawValue,
            suspended: min(chain.pointee.holes, time.since(chain.pointee.since)).rawValue))
      }
      heldFrameTimes[index] = held
    }
    chain.pointee.deactivate(at: time)
    reportFrameTimes(index)
  }

  private mutating func reportFrameTimes(_ index: Int) {
    guard !heldFrameTimes.isEmpty, timers[index].isCounted,
      let held = heldFrameTimes.removeValue(forKey: index)
    else { return }
    let timerClass = timers[index].classIndex
    sink?.report {
      for var time in held {
        time.timer = timerClass
        $0.frameTime(time)
      }
    }
  }

  /// Adds the sums of a source that ended.
  private mutating func release(_ index: Int) {
    reportFrameTimes(index)
    heldFrameTimes[index] = nil
    frames.release(timers[index].frames, ofClass: timers[index].isCounted ? timers[index].classIndex : nil)
    timers[index].frames = -1
  }

  /// Ends the active time of a source: it left its last mode.
  mutating func endFrames(_ index: Int, at time: Moment) {
    if timers[index].schedule.isFiring { endLastFrame(index, at: time) }
    endHitch(index, at: time)
    deactivate(index, at: time)
  }

  /// Forgets a source that ended. `time` is nil if not known: the last frame then ended its active time.
  mutating func releaseFrames(_ index: Int, at time: Moment?) {
    let chain = frames.chains[timers[index].frames]
    if let time {
      endFrames(index, at: time)
    } else {
      deactivate(index, at: max(chain.ready, chain.isActive ? chain.since : .origin))
    }
    release(index)
  }

  /// Notes that the fire date is moved while the callout does not run.
  mutating func moveFrames(_ index: Int, toNs point: Int64, at time: Moment) {
    endHitch(index, at: time)
    restartFrames(index, atNs: max(point, scale.pointNs(at: time)))
  }

  /// Lets the next frame be expected one interval after a point, as if a frame had been presented there.
  mutating func restartFrames(_ index: Int, atNs point: Int64) {
    let chain = frames.chains.address(timers[index].frames)
    if let before = chain.pointee.presentedNs { chain.pointee.presentedNs = max(before, point) }
  }

  /// Notes that the process did not run.
  mutating func suspendFrames(from: Moment, to: Moment) {
    guard to > from, budget.use(frames.chains.count) else { return }
    for place in 0..<frames.chains.count where frames.chains[place].timer >= 0 {
      let index = frames.chains[place].timer
      endHitch(index, at: from)
      let chain = frames.chains.address(place)
      if chain.pointee.isActive { chain.pointee.holes &+= to.since(max(from, chain.pointee.since)) }
      chain.pointee.lastHole = max(chain.pointee.lastHole, to)
      let interval = timers[index].schedule.intervalNs
      guard let before = chain.pointee.presentedNs, scale.pointNs(at: to) > before else { continue }
      let steps = (scale.pointNs(at: to) &- before &- 1) / interval &+ 1
      chain.pointee.presentedNs = before &+ steps &* interval
    }
  }

  /// Notes that events of a thread were lost.
  mutating func loseFrames(lane: Int, from: Moment, to: Moment) {
    guard budget.use(frames.chains.count) else { return }
    for place in 0..<frames.chains.count where frames.chains[place].timer >= 0 {
      let index = frames.chains[place].timer
      guard self.lane(of: index) == lane else { continue }
      endHitch(index, at: from)
      let chain = frames.chains.address(place)
      // A due point may have passed since the loss began.
      deactivate(index, at: max(from, chain.pointee.isActive ? chain.pointee.since : from))
      chain.pointee.isLost = true
      chain.pointee.lastHole = max(chain.pointee.lastHole, to)
    }
  }

  /// Adds up what is open at the end of the span.
  mutating func finishFrames(_ end: Moment) {
    for place in 0..<frames.chains.count where frames.chains[place].timer >= 0 {
      let index = frames.chains[place].timer
      endHitch(index, at: end)
      deactivate(index, at: end)
      release(index)
    }
    frames.finish(endNs: scale.ns(end))
  }
}
