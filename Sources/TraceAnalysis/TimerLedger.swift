import HeapModule
import TraceFormat

/// Follows each timer's due points: which fired and how late, which were skipped and why.
///
/// A due point is a moment on a grid: the fire date, then `+ interval` each. The ledger keeps, for each loop, a
/// heap of the next moments at which some timer of it becomes due. When a thread's replay passes such a moment,
/// its state is the one in force then, so the cause of a skipped point and the start of an overdue span are known
/// without a history of the thread. The rule of CFRunLoop that it mirrors (docs/analysis.md):
///
///     next = old + k * interval, k the smallest integer >= 1 with next > now, now = after the callout
///
/// Moments are compared in time units; grids are computed in nanoseconds, because an interval need not be a whole
/// number of units.
struct TimerLedger: ~Copyable {
  private struct Moment: Comparable {
    var time: UInt64
    var timer: Int
    var version: UInt32
    static func < (a: Moment, b: Moment) -> Bool { a.time < b.time }
  }

  private struct Loop {
    var lane = -1
    var common = ModeSet()
    var moments = Heap<Moment>()
    var live = 0
  }

  private let unit: Int64
  let classes = TimerClassTable()
  private var timers = TimerTable()
  private var loops: [Loop] = []
  private var loopOfObject: [UInt32: Int] = [:]
  /// By lane: the loop it runs, the next moment of it, and the due point that the next begin answers.
  private var loopOfLane: [Int]
  private let nextDueOfLane: UnsafeMutablePointer<UInt64>
  private let announced: UnsafeMutablePointer<(object: UInt32, due: Int64)>
  private let commonModesID: UInt8
  /// Timers beyond the limit, not followed.
  var untracked: UInt64 { timers.refused }

  /// `commonModesID`: the mode id that stands for "the common modes", 0 when the trace has none.
  init(lanes: Int, unitNs: UInt64, commonModesID: UInt8) {
    unit = Int64(unitNs)
    self.commonModesID = commonModesID
    loopOfLane = Array(repeating: -1, count: lanes)
    // SAFETY: one element a lane; lanes are indices of the stream.
    announced = .allocate(capacity: max(lanes, 1))
    announced.initialize(repeating: (0, 0), count: max(lanes, 1))
    nextDueOfLane = .allocate(capacity: max(lanes, 1))
    nextDueOfLane.initialize(repeating: .max, count: max(lanes, 1))
  }

  deinit {
    nextDueOfLane.deallocate()
    announced.deallocate()
  }

  /// The next moment of the lane's loop, `.max` when there is none. Valid as long as the ledger.
  func nextDue(lane: Int) -> UnsafePointer<UInt64> { UnsafePointer(nextDueOfLane + lane) }

  /// The common modes of a loop, for reports.
  func commonModes(loop: Int) -> ModeSet { loops.indices.contains(loop) ? loops[loop].common : ModeSet() }

  /// The lane a loop runs on, nil while it never ran.
  func lane(ofLoop loop: Int) -> Int? {
    loops.indices.contains(loop) && loops[loop].lane >= 0 ? loops[loop].lane : nil
  }

  // MARK: Life of timers

  mutating func create(object: UInt32, name: UInt32, intervalNs: UInt64, due: Int64, site: UInt32) {
    forget(object: object)
    timers.place(
      FollowedTimer(
        object: object, name: name, site: site,
        intervalNs: min(Int64(clamping: intervalNs), Int64.timeLimit / 2),
        pointNs: due.multipliedClamping(by: unit)))
  }

  /// Drops the timer that an object's slot belonged to.
  private mutating func forget(object: UInt32) {
    guard let index = timers.indexOfSlot(object) else { return }
    if timers[index].loop >= 0 { loops[timers[index].loop].live -= 1 }
    timers.remove(index)
  }

