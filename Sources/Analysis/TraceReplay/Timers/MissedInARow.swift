import TraceFormat

/// The due points that a timer missed since one that it did not miss, by cause.
///
/// The point in force may still fire. So the points behind it are kept apart until its fate is known.
package struct MissedInARow {
  /// The points before the one in force.
  private(set) var before = CauseAmounts()
  /// The points after it.
  private(set) var since = CauseAmounts()
  private(set) var isEmpty = true

  mutating func add(_ count: UInt64, _ cause: Cause) {
    MissedInARow.add(count, cause, to: &since, &isEmpty)
  }

  /// The point in force is missed as well.
  mutating func missPointInForce(_ cause: Cause) { MissedInARow.add(1, cause, to: &before, &isEmpty) }

  /// Points with other causes, such as those of suspended time, neither count nor end a stretch.
  private static func add(_ count: UInt64, _ cause: Cause, to sum: inout CauseAmounts, _ isEmpty: inout Bool)
  {
    guard Cause.ofProgram.contains(cause) else { return }
    sum[cause.rawValue] = sum[cause.rawValue].saturated(adding: count)
    isEmpty = false
  }

  /// Takes back points after the one in force that were not due.
  mutating func subtract(_ points: CauseAmounts) {
    for i in since.indices { since[i] &-= min(since[i], points[i]) }
  }

  mutating func takeBack(_ cause: Cause) {
    if since[cause.rawValue] > 0 { since[cause.rawValue] &-= 1 }
  }

  /// A next point comes due: all points until now lie before it.
  mutating func comesDue() {
    for i in before.indices { before[i] = before[i].saturated(adding: since[i]) }
    since = CauseAmounts()
  }

  /// The point in force is not missed. Returns the stretch before it.
  mutating func end() -> CauseAmounts {
    defer {
      before = CauseAmounts()
      isEmpty = since == CauseAmounts()
    }
    return before
  }
}

/// The longest stretches of a timer class, in due points.
package struct LongestMissed {
  /// Over all causes.
  package private(set) var points: UInt64 = 0
  /// The most points of each cause in one stretch.
  package private(set) var byCause = CauseAmounts()

  mutating func add(_ stretch: CauseAmounts) {
    points = max(points, stretch.saturatedSum)
    for i in byCause.indices { byCause[i] = max(byCause[i], stretch[i]) }
  }
}

extension TimerLedger {
  /// Ends the stretch before the point in force, which is not missed. `isPast`: that point came due before the points
  /// that were missed last.
  @inline(__always)
  mutating func endStretch(_ index: Int, isPast: Bool) {
    guard !timers[index].missed.isEmpty else { return }
    endKnownStretch(index, isPast: isPast)
  }

  @inline(never)
  private mutating func endKnownStretch(_ index: Int, isPast: Bool) {
    if !isPast { timers[index].missed.comesDue() }
    let stretch = timers[index].missed.end()
    classes.rows[resolve(index)].longestMissed.add(stretch)
  }

  /// Ends all stretches of a timer that ends, or at the end of the span.
  mutating func endStretches(_ index: Int) {
    endStretch(index, isPast: true)
    endStretch(index, isPast: false)
  }
}
