import TraceFormat

/// Whoever ran while points of a timer class were due.
package struct Blocker {
  /// Of the callout's begin, or of the activity whose observers ran.
  package var kind: EventKind
  package var name: StringID
  /// Of the lateness of fires.
  package var time = Length.zero
  /// Due points that were skipped.
  package var points: UInt64 = 0
}

/// In the order in which they came, at most `AnalysisLimits.blockers`.
package struct Blockers {
  package private(set) var list: [Blocker] = []

  @inline(never)
  mutating func blame(_ kind: EventKind, _ name: StringID, time: Length = .zero, points: UInt64 = 0) {
    var at = index(kind, name)
    if at == nil, list.count < AnalysisLimits.blockers {
      list.append(Blocker(kind: kind, name: name))
      at = list.count - 1
    }
    // Beyond the limit: in the sum for `busy`, under no name.
    guard let at else { return }
    list[at].time &+= time
    list[at].points = list[at].points.saturated(adding: points)
  }

  mutating func unblame(_ blocker: Blocker, points: UInt64) {
    guard let at = index(blocker.kind, blocker.name) else { return }
    list[at].points &-= min(list[at].points, points)
    if list[at].points == 0, list[at].time == .zero { list.remove(at: at) }
  }

  /// Who ran when the first point came due.
  mutating func takeFirst() -> Blocker? {
    guard let first = list.first, first.points > 0 else { return nil }
    list[0].points &-= 1
    return first
  }

  private func index(_ kind: EventKind, _ name: StringID) -> Int? {
    list.firstIndex { $0.kind == kind && $0.name == name }
  }
}

/// Points that were skipped: of a class, or of one timer since a point came due, so that they can be taken back.
package struct Skips {
  /// By `Cause.rawValue`, by the column of the mode that they came in, and of those for `wrongMode`.
  package private(set) var byCause = CauseAmounts()
  package private(set) var byColumn = SIMD16<UInt64>()
  package private(set) var wrongModeBy = SIMD16<UInt64>()
  /// Of those for `busy`; of a class, who ran while points were late as well.
  package var blockers = Blockers()

  mutating func add(_ count: UInt64, _ cause: Cause, column: Int) {
    Skips.add(count, to: &byCause[cause.rawValue])
    Skips.add(count, to: &byColumn[column])
    if cause == .wrongMode { Skips.add(count, to: &wrongModeBy[column]) }
  }

  private static func add(_ count: UInt64, to sum: inout UInt64) { sum = sum.saturated(adding: count) }

  /// False where none is like that.
  private mutating func removeOne(_ cause: Cause, column: Int) -> Bool {
    guard byCause[cause.rawValue] > 0, byColumn[column] > 0 else { return false }
    byCause[cause.rawValue] &-= 1
    byColumn[column] &-= 1
    if cause == .wrongMode, wrongModeBy[column] > 0 { wrongModeBy[column] &-= 1 }
    return true
  }

  /// The first of a timer fires after all. Returns who ran when it came due, nil when nobody is blamed for it.
  mutating func takeFirst(_ cause: Cause, column: Int) -> Blocker? {
    removeOne(cause, column: column) && cause == .busy ? blockers.takeFirst() : nil
  }

  /// It was one of this class. `blamed`: who ran when it came due.
  mutating func takeBack(_ cause: Cause, column: Int, blamed: Blocker?) {
    if removeOne(cause, column: column), let blamed { blockers.unblame(blamed, points: 1) }
  }

  /// These points were not due.
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
    // In place: it is half a kilobyte.
    skipsInDoubt[index, default: Skips()].add(count, cause, column: column)
    guard cause == .busy else { return }
    skipsInDoubt[index]?.blockers.blame(running.kind, objects.name(of: running.object), points: count)
  }

  /// The point in force is answered, withdrawn or followed by another: what was skipped behind it stays so. Unless the
  /// timer's own callout moved it, or ended it (`byItself`): then its grid ended with the point that fired, and nothing
  /// behind was due.
  mutating func settleSkips(_ index: Int, byItself: Bool = false) {
    guard !skipsInDoubt.isEmpty, let tally = skipsInDoubt.removeValue(forKey: index),
      timers[index].schedule.isMovedByItself || byItself && timers[index].schedule.isFiring
    else { return tellSkips(index) }
    classes.rows[resolve(index)].skips.subtract(tally)
    heldSkips[index] = nil
  }
}