  mutating func add(object: UInt32, mode: UInt8, loop: UInt32, time: UInt64) {
    guard let index = timers.find(object) else { return }
    leaveClass(index)
    if mode == commonModesID, mode != 0 {
      timers[index].isCommon = true
    } else {
      timers[index].modes.insert(mode)
    }
    if timers[index].loop < 0, loop != 0 {
      timers[index].loop = loopIndex(loop)
      loops[timers[index].loop].live += 1
    }
    guard timers[index].addedAt == nil, timers[index].loop >= 0 else { return }
    timers[index].addedAt = time
    timers[index].status = .scheduled
    schedule(index)
  }

  mutating func remove(object: UInt32, mode: UInt8) {
    guard let index = timers.find(object) else { return }
    leaveClass(index)
    if mode == commonModesID, mode != 0 {
      timers[index].isCommon = false
    } else {
      timers[index].modes.remove(mode)
    }
  }

  /// The timer's modes change, so it counts to another class from now on.
  private mutating func leaveClass(_ index: Int) {
    timers[index].classIndex = -1
    timers[index].isCounted = false
  }

  mutating func invalidate(object: UInt32) {
    guard let index = timers.find(object) else { return }
    withdraw(index)
    // A timer that dies before it was ever due is one of its class, too.
    if timers[index].addedAt != nil { _ = resolve(index) }
    forget(object: object)
  }

  mutating func reschedule(object: UInt32, due: Int64) {
    guard let index = timers.find(object) else { return }
    withdraw(index)
    let point = due.multipliedClamping(by: unit)
    timers[index].isPointDropped = false
    guard timers[index].addedAt != nil else {
      timers[index].pointNs = point
      return
    }
    if timers[index].status == .firing {
      // Honoured after the callout, and the grid begins anew there.
      timers[index].gridNs = point
    } else {
      timers[index].pointNs = point
      timers[index].status = .scheduled
    }
    schedule(index)
  }

  /// A due point in the past is moved or dies before it fired.
  private mutating func withdraw(_ index: Int) {
    guard timers[index].status == .overdue, !timers[index].isBeforeWindow else { return }
    classes.classes[resolve(index)].withdrawn += 1
  }

  // MARK: Loops

  private mutating func loopIndex(_ object: UInt32) -> Int {
    if let known = loopOfObject[object] { return known }
    loops.append(Loop())
    loopOfObject[object] = loops.count - 1
    return loops.count - 1
  }

  mutating func addCommonMode(loop: UInt32, mode: UInt8) { loops[loopIndex(loop)].common.insert(mode) }

  /// A run of `loop` begins on a lane at `time`. Until its first one nothing ran it.
  mutating func seen(loop: UInt32, lane: Int, time: UInt64, clock: ModeClock) {
    let index = loopIndex(loop)
    guard loopOfLane[lane] != index else { return }
    loopOfLane[lane] = index
    loops[index].lane = lane
    passNotRunning(index, until: time) { clock.reading(at: $0) }
    updateNextDue(index)
  }

  /// Lets the moments of a loop pass that no thread has run yet.
  private mutating func passNotRunning(_ loop: Int, until end: UInt64, reading: (UInt64) -> ModeClock.Reading)
  {
    while let next = loops[loop].moments.min, next.time < end {
      loops[loop].moments.removeMin()
      guard timers[next.timer].version == next.version else { continue }
      pass(next.timer, at: next.time, until: end, .notRunning, 0, reading(next.time))
    }
  }

  private mutating func passUnrunLoops(until end: UInt64) {
    for loop in loops.indices where loops[loop].lane < 0 {
      passNotRunning(loop, until: end) { _ in ModeClock.Reading() }
    }
  }

  private mutating func updateNextDue(_ loop: Int) {
    let lane = loops[loop].lane
    if lane >= 0 { nextDueOfLane[lane] = loops[loop].moments.min?.time ?? .max }
  }

  // MARK: Moments

