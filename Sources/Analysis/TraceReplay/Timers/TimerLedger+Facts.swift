import TraceFacts
import TraceFormat

/// Reports what became of due points.
///
/// Points skipped after the one in force are held back until that one is settled. If the loop's own clock has passed
/// it, the first skipped point is the one that fires.
extension TimerLedger {
  /// The maximum number of held records of a timer. A timer that starves while its loop's state keeps changing
  /// exceeds it.
  private static let heldOfTimer = 1024
  /// The maximum number for all timers: with many timers, each holds fewer.
  private static let heldInAll = 1 << 15

  mutating func holdSkip(
    _ index: Int, _ count: UInt64, from pointNs: Int64, _ cause: Cause, _ mode: ModeID
  ) {
    let lastNs = pointNs &+ Int64(count - 1) &* timers[index].schedule.intervalNs
    let due = timers[index].schedule.moment(pointNs)
    let lastDue = timers[index].schedule.moment(lastNs)
    var skips = heldSkips.removeValue(forKey: index) ?? []
    let room = max(2, min(Self.heldOfTimer, Self.heldInAll / (heldSkips.count + 1)))
    if let last = skips.indices.last, skips[last].cause == cause, skips[last].mode == mode.rawValue {
      skips[last].count += count
      skips[last].lastDue = lastDue.rawValue
    } else {
      var record = record(index, ofClass: timers[index].classIndex, .skipped, due: due, mode: mode)
      record.count = count
      record.lastDue = lastDue.rawValue
      record.cause = cause
      // The first point may still fire. Half of the others are reported at once, so that the rest is rarely moved.
      // A report states the timer's class.
      if skips.count >= room, timers[index].classIndex >= 0 {
        let reported = 1..<max(2, skips.count - room / 2)
        report(skips[reported], of: index)
        skips.removeSubrange(reported)
      }
      skips.append(record)
    }
    heldSkips[index] = skips
  }

  /// Reports that the point in force was skipped. It is not held back with the later points, which may turn out never
  /// to have been due.
  mutating func reportSkipped(_ index: Int, _ pointNs: Int64, _ cause: Cause, _ mode: ModeID) {
    guard let sink else { return }
    var skipped = record(
      index, ofClass: resolve(index), .skipped, due: timers[index].schedule.moment(pointNs), mode: mode)
    skipped.cause = cause
    sink.report { $0.points(skipped) }
  }

  /// Reports that the point in force is skipped after all. `firstHeldFires`: the first held point fires instead.
  mutating func pointInForceFails(_ index: Int, firstHeldFires: Bool) {
    reportSkipped(
      index, timers[index].schedule.pointNs, timers[index].atDue.cause, timers[index].atDue.mode)
    guard firstHeldFires, var skips = heldSkips[index], let first = skips.first else { return }
    if first.count > 1 {
      skips[0].count -= 1
      skips[0].due =
        timers[index].schedule.moment(
          timers[index].schedule.pointNs &+ 2 &* timers[index].schedule.intervalNs
        ).rawValue
    } else {
      skips.removeFirst()
    }
    heldSkips[index] = skips
  }

  /// Reports the outcome of the point in force, then the skipped points after it.
  mutating func report(
    _ index: Int, _ outcome: DueOutcome, due: Moment?, end: Moment, cause: Cause? = nil, mode: ModeID,
    lateness: Length = .zero, causes: CauseAmounts = SIMD8()
  ) {
    guard let sink else { return }
    var record = record(index, ofClass: resolve(index), outcome, due: due, mode: mode)
    record.end = end.rawValue
    record.cause = cause
    record.lateness = lateness.rawValue
    record.causes = causes
    sink.report { $0.points(record) }
    // After a fire, later points wait for the end of its callout.
    if outcome != .fired { reportSkips(index) }
  }

  mutating func reportSkips(_ index: Int) {
    guard !heldSkips.isEmpty, sink != nil, let skips = heldSkips.removeValue(forKey: index) else { return }
    report(skips[...], of: index)
  }

  /// Reports held points. Their timer's class was perhaps not known when they passed.
  private mutating func report(_ skips: ArraySlice<PointFact>, of index: Int) {
    let timerClass = resolve(index)
    sink?.report {
      for var skip in skips {
        skip.timer = timerClass
        $0.points(skip)
      }
    }
  }

  private func record(
    _ index: Int, ofClass timerClass: Int, _ outcome: DueOutcome, due: Moment?, mode: ModeID
  ) -> PointFact {
    let timer = timers[index]
    return PointFact(
      timer: timerClass, object: timer.object.rawValue, name: timer.name.rawValue, site: timer.site.rawValue,
      createdBefore: timer.isKnown ? 0 : timer.object.rawValue,
      outcome: outcome, count: 1, due: due?.rawValue, lastDue: due?.rawValue, end: nil, lateness: 0,
      causes: SIMD8(), cause: nil, mode: mode.rawValue)
  }

  // MARK: Batches of passes

  /// Returns the timer of a callout that answers no due point.
  mutating func fire(of object: ObjectID) -> EqualPassFacts.Fire {
    guard let index = timers.find(object) ?? placeAnonymous(object) else {
      return EqualPassFacts.Fire(timer: -1, object: 0, name: 0, site: 0, createdBefore: 0)
    }
    return EqualPassFacts.Fire(
      timer: resolve(index), object: timers[index].object.rawValue, name: timers[index].name.rawValue,
      site: timers[index].site.rawValue,
      createdBefore: timers[index].isKnown ? 0 : timers[index].object.rawValue)
  }

  /// Returns whether a callout of the timer that answers a due point is open.
  func isFiring(_ object: ObjectID) -> Bool {
    guard let index = timers.find(object) else { return false }
    return timers[index].schedule.isFiring
  }
}
