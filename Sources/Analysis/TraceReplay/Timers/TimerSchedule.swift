/// A timer's position on its grid of due points: CFRunLoop's rules for one timer, without what ran meanwhile.
///
///     unscheduled ── enters ──▶ scheduled ── passes ──▶ overdue ── begins ──▶ firing ── ends ──▶ scheduled
///
/// Points are in nanoseconds, because an interval need not be a whole number of time units. Moments of events are in
/// time units. docs/reference/numbers.md has the rules.
struct TimerSchedule {
  enum State {
    /// In no mode, or a one-shot timer that has fired.
    case unscheduled
    /// The point in force lies ahead.
    case scheduled
    /// The point in force has passed and has not been answered.
    case overdue
    /// The callout is running. The fire date may have been moved since its start.
    case firing(Move?)
  }

  /// A fire date that was set while the callout ran. It takes effect after the callout, and the grid restarts
  /// there.
  struct Move {
    /// The point that fired, and the next one of its grid. The loop returns to them when the date is moved again, to
    /// the past.
    var firedNs: Int64
    var gridNs: Int64
    /// The callout itself moved the date. The old grid then ended with the point that fired.
    var isByItself = false
    /// The new point has passed while the callout is running.
    var isDue = false
  }

  /// The result of the passing of a point.
  struct Step {
    /// A point came due.
    var isDue = false
    /// The number of points after the one in force that passed and can no longer fire.
    var skipped: UInt64 = 0
    /// The first of these points.
    var skippedFromNs: Int64 = 0
  }

  /// 0 = one-shot.
  let intervalNs: Int64
  let scale: TimeScale
  private(set) var state = State.unscheduled
  /// The due point in force.
  private(set) var pointNs: Int64
  /// The next grid point after it, while overdue or firing.
  private(set) var gridNs: Int64 = 0
  /// When the timer entered its first mode; nil = in no mode.
  private(set) var enteredAt: Moment?

  // MARK: Derived properties

  /// Returns the moment of a point, but not before the timer entered a mode.
  @inline(__always)
  func moment(_ pointNs: Int64) -> Moment {
    max(scale.moment(ofPointNs: pointNs), enteredAt ?? .origin)
  }

  /// The moment of the point in force.
  var moment: Moment { moment(pointNs) }

  /// When the schedule next changes by itself; nil = never.
  var next: Moment? {
    guard enteredAt != nil else { return nil }
    switch state {
    case .unscheduled: return nil
    case .scheduled: return moment
    case .overdue, .firing: return intervalNs > 0 ? moment(gridNs) : nil
    }
  }

  /// Whether a due point has passed and has not been answered.
  var isOverdue: Bool {
    switch state {
    case .overdue: true
    case .firing(let move?): move.isDue
    default: false
    }
  }

  var isFiring: Bool { if case .firing = state { true } else { false } }

  /// Whether its callout moved it to a point that has passed in the meantime.
  var isDueWhileFiring: Bool { isFiring && isOverdue }

  /// Whether its fire date was moved since its callout began.
  var isMoved: Bool { if case .firing(_?) = state { true } else { false } }

  /// Whether its own callout moved it. No point after the one that fired was then due.
  var isMovedByItself: Bool { if case .firing(let move?) = state { move.isByItself } else { false } }

  /// Returns whether a move has no effect: the loop ignores a date that does not lie after the point that fired.
  func ignores(moveToNs point: Int64) -> Bool {
    guard case .firing(let move) = state else { return false }
    return point <= move?.firedNs ?? pointNs
  }

  /// Returns whether the point is the next one of the grid during the callout, within one unit of rounding. The
  /// recorder of a dispatch timer reports such a move.
  func continues(toNs point: Int64) -> Bool {
    guard case .firing(nil) = state, intervalNs > 0 else { return false }
    return (point &- gridNs).magnitude <= scale.ns(.unit)
  }

  /// Returns whether a point is the one in force, within one unit of rounding.
  @inline(__always)
  func isInForce(_ dueNs: Int64) -> Bool { (dueNs &- pointNs).magnitude <= scale.ns(.unit) }

  /// Returns whether a callout may answer this point, because it is the one in force or a later one of its grid.
  /// Recorded points may be slightly off, because the wall clock supplies the point of a timer that does not state it.
  @inline(never)
  func isOfGrid(_ dueNs: Int64) -> Bool {
    guard enteredAt != nil else { return true }
    switch state {
    case .unscheduled, .firing: return true
    case .scheduled, .overdue: break
    }
    let behind = dueNs &- pointNs
    guard intervalNs > 0 else { return behind.magnitude <= UInt64(TimeScale.inexactNs) }
    let room = min(TimeScale.inexactNs, intervalNs / 4)
    let offGrid = behind % intervalNs
    let isOnGrid = offGrid <= room && offGrid >= -room || offGrid >= intervalNs - room
    return isOnGrid && behind >= -room
  }