  /// The moment of a point: its own, but not before the timer was added.
  private func moment(_ timer: FollowedTimer, _ pointNs: Int64) -> UInt64 {
    let time = pointNs <= 0 ? 0 : UInt64(pointNs / unit)
    return max(time, timer.addedAt ?? 0)
  }

  /// Puts the timer's next moment on the heap; earlier entries become stale.
  private mutating func schedule(_ index: Int) {
    timers[index].version &+= 1
    let timer = timers[index]
    let point: Int64
    switch timer.status {
    case .unscheduled: return
    case .scheduled: point = timer.pointNs
    case .overdue, .firing:
      guard timer.intervalNs > 0 || timer.gridNs > timer.pointNs else { return }
      point = timer.gridNs
    }
    push(index, at: moment(timer, point))
  }

  private mutating func push(_ index: Int, at time: UInt64) {
    let loop = timers[index].loop
    loops[loop].moments.insert(Moment(time: time, timer: index, version: timers[index].version))
    // Stale entries are dropped when they come up, or here when they are most of the heap.
    if loops[loop].moments.count > 2 * loops[loop].live + 64 {
      var live: [Moment] = []
      for moment in loops[loop].moments.unordered where timers[moment.timer].version == moment.version {
        live.append(moment)
      }
      loops[loop].moments = Heap(live)
    }
    updateNextDue(loop)
  }

  /// Lets all moments before `time` pass, in the state that a lane has been in since its last event.
  mutating func advance(lane: Int, to time: UInt64, state: inout ThreadReplay) {
    let loop = loopOfLane[lane]
    guard loop >= 0 else {
      nextDueOfLane[lane] = .max
      return
    }
    while let next = loops[loop].moments.min, next.time < time {
      loops[loop].moments.removeMin()
      guard timers[next.timer].version == next.version else { continue }
      let (cause, column) = cause(next.timer, state)
      pass(next.timer, at: next.time, until: time, cause, column, state.modeClock.reading(at: next.time))
    }
    updateNextDue(loop)
  }

  private func cause(_ index: Int, _ state: borrowing ThreadReplay) -> (Cause, column: Int) {
    let mode = state.mode
    let column = ModeClock.column(mode)
    guard state.depth > 0 else { return (.notRunning, column) }
    if timers[index].status == .firing { return (.nestedRun, column) }
    guard isIn(index, mode) else { return (.wrongMode, column) }
    return (state.isInCallout || state.isObserving ? .busy : .scheduler, column)
  }

  private func isIn(_ index: Int, _ mode: UInt8) -> Bool {
    timers[index].modes.contains(mode)
      || (timers[index].isCommon && loops[timers[index].loop].common.contains(mode))
  }

  /// The timer's moment passes; so do all its grid points before `end`, in the same state.
  private mutating func pass(
    _ index: Int, at time: UInt64, until end: UInt64, _ cause: Cause, _ column: Int,
    _ reading: ModeClock.Reading
  ) {
    if timers[index].status == .scheduled, timers[index].isPointDropped {
      // Its cause is the one in force at its instant, as for any skipped point.
      timers[index].isPointDropped = false
      classes.classes[resolve(index)].skip(1, cause, column: column)
      timers[index].pointNs += timers[index].intervalNs
      push(index, at: moment(timers[index], timers[index].pointNs))
      return
    }
    if timers[index].status == .scheduled {
      timers[index].status = .overdue
      timers[index].isBeforeWindow = false
      timers[index].causeAtDue = cause
      timers[index].columnAtDue = column
      timers[index].tallies = 0
      timers[index].overdueSince = reading
      guard timers[index].intervalNs > 0 else { return }
      timers[index].gridNs = gridPoint(timers[index], after: time)
    }
    guard timers[index].intervalNs > 0 else { return }
    let endNs = Int64(clamping: end).multipliedClamping(by: unit)
    let grid = timers[index].gridNs
    if grid < endNs {
      if timers[index].tallies == 0 {
        timers[index].nextCause = cause
        timers[index].nextColumn = column
        timers[index].nextSince = reading
        timers[index].nextSince[column] &+= moment(timers[index], grid) &- time
      }
      let points = (endNs - 1 - grid) / timers[index].intervalNs + 1
      timers[index].gridNs = grid &+ points &* timers[index].intervalNs
      timers[index].tallies &+= UInt64(points)
      classes.classes[resolve(index)].skip(UInt64(points), cause, column: column)
    }
    push(index, at: moment(timers[index], timers[index].gridNs))
  }

