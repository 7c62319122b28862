import TraceFormat

/// A callout, or observers of an activity, that ran while points of a timer class were due.
package struct Blocker {
  /// The kind of the callout's begin, or the activity whose observers ran.
  package var kind: EventKind
  package var name: StringID
  /// The lateness of fires that it caused.
  package var time = Length.zero
  /// The number of due points that were skipped because of it.
  package var points: UInt64 = 0
}

/// The blockers in the order in which they came, at most `AnalysisLimits.blockers`.
package struct Blockers {
  package private(set) var list: [Blocker] = []

  @inline(never)
  mutating func blame(_ kind: EventKind, _ name: StringID, time: Length = .zero, points: UInt64 = 0) {
    var at = index(kind, name)
    if at == nil, list.count < AnalysisLimits.blockers {
      list.append(Blocker(kind: kind, name: name))
      at = list.count - 1
    }
    // Beyond the limit, the time counts only in the sum for `busy`.
    guard let at else { return }
    list[at].time &+= time
    list[at].points = list[at].points.saturated(adding: points)
  }

  mutating func unblame(_ blocker: Blocker, points: UInt64) {
    guard let at = index(blocker.kind, blocker.name) else { return }
    list[at].points &-= min(list[at].points, points)
    if list[at].points == 0, list[at].time == .zero { list.remove(at: at) }
  }

  /// Takes one point from the blocker that ran when the first point came due, and returns it.
  mutating func takeFirst() -> Blocker? {
    guard let first = list.first, first.points > 0 else { return nil }
    list[0].points &-= 1
    return first
  }

  private func index(_ kind: EventKind, _ name: StringID) -> Int? {
    list.firstIndex { $0.kind == kind && $0.name == name }
  }
}

/// The skipped points of a class, or of one timer since a point came due. The latter can be taken back.
package struct Skips {
  /// The points by `Cause.rawValue`, by the column of the mode in which they came due, and those with the cause
  /// `wrongMode` by that column.
  package private(set) var byCause = CauseAmounts()
  package private(set) var byColumn = SIMD16<UInt64>()
  package private(set) var wrongModeBy = SIMD16<UInt64>()
  /// The callouts behind the cause `busy`. For a class, also the callouts that ran while points were late.
  package var blockers = Blockers()

  mutating func add(_ count: UInt64, _ cause: Cause, column: Int) {
    Skips.add(count, to: &byCause[cause.rawValue])
    Skips.add(count, to: &byColumn[column])
    if cause == .wrongMode { Skips.add(count, to: &wrongModeBy[column]) }
  }

  /// Adds the points of another timer.
  mutating func add(_ other: Skips) {
    for i in byCause.indices { Skips.add(other.byCause[i], to: &byCause[i]) }
    for i in byColumn.indices {
      Skips.add(other.byColumn[i], to: &byColumn[i])
      Skips.add(other.wrongModeBy[i], to: &wrongModeBy[i])
    }
    for blocker in other.blockers.list {
      blockers.blame(blocker.kind, blocker.name, time: blocker.time, points: blocker.points)
    }
  }

  private static func add(_ count: UInt64, to sum: inout UInt64) { sum = sum.saturated(adding: count) }

  /// Removes one point. Returns false if there is none with this cause and column.
  private mutating func removeOne(_ cause: Cause, column: Int) -> Bool {
    guard byCause[cause.rawValue] > 0, byColumn[column] > 0 else { return false }
    byCause[cause.rawValue] &-= 1
    byColumn[column] &-= 1
    if cause == .wrongMode, wrongModeBy[column] > 0 { wrongModeBy[column] &-= 1 }
    return true
  }

  /// Takes back the timer's first skipped point, which fires after all. Returns the blocker at its due time, if any.
  mutating func takeFirst(_ cause: Cause, column: Int) -> Blocker? {
    removeOne(cause, column: column) && cause == .busy ? blockers.takeFirst() : nil
  }

  /// Takes back a point of this class. `blamed` is the blocker at its due time.
  mutating func takeBack(_ cause: Cause, column: Int, blamed: Blocker?) {
    if removeOne(cause, column: column), let blamed { blockers.unblame(blamed, points: 1) }
  }

  /// Removes points that were not due.
  mutating func subtract(_ other: Skips) {
    for i in byCause.indices { byCause[i] &-= min(byCause[i], other.byCause[i]) }
    for i in byColumn.indices {
      byColumn[i] &-= min(byColumn[i], other.byColumn[i])
      wrongModeBy[i] &-= min(wrongModeBy[i], other.wrongModeBy[i])
    }
    for blocker in other.blockers.list { blockers.unblame(blocker, points: blocker.points) }
  }
}

/// Skipped points that may not have been due.
extension TimerLedger {
  mutating func doubt(_ index: Int, _ count: UInt64, _ cause: Cause, _ column: Int, _ running: Running) {
    // Modified in place, because a copy would take half a kilobyte.
    skipsInDoubt[index, default: Skips()].add(count, cause, column: column)
    guard cause == .busy else { return }
    skipsInDoubt[index]?.blockers.blame(running.kind, objects.name(of: running.object), points: count)
  }

  /// Confirms the points skipped after the one in force, when that one is answered, withdrawn or replaced. They are
  /// removed if the timer's own callout moved or ended the timer (`byItself`): its grid then ended with the point
  /// that fired, and no later point was due. Once a date that was set in the callout has passed, the points are those
  /// behind that date. They are also removed if lost events may have moved, fired or ended the timer.
  mutating func settleSkips(_ index: Int, byItself: Bool = false) {
    if skipsInDoubt[index] != nil { classify(index) }
    guard !skipsInDoubt.isEmpty, let tally = skipsInDoubt.removeValue(forKey: index),
      isInDoubt(index)
        || timers[index].schedule.isFiring && !timers[index].schedule.isOverdue
          && (timers[index].schedule.isMovedByItself || byItself)
    else { return reportSkips(index) }
    classes.rows[resolve(index)].skips.subtract(tally)
    timers[index].missed.subtract(tally.byCause)
    heldSkips[index] = nil
  }
}