  // MARK: Steps

  /// Replaces the point in force with another one that a callout answers. `keepsGrid`: the grid that has passed belongs
  /// to this point.
  mutating func replace(pointNs point: Int64, keepsGrid: Bool) {
    pointNs = point
    state = keepsGrid ? .overdue : .scheduled
  }

  /// Enters a first mode. Points count from `time` on.
  mutating func enter(at time: Moment) {
    enteredAt = time
    switch state {
    // The timer had left its modes in its own callout.
    case .firing(nil): gridNs = gridPoint(after: time)
    case .firing: break
    case .unscheduled, .scheduled, .overdue: state = .scheduled
    }
  }

  /// Leaves the last mode. Nothing is due until the timer enters a mode again.
  mutating func leave() {
    enteredAt = nil
    switch state {
    case .firing(var move?):
      move.isDue = false
      state = .firing(move)
    case .firing(nil): break
    case .unscheduled, .scheduled, .overdue: state = .unscheduled
    }
  }

  /// Lets the point in force, or the next grid point after it, pass at `time`, and all grid points before `end`.
  mutating func pass(_ time: Moment, until end: Moment) -> Step {
    var step = Step()
    switch state {
    case .scheduled:
      state = .overdue
      comesDue(time, &step)
    case .firing(var move?) where !move.isDue:
      move.isDue = true
      state = .firing(move)
      pointNs = gridNs
      comesDue(time, &step)
    case .unscheduled: return step
    case .overdue, .firing: break
    }
    let endNs = scale.pointNs(at: end)
    guard intervalNs > 0, gridNs < endNs else { return step }
    let points = (endNs &- 1 &- gridNs) / intervalNs &+ 1
    step.skipped = UInt64(clamping: points)
    step.skippedFromNs = gridNs
    gridNs = gridNs &+ points &* intervalNs
    return step
  }

  private mutating func comesDue(_ time: Moment, _ step: inout Step) {
    step.isDue = true
    if intervalNs > 0 { gridNs = gridPoint(after: time) }
  }

  /// Begins the callout that answers a point.
  mutating func begin(dueNs: Int64) {
    guard intervalNs > 0 else {
      state = .unscheduled
      return
    }
    // Grid points between the due point and now have been counted: continue after them, on the announced grid.
    var next = dueNs &+ intervalNs
    if case .overdue = state, gridNs > next {
      next = dueNs &+ ((gridNs &- dueNs &+ intervalNs / 2) / intervalNs) &* intervalNs
    }
    // Grid points before the timer entered a mode were never due.
    let entered = scale.pointNs(at: enteredAt ?? .origin)
    if next <= entered { next = dueNs &+ ((entered - dueNs) / intervalNs + 1) &* intervalNs }
    state = .firing(nil)
    pointNs = dueNs
    gridNs = next
  }

  /// Ends the timer's callout. The next grid point is then in force. Returns the point dropped before it, if any: it
  /// lies at the moment of the end, and the loop reads its clock later.
  mutating func end(at time: Moment) -> Int64? {
    guard case .firing(let move) = state else { return nil }
    guard enteredAt != nil else {
      // The timer left its last mode: the loop computes its next date anyway.
      pointNs = move == nil ? gridPoint(after: time) : gridNs
      state = .unscheduled
      return nil
    }
    guard move?.isDue != true else {
      state = .overdue
      return nil
    }
    pointNs = gridNs
    state = .scheduled
    guard intervalNs > 0, move == nil, moment <= time else { return nil }
    pointNs &+= intervalNs
    return gridNs
  }

  /// Moves the fire date to a point.
  mutating func move(toNs point: Int64, byItself: Bool) {
    switch state {
    case .firing(let move):
      guard !ignores(moveToNs: point) else { return goBack(to: move) }
      var moved = move ?? Move(firedNs: pointNs, gridNs: gridNs)
      moved.isByItself = moved.isByItself || byItself
      moved.isDue = false
      gridNs = point
      state = .firing(moved)
    case .unscheduled, .scheduled, .overdue:
      pointNs = point
      state = enteredAt == nil ? state : .scheduled
    }
  }

  /// Returns to the old grid.
  private mutating func goBack(to move: Move?) {
    guard let move else { return }
    pointNs = move.firedNs
    gridNs = move.gridNs
    state = .firing(nil)
  }

  /// Returns the first grid point after both the point in force and `time`, by CFRunLoop's rule.
  private func gridPoint(after time: Moment) -> Int64 {
    TimerGrid.next(after: scale.pointNs(at: time), from: pointNs, intervalNs)
  }
}