  /// The first grid point behind both the point in force and `time`.
  private func gridPoint(_ timer: FollowedTimer, after time: UInt64) -> Int64 {
    let next = timer.pointNs &+ timer.intervalNs
    let timeNs = Int64(clamping: time).multipliedClamping(by: unit)
    guard next <= timeNs else { return next }
    return timer.pointNs &+ ((timeNs - timer.pointNs) / timer.intervalNs + 1) &* timer.intervalNs
  }

  // MARK: Fires

  /// The recorder says which due point the begin that follows answers.
  mutating func due(lane: Int, object: UInt32, due: Int64) { announced[lane] = (object, due) }

  /// A timer's callout begins.
  mutating func begin(lane: Int, object: UInt32, time: UInt64, state: inout ThreadReplay) {
    let announcement = announced[lane]
    announced[lane] = (0, 0)
    guard let index = timers.find(object) ?? placeAnonymous(object) else { return }
    let row = classes.classes + resolve(index)
    guard state.depth > 0 else {
      row.pointee.manual += 1
      return
    }
    guard timers[index].isKnown, timers[index].addedAt != nil, announcement.object == object, object != 0
    else {
      row.pointee.fired += 1
      row.pointee.firedWithoutDue += 1
      return
    }
    let dueNs = announcement.due.multipliedClamping(by: unit)
    if !(timers[index].status == .overdue && timers[index].isBeforeWindow) {
      row.pointee.fired += 1
      settle(index, row, dueNs: dueNs, time: time, state)
    }
    startCallout(index, dueNs: dueNs)
  }

  /// Books the lateness of a fire, and its due point among those passed.
  private mutating func settle(
    _ index: Int, _ row: UnsafeMutablePointer<TimerClass>, dueNs: Int64, time: UInt64,
    _ state: borrowing ThreadReplay
  ) {
    let timer = timers[index]
    let due = moment(timer, dueNs)
    guard due <= time else {
      row.pointee.early += 1
      row.pointee.lateness.record(0)
      return
    }
    let lateness = time - due
    row.pointee.lateness.record(lateness)
    guard timer.status == .overdue else {
      // Due at this very moment, or moved without the recorder's knowledge.
      row.pointee.overdueBy[ModeClock.column(state.mode)] &+= lateness
      return
    }
    var since = timer.overdueSince
    var columnAtDue = timer.columnAtDue
    if timer.intervalNs > 0, dueNs - timer.pointNs > timer.intervalNs / 2 {
      // The loop's clock, read after the callout's end was stamped, was past the point that seemed in force: that
      // one is skipped, and the one behind it, tallied as skipped, fires.
      if timer.tallies > 0 { row.pointee.unskip(timer.nextCause, column: timer.nextColumn) }
      row.pointee.skip(1, timer.causeAtDue, column: timer.columnAtDue)
      since = timer.nextSince
      columnAtDue = timer.nextColumn
    }
    var spans = state.modeClock.reading(at: time) &- since
    // The announced point is exact, the one that passed was computed: the difference goes to the mode at the due
    // point, so that the spans sum to the lateness.
    var excess = spans.wrappedSum() &- lateness
    if Int64(bitPattern: excess) < 0 {
      spans[columnAtDue] &-= excess
    } else {
      for column in 0..<ModeClock.columns where excess > 0 {
        let part = min(excess, spans[column])
        spans[column] -= part
        excess -= part
      }
    }
    row.pointee.overdueBy &+= spans
  }

