/// Where a timer is on its grid of due points: CFRunLoop's rules for one timer, and nothing about who ran meanwhile.
///
///     unscheduled ── enters ──▶ scheduled ── passes ──▶ overdue ── begins ──▶ firing ── ends ──▶ scheduled
///
/// Points are nanoseconds, because an interval need not be a whole number of time units; moments of events are time
/// units. docs/analysis.md has the rules.
struct TimerSchedule {
  enum State {
    /// In no mode, or a one-shot that fired.
    case unscheduled
    /// The point in force lies ahead.
    case scheduled
    /// The point in force has passed, and nothing has answered it.
    case overdue
    /// Its callout runs, and its fire date may have been moved since that began.
    case firing(Move?)
  }

  /// A fire date that was set while the callout ran: honoured after the callout, and the grid begins anew there.
  struct Move {
    /// The point that fired, and the next one of its grid: the loop goes back to them when the date is moved once more,
    /// to the past.
    var firedNs: Int64
    var gridNs: Int64
    /// On its loop's thread, in its callout: then the old grid ended with the point that fired.
    var isByItself = false
    /// That point has passed, while the callout runs.
    var isDue = false
  }

  /// What the passing of a point means to whoever keeps books.
  struct Step {
    /// A point came due.
    var isDue = false
    /// Points that passed for good, after the one in force.
    var skipped: UInt64 = 0
    /// The first of them.
    var skippedFromNs: Int64 = 0
  }

  /// 0 = one-shot.
  let intervalNs: Int64
  let scale: TimeScale
  private(set) var state = State.unscheduled
  /// The due point in force.
  private(set) var pointNs: Int64
  /// The next grid point behind it, while overdue or firing.
  private(set) var gridNs: Int64 = 0
  /// When it entered a first mode, nil in none.
  private(set) var enteredAt: Moment?

  // MARK: Views

  /// The moment of a point: its own, but not before the timer entered a mode.
  @inline(__always)
  func moment(_ pointNs: Int64) -> Moment {
    max(scale.moment(ofPointNs: pointNs), enteredAt ?? .origin)
  }

  /// Of the point in force.
  var moment: Moment { moment(pointNs) }

  /// When the schedule next goes on by itself; nil = never.
  var next: Moment? {
    guard enteredAt != nil else { return nil }
    switch state {
    case .unscheduled: return nil
    case .scheduled: return moment
    case .overdue, .firing: return intervalNs > 0 ? moment(gridNs) : nil
    }
  }

  /// A due point has passed, and nothing has answered it.
  var isOverdue: Bool {
    switch state {
    case .overdue: true
    case .firing(let move?): move.isDue
    default: false
    }
  }

  var isFiring: Bool { if case .firing = state { true } else { false } }

  /// Its callout moved a point that has passed meanwhile.
  var isDueWhileFiring: Bool { isFiring && isOverdue }

  /// Its fire date was moved since its callout began.
  var isMoved: Bool { if case .firing(_?) = state { true } else { false } }

  /// Its own callout moved it: nothing behind the point that fired was due.
  var isMovedByItself: Bool { if case .firing(let move?) = state { move.isByItself } else { false } }

  /// Whether a move is to no effect: the loop ignores a date that does not lie behind the point that fired.
  func ignores(moveToNs point: Int64) -> Bool {
    guard case .firing(let move) = state else { return false }
    return point <= move?.firedNs ?? pointNs
  }

  /// Whether its grid goes there from the callout that runs, moved or not: the point itself, or one unit of rounding
  /// beside it. A dispatch timer's recorder says it in so many words.
  func goesOn(toNs point: Int64) -> Bool {
    guard case .firing(nil) = state, intervalNs > 0 else { return false }
    return (point &- gridNs).magnitude <= scale.ns(.unit)
  }

  /// Whether a callout may answer this point: the point in force, or a later one of its grid. Recorded points may be
  /// slightly off: if a timer does not give its due point, the wall clock gives it.
  @inline(__always)
  func expects(_ dueNs: Int64) -> Bool {
    (dueNs &- pointNs).magnitude <= scale.ns(.unit) || isOfGrid(dueNs)
  }

  @inline(never)
  private func isOfGrid(_ dueNs: Int64) -> Bool {
    guard enteredAt != nil else { return true }
    switch state {
    case .unscheduled, .firing: return true
    case .scheduled, .overdue: break
    }
    let behind = dueNs &- pointNs
    guard intervalNs > 0 else { return behind.magnitude <= UInt64(TimeScale.inexactNs) }
    let room = min(TimeScale.inexactNs, intervalNs / 4)
    let offGrid = behind - behind / intervalNs * intervalNs
    let isOnGrid = offGrid <= room && offGrid >= -room || offGrid >= intervalNs - room
    return isOnGrid && behind >= -room
  }

  // MARK: Steps

  /// A callout answers a point other than the one in force. `goesOn`: the passed grid belongs to this point.
  mutating func replace(pointNs point: Int64, goesOn: Bool) {
    pointNs = point
    state = goesOn ? .overdue : .scheduled
  }

  /// It enters a first mode: its points count from `time` on.
  mutating func enter(at time: Moment) {
    enteredAt = time
    switch state {
    // It had left in its own callout.
    case .firing(nil): gridNs = gridPoint(after: time)
    case .firing: break
    case .unscheduled, .scheduled, .overdue: state = .scheduled
    }
  }

  /// It leaves its last mode: nothing is due until it enters one again.
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

  /// The point in force, or the next one of the grid behind it, passes at `time`; so do all those before `end`.
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
    let points = (endNs - 1 - gridNs) / intervalNs + 1
    step.skipped = UInt64(points)
    step.skippedFromNs = gridNs
    gridNs = gridNs &+ points &* intervalNs
    return step
  }

  private mutating func comesDue(_ time: Moment, _ step: inout Step) {
    step.isDue = true
    if intervalNs > 0 { gridNs = gridPoint(after: time) }
  }

  /// Its callout begins, and answers a point.
  mutating func begin(dueNs: Int64) {
    guard intervalNs > 0 else {
      state = .unscheduled
      return
    }
    // Grid points between due point and now have been tallied: go on behind them, on the announced grid.
    var next = dueNs &+ intervalNs
    if case .overdue = state, gridNs > next {
      next = dueNs &+ ((gridNs - dueNs + intervalNs / 2) / intervalNs) &* intervalNs
    }
    // Grid points before it entered a mode were never due.
    let entered = scale.pointNs(at: enteredAt ?? .origin)
    if next <= entered { next = dueNs &+ ((entered - dueNs) / intervalNs + 1) &* intervalNs }
    state = .firing(nil)
    pointNs = dueNs
    gridNs = next
  }

  /// The timer's callout ends, and the next grid point is in force. Returns the point that is dropped before it, if
  /// any: it lies at the moment of the end, and the loop looks at its clock later.
  mutating func end(at time: Moment) -> Int64? {
    guard case .firing(let move) = state else { return nil }
    guard enteredAt != nil else {
      // It left its last mode: the loop computes its next date all the same.
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

  /// Its fire date is moved to a point.
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

  /// The old grid goes on.
  private mutating func goBack(to move: Move?) {
    guard let move else { return }
    pointNs = move.firedNs
    gridNs = move.gridNs
    state = .firing(nil)
  }

  /// CFRunLoop's rule: the first grid point behind both the point in force and `time`.
  private func gridPoint(after time: Moment) -> Int64 {
    TimerGrid.next(after: scale.pointNs(at: time), from: pointNs, intervalNs)
  }
}
