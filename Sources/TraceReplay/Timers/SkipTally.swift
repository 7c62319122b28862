import TraceFormat

/// What was skipped of one timer since a point came due, so that it can be taken back.
struct SkipTally {
  /// By `Cause.rawValue`, by the column of the mode that they came in, and of those for `wrongMode`.
  private(set) var byCause = CauseAmounts()
  private(set) var byColumn = SIMD16<UInt64>()
  private(set) var wrongModeBy = SIMD16<UInt64>()
  /// Who ran, in the order of the points; as many as a class has room for.
  private(set) var blamed: [Blocker] = []

  mutating func add(_ count: UInt64, _ cause: Cause, column: Int) {
    byCause.add(count, at: cause.rawValue)
    byColumn.add(count, at: column)
    if cause == .wrongMode { wrongModeBy.add(count, at: column) }
  }

  mutating func blame(kind: EventKind, name: StringID, points: UInt64) {
    if let at = blamed.firstIndex(where: { $0.kind == kind && $0.name == name }) {
      blamed[at].points &+= points
    } else if blamed.count < AnalysisLimits.blockers {
      blamed.append(Blocker(kind: kind, name: name, points: points))
    }
  }

  /// The first point fires after all. Returns who ran when it came due, nil when nobody is blamed for it.
  mutating func takeFirst(_ cause: Cause, column: Int) -> Blocker? {
    guard byCause[cause.rawValue] > 0, byColumn[column] > 0 else { return nil }
    byCause[cause.rawValue] &-= 1
    byColumn[column] &-= 1
    if cause == .wrongMode, wrongModeBy[column] > 0 { wrongModeBy[column] &-= 1 }
    guard cause == .busy, let first = blamed.first, first.points > 0 else { return nil }
    blamed[0].points &-= 1
    return first
  }
}

/// Skipped points that may not have been due.
extension TimerLedger {
  mutating func doubt(_ index: Int, _ count: UInt64, _ cause: Cause, _ column: Int, _ running: Running) {
    var tally = skipsInDoubt.removeValue(forKey: index) ?? SkipTally()
    tally.add(count, cause, column: column)
    if cause == .busy {
      tally.blame(kind: running.kind, name: objects.name(of: running.object), points: count)
    }
    skipsInDoubt[index] = tally
  }

  /// The point in force is answered, withdrawn or followed by another: what was skipped behind it stays so. `areDropped`:
  /// the timer's own callout moved or ended it, so its grid ended with the point that fired, and nothing behind was due.
  mutating func settleSkips(_ index: Int, areDropped: Bool) {
    guard !skipsInDoubt.isEmpty, let tally = skipsInDoubt.removeValue(forKey: index) else {
      return tellSkips(index)
    }
    guard areDropped, timers[index].schedule.isFiring else { return tellSkips(index) }
    classes.rows[resolve(index)].retract(tally)
    heldSkips[index] = nil
  }
}