  private mutating func startCallout(_ index: Int, dueNs: Int64) {
    let interval = timers[index].intervalNs
    guard interval > 0 else {
      timers[index].status = .unscheduled
      timers[index].version &+= 1
      return
    }
    // Grid points between due point and now have been tallied: go on behind them, on the announced grid.
    var next = dueNs &+ interval
    if timers[index].status == .overdue, timers[index].gridNs > next {
      next = dueNs &+ ((timers[index].gridNs - dueNs + interval / 2) / interval) &* interval
    }
    timers[index].status = .firing
    timers[index].isBeforeWindow = false
    timers[index].pointNs = dueNs
    timers[index].gridNs = next
    schedule(index)
  }

  /// The callout ends: the next grid point is in force. One that lies at this very moment is dropped, because
  /// the loop looks at its clock later.
  mutating func end(object: UInt32, time: UInt64) {
    guard let index = timers.find(object), timers[index].status == .firing else { return }
    timers[index].status = .scheduled
    timers[index].pointNs = timers[index].gridNs
    timers[index].isPointDropped =
      timers[index].intervalNs > 0 && moment(timers[index], timers[index].pointNs) <= time
  }

  /// Takes in a timer that was created before the recording.
  private mutating func placeAnonymous(_ object: UInt32) -> Int? {
    forget(object: object)
    var timer = FollowedTimer(object: object, name: 0, site: 0, intervalNs: 0, pointNs: 0)
    timer.isKnown = false
    return timers.place(timer)
  }

  // MARK: Classes

  /// The timer's class, resolved again after its modes changed.
  @inline(__always)
  private mutating func resolve(_ index: Int) -> Int {
    timers[index].isCounted ? timers[index].classIndex : resolveAnew(index)
  }

  private mutating func resolveAnew(_ index: Int) -> Int {
    if timers[index].classIndex < 0 {
      let timer = timers[index]
      timers[index].classIndex = classes.index(
        TimerClassKey(
          site: timer.site, name: timer.site == 0 ? timer.name : 0,
          anonymousObject: timer.isKnown ? 0 : timer.object,
          intervalNs: UInt64(timer.intervalNs), modes: timer.modes, isCommon: timer.isCommon, loop: timer.loop
        ),
        name: timer.name)
    }
    timers[index].isCounted = true
    classes.classes[timers[index].classIndex].objects += 1
    return timers[index].classIndex
  }

  // MARK: The window

  /// Forgets what was counted; points overdue now belong to the time before.
  mutating func beginWindow(_ time: UInt64) {
    passUnrunLoops(until: time)
    classes.reset()
    for index in 0..<timers.count {
      timers[index].isCounted = false
      timers[index].tallies = 0
      if timers[index].status == .overdue { timers[index].isBeforeWindow = true }
    }
  }

  /// Books what is overdue at the end, and loops that never ran.
  mutating func finish(end: UInt64) {
    passUnrunLoops(until: end)
    for index in 0..<timers.count where timers[index].addedAt != nil && timers[index].object != 0 {
      guard timers.find(timers[index].object) == index else { continue }
      let row = classes.classes + resolve(index)
      guard timers[index].status == .overdue, !timers[index].isBeforeWindow else { continue }
      row.pointee.pending += 1
      row.pointee.pendingOverdue &+= end &- min(end, moment(timers[index], timers[index].pointNs))
    }
  }
}

extension Int64 {
  /// The product, or the nearest number that fits: absurd times of a damaged file stay absurd, and trap nothing.
  fileprivate func multipliedClamping(by factor: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: factor)
    guard overflow else { return product.clampedToTime }
    return self < 0 ? -Int64.timeLimit : Int64.timeLimit
  }

  /// Leaves room for sums and differences of a few times.
  fileprivate static var timeLimit: Int64 { 1 << 61 }
  fileprivate var clampedToTime: Int64 { Swift.min(Swift.max(self, -Int64.timeLimit), Int64.timeLimit) }
}
