import HeapModule
import TraceFacts
import TraceFormat

/// Follows each timer's due points: which fired and how late, which were skipped and why.
///
/// A due point is a moment on a grid: the fire date, then `+ interval` each. For each loop, the ledger keeps a heap
/// of the next moments at which one of its timers becomes due. When a thread's replay passes such a moment, its state
/// is the one at that moment. So the cause of a skipped point and the start of an overdue span are known without a
/// history of the thread. It mirrors this rule of CFRunLoop (docs/reference/numbers.md):
///
///     next = old + k * interval, k the smallest integer >= 1 with next > now, now = after the callout
///
/// Moments are compared in time units. Grids are computed in nanoseconds, because an interval need not be a whole
/// number of units.
package struct TimerLedger: ~Copyable {
  struct Occurrence: Comparable {
    package enum Kind {
      /// A due point, or a grid point after it.
      case due
      /// The end of the tolerance after a due point.
      case tolerance
      /// A timer enters or leaves a mode because of another thread.
      case add(ModeID), remove(ModeID)
      /// A mode becomes common.
      case common(ModeID)
      /// Another thread moves or ends the timer.
      case move(toNs: Int64), end

      /// Whether another thread caused it.
      var isChange: Bool {
        switch self {
        case .due, .tolerance: false
        case .add, .remove, .common, .move, .end: true
        }
      }
    }

    var time: Moment
    var timer: Int
    var version: UInt32
    var kind = Kind.due
    static func < (a: Occurrence, b: Occurrence) -> Bool { a.time < b.time }
    static func == (a: Occurrence, b: Occurrence) -> Bool { a.time == b.time }
  }

  /// The due point that a lane's next begin answers.
  struct Announcement {
    var object = ObjectID.none
    var dueNs: Int64 = 0
  }

  /// The callout that runs on a thread.
  struct Running {
    var kind = EventKind(0)
    var object: ObjectID = .none
    var mode: ModeID = .outside
    var isBusy = false
    var hole: LaneClock.Hole?
  }

  struct Loop {
    var lane = -1
    var common = ModeSet()
    var moments = Heap<Occurrence>()
    /// The loop's timers: their number, and the first and last of their list.
    var live = 0
    var first = -1
    var last = -1
    /// The changes by other threads to its timers, in time order, until the loop's own thread passes them.
    private var changes: [Occurrence] = []
    private var passedChanges = 0
    /// The time of the newest change that makes a mode common.
    private var newestCommon: Moment?
    var waitingChanges: Int { changes.count - passedChanges }

    var nextChange: Moment { passedChanges < changes.count ? changes[passedChanges].time : .never }
    /// Whether a change that makes a mode common may still be queued.
    var hasQueuedCommonMode: Bool { newestCommon.map { nextChange <= $0 } ?? false }
    /// The moment of the next occurrence: a due point, or a change by another thread.
    var next: Moment { Swift.min(nextChange, moments.min?.time ?? .never) }

    /// Returns the time until which the state holds, at most `end`. At equal times, changes come after what is due.
    func stateHolds(until end: Moment) -> Moment { nextChange < end ? nextChange &+ .unit : end }

    mutating func add(change: Occurrence) {
      changes.append(change)
      if case .common = change.kind { newestCommon = change.time }
    }

    /// Returns whether a removal of the timer from a mode is still queued.
    func mayStillRemove(_ timer: Int) -> Bool {
      changes[passedChanges...].contains { change in
        if case .remove = change.kind { change.timer == timer } else { false }
      }
    }

    mutating func popChange() -> Occurrence? {
      guard passedChanges < changes.count else { return nil }
      defer {
        passedChanges += 1
        if passedChanges == changes.count {
          changes.removeAll(keepingCapacity: true)
          passedChanges = 0
        }
      }
      return changes[passedChanges]
    }

    /// Removes and returns the earliest occurrence before `end`. At equal times, changes by other threads come last.
    mutating func pop(before end: Moment) -> Occurrence? {
      guard next < end else { return nil }
      guard let due = moments.min, due.time <= nextChange else { return popChange() }
      return moments.removeMin()
    }
  }

  let scale: TimeScale
  package let classes: TimerClassTable
  let objects: ObjectTable
  var timers = TimerTable()
  package internal(set) var frames: FrameBook
  var loops: [Loop] = []
  private(set) var loopOfObject: [LoopID: Int] = [:]
  /// By lane: the loop that it runs, that loop's next moment, and the due point that the next begin answers.
  var loopOfLane: [Int]
  private let nextDueOfLane: Rows<Moment>
  let announced: Rows<Announcement>
  let commonModesID: ModeID
  /// Whether a callout has answered a due point.
  var hasAnswered = false
  /// The number of losses of events, on all threads.
  var losses: UInt32 = 0
  /// The number of due points that have passed, without those skipped on a timer's grid.
  private(set) var pointsPassed: UInt64 = 0
  var sink: SinkLink?
  /// By timer: skipped points that have not been reported.
  var heldSkips: [Int: [PointFact]] = [:]
  /// By timer: active times of a frame source that have not been reported.
  var heldFrameTimes: [Int: [FrameTimeFact]] = [:]
  /// By timer: points skipped after the one in force. If the timer's own callout moves it, they were not due.
  var skipsInDoubt: [Int: Skips] = [:]
  /// Earlier points do not count.
  var spanStart: Moment = .origin
  /// The span for counting live timers.
  var lifeSpan = ItemLivesBook.Span()
  let budget: WorkBudget
  private var waitingChanges = 0
  /// The limit that the trace exceeds, and what exceeds it. The results are then not usable.
  package private(set) var excess: (name: String, limit: Int, what: String)?
  /// The suspension of the process, for loops that no thread has run yet.
  private var (suspended, suspendedFrom) = (Length.zero, Moment.origin)
  private var isSuspended = false
  /// The number of timers beyond the limit, which are not followed.
  package var untracked: UInt64 { timers.refused }

  /// `commonModesID`: the mode id of the common modes, 0 = the trace has none. `followsAllFrames`: any repeating timer
  /// may be a frame source.
  init(
    lanes: Int, _ scale: TimeScale, commonModesID: ModeID, objects: ObjectTable, budget: WorkBudget,
    followsAllFrames: Bool, rates: FrameRates?
  ) {
    classes = TimerClassTable(rates)
    frames = FrameBook(followsAll: followsAllFrames)
    self.scale = scale
    self.objects = objects
    self.commonModesID = commonModesID
    self.budget = budget
    loopOfLane = Array(repeating: -1, count: lanes)
    announced = Rows(repeating: Announcement(), count: lanes)
    nextDueOfLane = Rows(repeating: .never, count: lanes)
  }

  /// Returns the address of the next moment of the lane's loop. It is valid for the lifetime of the ledger.
  func nextDue(lane: Int) -> RowAddress<Moment> { nextDueOfLane.address(lane) }

  /// Returns the common modes of a loop, for reports.
  package func commonModes(loop: Int) -> ModeSet {
    loops.indices.contains(loop) ? loops[loop].common : ModeSet()
  }

  /// Returns whether a monitor of the common modes sees a mode of a loop. If no mode is known to be common, it sees
  /// all.
  func isCommon(_ mode: ModeID, loop: LoopID) -> Bool {
    guard let index = loopOfObject[loop], !loops[index].common.isEmpty else { return true }
    return loops[index].common.contains(mode)
  }

  // MARK: Creation and removal of timers

  mutating func create(
    object: ObjectID, name: StringID, intervalNs: UInt64, toleranceNs: UInt64, due: Int64, site: StringID
  ) {
    forget(object: object)
    let index = timers.place(
      FollowedTimer(
        object: object, name: name, site: site,
        toleranceNs: min(toleranceNs, TimeScale.longestNs),
        schedule: TimerSchedule(
          intervalNs: Int64(min(intervalNs, TimeScale.longestNs)), scale: scale,
          pointNs: scale.pointNs(due))))
    if let index {
      timers[index].losses = losses
      followFrames(index, isDeclared: false)
    }
  }

  /// Drops the timer that has the slot of an object.
  mutating func forget(object: ObjectID) {
    guard let index = timers.indexOfSlot(object) else { return }
    resolveManual(index)
    settleSkips(index)
    reportSkips(index)
    endStretches(index)
    disappears(index, at: nil)
    if timers[index].frames >= 0 { releaseFrames(index, at: nil) }
    detach(index)
    timers.remove(index)
  }

  // MARK: Loops

  mutating func loopIndex(_ object: LoopID) -> Int {
    if let known = loopOfObject[object] { return known }
    guard loops.count < AnalysisLimits.loops else {
      excess = ("loops", AnalysisLimits.loops, "run loops with timers or common modes")
      return 0
    }
    loops.append(Loop())
    loopOfObject[object] = loops.count - 1
    return loops.count - 1
  }

  /// Queues a change by another thread among the loop's moments.
  mutating func add(change: Occurrence, to loop: Int) {
    waitingChanges += 1
    guard waitingChanges <= AnalysisLimits.waitingChanges else {
      excess = (
        "waitingChanges", AnalysisLimits.waitingChanges,
        "changes of timers that wait for the threads of the timers' loops"
      )
      return
    }
    loops[loop].add(change: change)
    updateNextDue(loop)
  }

  /// Notes that a run of `loop` begins on a lane. Until its first run, the loop counts as not running.
  mutating func seen(loop: LoopID, lane: Int, time: Moment, clock: borrowing LaneClock) {
    let index = loopIndex(loop)
    guard loopOfLane[lane] != index, budget.use(WorkBudget.Cost.timer * loops[index].live) else { return }
    passNotRunning(index, until: time)
    loopOfLane[lane] = index
    loops[index].lane = lane
    // Converts readings of the unrun loop's clock to the lane's clock.
    let shift = clock.reading(at: time) &- unrunReading(at: time)
    var timer = loops[index].first
    while timer >= 0 {
      timers[timer].atDue.since = timers[timer].atDue.since &+ shift
      timers[timer].atNext.since = timers[timer].atNext.since &+ shift
      timers[timer].toleranceEnd = timers[timer].toleranceEnd.map { $0 &+ shift }
      timer = timers[timer].nextOfLoop
    }
    updateNextDue(index)
  }

  /// Returns the reading of the clock of a loop that no thread has run yet.
  private func unrunReading(at time: Moment) -> LaneClock.Reading {
    var reading = LaneClock.Reading()
    reading.suspended = suspended &+ (isSuspended ? time.since(suspendedFrom) : .zero)
    reading.elapsed = time &- .origin
    reading.running[0] = reading.elapsed.without(reading.suspended).rawValue
    return reading
  }

  /// Lets moments pass for a loop that no thread has run yet.
  mutating func passNotRunning(_ loop: Int, until end: Moment) {
    while let next = pop(loop, before: end), budget.use(WorkBudget.Cost.point) {
      if case .common(let mode) = next.kind { becomesCommon(mode, of: loop, at: next.time) }
      guard next.timer >= 0, isLive(next) else { continue }
      let reading = unrunReading(at: next.time)
      switch next.kind {
      case .due:
        pass(
          next.timer, at: next.time, until: loops[loop].stateHolds(until: end),
          isSuspended ? .suspended : losses > 0 ? .unknown : .notRunning, 0, reading,
          Running(hole: isSuspended ? .suspended : nil)
        )
      case .tolerance: timers[next.timer].toleranceEnd = reading
      case .add, .remove, .common, .move, .end: apply(next.kind, to: next.timer, at: next.time)
      }
    }
  }

  /// Called before a timer is moved or ends at `time`. If its loop has not run yet, lets the due points before `time`
  /// pass.
  mutating func passUnrunLoop(of index: Int, until time: Moment) {
    let loop = timers[index].loop
    if loop >= 0, loops[loop].lane < 0 { passNotRunning(loop, until: time) }
  }

  mutating func passUnrunLoops(until end: Moment) {
    guard budget.use(loops.count) else { return }
    for loop in loops.indices where loops[loop].lane < 0 { passNotRunning(loop, until: end) }
  }

  private mutating func pop(_ loop: Int, before end: Moment) -> Occurrence? {
    let next = loops[loop].pop(before: end)
    if let next, next.kind.isChange { waitingChanges -= 1 }
    return next
  }

  /// Handles a suspension for loops that have not run. Lanes handle it on their own.
  mutating func suspendUnrunLoops(from: Moment, to: Moment) {
    passUnrunLoops(until: from)
    isSuspended = true
    suspendedFrom = from
    passUnrunLoops(until: to)
    isSuspended = false
    suspended &+= to &- from
  }

  mutating func updateNextDue(_ loop: Int) {
    let lane = loops[loop].lane
    if lane >= 0 { nextDueOfLane[lane] = loops[loop].next }
  }

  // MARK: Moments

  /// Puts the timer's next moment on the heap. Earlier entries become stale.
  mutating func schedule(_ index: Int) {
    timers[index].version &+= 1
    if let next = timers[index].schedule.next { push(index, at: next) }
  }

  mutating func push(_ index: Int, at time: Moment) {
    let loop = timers[index].loop
    loops[loop].moments.insert(Occurrence(time: time, timer: index, version: timers[index].version))
    // Stale entries are dropped when they come up, or here when they are a third of the heap: each timer has at most
    // two live entries.
    if loops[loop].moments.count > 3 * loops[loop].live + 64 {
      var live: [Occurrence] = []
      for moment in loops[loop].moments.unordered where isLive(moment) {
        live.append(moment)
      }
      loops[loop].moments = Heap(live)
    }
    updateNextDue(loop)
  }

  func isLive(_ moment: Occurrence) -> Bool {
    guard moment.timer >= 0 else { return true }
    switch moment.kind {
    case .due, .tolerance: return timers[moment.timer].version == moment.version
    case .add, .remove, .common, .move, .end: return timers[moment.timer].life == moment.version
    }
  }

  /// Lets all moments before `time` pass, in the lane's state since its last event.
  mutating func advance(lane: Int, from last: Moment, to time: Moment, clock: borrowing LaneClock) {
    let loop = loopOfLane[lane]
    guard loop >= 0 else {
      nextDueOfLane[lane] = .never
      return
    }
    while let next = pop(loop, before: time), budget.use(WorkBudget.Cost.point) {
      if case .common(let mode) = next.kind {
        bookCommon(mode, of: loop, until: next.time, clock)
        becomesCommon(mode, of: loop, at: next.time)
      }
      guard next.timer >= 0, isLive(next) else { continue }
      if timers[next.timer].classIndex < 0 { classifyOverdue(next.timer, loopRanAt: last) }
      switch next.kind {
      case .due:
        pass(
          next.timer, at: next.time, until: loops[loop].stateHolds(until: time), cause(next.timer, clock),
          clock.currentColumn,
          needsReading(next.timer) ? clock.reading(at: next.time) : LaneClock.Reading(),
          Running(
            kind: clock.runningKind, object: clock.runningObject, mode: clock.mode,
            isBusy: clock.isBusy, hole: clock.hole))
      case .tolerance: timers[next.timer].toleranceEnd = clock.reading(at: next.time)
      case .add, .remove, .common, .move, .end:
        book(next.timer, until: next.time, clock)
        apply(next.kind, to: next.timer, at: next.time)
      }
    }
    updateNextDue(loop)
  }

  /// Applies the changes that other threads made to a loop's timers, up to a moment that the lane has reached.
  mutating func passChanges(ofLoop loop: Int, through time: Moment, _ clock: borrowing LaneClock) {
    while loops[loop].nextChange <= time, budget.use(WorkBudget.Cost.point),
      let next = loops[loop].popChange()
    {
      waitingChanges -= 1
      if case .common(let mode) = next.kind {
        bookCommon(mode, of: loop, until: next.time, clock)
        becomesCommon(mode, of: loop, at: next.time)
      }
      guard next.timer >= 0, isLive(next) else { continue }
      book(next.timer, until: next.time, clock)
      apply(next.kind, to: next.timer, at: next.time)
    }
    updateNextDue(loop)
  }

  /// Returns the current cause, for a point that comes due at this moment.
  func held(_ index: Int, at time: Moment, _ clock: borrowing LaneClock) -> HeldAtDue {
    HeldAtDue(
      cause: cause(index, clock), column: clock.currentColumn, mode: clock.mode,
      since: clock.reading(at: time))
  }

  private func cause(_ index: Int, _ clock: borrowing LaneClock) -> Cause {
    if let hole = clock.hole { return hole == .suspended ? .suspended : .unknown }
    guard clock.isInRun else { return clock.mayMissRuns ? .unknown : .notRunning }
    if timers[index].schedule.isFiring { return .ownCallout }
    guard isIn(index, clock.mode) else { return .wrongMode }
    if clock.isBusy { return .busy }
    return timers[index].toleranceNs > 0 ? .tolerance : .scheduler
  }

  func isIn(_ index: Int, _ mode: ModeID) -> Bool {
    timers[index].membership.contains(mode, common: common(index))
  }

  /// Returns whether the clock's reading is needed for the point that passes. After the first point that passes while
  /// another is in force, points are only counted.
  @inline(__always)
  private func needsReading(_ index: Int) -> Bool {
    timers[index].tallies == 0 || !timers[index].schedule.isOverdue
  }

  /// Lets the timer's moment pass, and all its grid points before `end`, in the same state.
  private mutating func pass(
    _ index: Int, at time: Moment, until end: Moment, _ cause: Cause, _ column: Int,
    _ reading: LaneClock.Reading, _ running: Running
  ) {
    // A date that was set in the callout comes due: the points so far belong to the grid before it.
    if timers[index].schedule.isMoved, !timers[index].schedule.isOverdue { settleSkips(index) }
    let step = timers[index].schedule.pass(time, until: end)
    if step.isDue {
      pointsPassed &+= 1
      settleSkips(index)
      if !timers[index].missed.isEmpty { timers[index].missed.comesDue() }
      timers[index].isBeforeWindow = false
      timers[index].booked = BookedLateness()
      timers[index].bookedUntil = .origin
      timers[index].toleranceEnd = nil
      timers[index].atDue = HeldAtDue(cause: cause, column: column, mode: running.mode, since: reading)
      timers[index].tallies = 0
      if timers[index].toleranceNs > 0 { waitForTolerance(index, from: time) }
      if timers[index].frames >= 0 { framesComeDue(index, at: time) }
    }
    guard let next = timers[index].schedule.next else { return }
    if step.skipped > 0 {
      if timers[index].tallies == 0 {
        timers[index].atNext = HeldAtDue(cause: cause, column: column, mode: running.mode, since: reading)
        let later = max(timers[index].schedule.moment(step.skippedFromNs), time) &- time
        timers[index].atNext.since.advance(later, running.hole, column, isBusy: running.isBusy)
      }
      timers[index].tallies &+= step.skipped
      skip(index, step, cause, column, running)
      doubt(index, step.skipped, cause, column, running)
    }
    push(index, at: next)
  }

  private mutating func skip(
    _ index: Int, _ step: TimerSchedule.Step, _ cause: Cause, _ column: Int, _ running: Running
  ) {
    timers[index].missed.add(step.skipped, cause)
    // A lost event may be the begin of a fire.
    if cause == .unknown { endStretches(index) }
    if sink != nil {
      holdSkip(index, step.skipped, from: step.skippedFromNs, cause, running.mode)
    }
    // Until the timer's class is known, `skipsInDoubt` keeps its points.
    guard timers[index].classIndex >= 0 else { return }
    let row = classes.rows.address(resolve(index))
    row.pointee.skips.add(step.skipped, cause, column: column)
    guard cause == .busy else { return }
    row.pointee.skips.blockers.blame(running.kind, objects.name(of: running.object), points: step.skipped)
  }

  private mutating func waitForTolerance(_ index: Int, from time: Moment) {
    let end = time &+ scale.length(ns: timers[index].toleranceNs)
    loops[timers[index].loop].moments.insert(
      Occurrence(time: end, timer: index, version: timers[index].version, kind: .tolerance))
    updateNextDue(timers[index].loop)
  }
}
