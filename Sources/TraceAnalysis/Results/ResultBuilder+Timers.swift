import TraceFormat
import TraceReplay

extension ResultBuilder {
  func timerResults(_ replay: borrowing Replay) -> [TimerResult] {
    let classes = replay.timers.classes
    // Scenarios and profiles say which timers are meant to wait.
    let deferrable = Set(reader.info.filter { $0.key == InfoEntry.deferrable }.map(\.value))
      .union(profile?.deferrable ?? [])
    var results: [TimerResult] = []
    for index in 0..<classes.count where classes.classes[index].objects > 0 {
      let row = classes.classes[index]
      let lane = replay.timers.lane(ofLoop: row.key.loop)
      results.append(
        timer(
          row, id: index, common: replay.timers.commonModes(loop: row.key.loop),
          thread: lane.map { replay.stream.threads[$0] },
          columnModes: lane.map { replay.modesOfColumns(lane: $0) } ?? [0],
          isShared: index == classes.sharedRow, deferrable))
    }
    return results
  }

  private func timer(
    _ row: TimerClass, id: Int, common: ModeSet, thread: UInt32?, columnModes: [UInt8], isShared: Bool,
    _ deferrable: Set<String>
  ) -> TimerResult {
    var modeSet = row.key.modes
    if row.key.isCommon { modeSet.formUnion(common) }
    var all = ["other"]
    if !isShared {
      all = ([row.name] + row.otherNames).map {
        names.timer(name: $0, site: row.key.site, createdBefore: row.key.anonymousObject)
      }
    }
    let hasMore = !isShared && row.hasMoreNames
    return TimerResult(
      id: id, name: all.joined(separator: ", ") + (hasMore ? " and others" : ""), names: all,
      hasMoreNames: hasMore, site: isShared ? "" : names.string(row.key.site) ?? "", objects: row.objects,
      intervalNs: isShared ? 0 : row.key.intervalNs, modes: isShared ? [] : modeSet.modes.map(names.mode),
      isCommon: row.key.isCommon, thread: thread, fired: row.fired, manual: row.manual,
      toleranceNs: UInt64(row.toleranceNs), isDeferrable: deferrable.isSuperset(of: all) && !hasMore,
      calloutNsByMode: columns(row.calloutIn, columnModes), longestCalloutNs: row.longestCallout &* unit,
      ledger: ledger(row, columnModes))
  }

  /// Nil as soon as one fire's due point is unknown: sums would not close.
  private func ledger(_ row: TimerClass, _ modes: [UInt8]) -> TimerLedgerResult? {
    guard row.firedWithoutDue == 0 else { return nil }
    let skipped = row.skipped
    let causes = row.overdue.causes
    var overdue = columns(row.overdue.byColumn, modes)
    for cause in [Cause.suspended, .unknown] where causes[cause.rawValue] > 0 {
      overdue.append(("(\(cause.name))", causes[cause.rawValue] &* unit))
    }
    return TimerLedgerResult(
      due: row.fired + skipped + row.withdrawn + row.pending, skipped: skipped, withdrawn: row.withdrawn,
      pending: row.pending, early: row.early, latenessNs: row.lateness.summary(unitNs: unit),
      overdueByModeNs: overdue,
      skippedBy: Dictionary(uniqueKeysWithValues: Cause.allCases.map { ($0, row.skippedBy[$0.rawValue]) }),
      wrongModeBy: inOrder(modes).filter { row.wrongModeBy[$0] > 0 }.map {
        (column($0, modes), row.wrongModeBy[$0])
      },
      pendingOverdueNs: row.pendingOverdue &* unit,
      ledgerNs: Dictionary(uniqueKeysWithValues: Cause.allCases.map { ($0, causes[$0.rawValue] &* unit) }),
      byMode: byMode(row, modes),
      blockers: row.blockers.sorted {
        ($1.time, $1.points, $0.kind, $0.name) < ($0.time, $0.points, $1.kind, $1.name)
      }.map {
        BlockerResult(
          kind: names.calloutKind($0.kind), name: names.callout($0.kind, $0.name),
          latenessNs: $0.time &* unit,
          points: $0.points)
      })
  }

  private func byMode(_ row: TimerClass, _ modes: [UInt8]) -> [PointsInMode] {
    inOrder(modes).map { at in
      PointsInMode(
        mode: column(at, modes), fired: row.firedIn[at], skipped: row.skippedIn[at],
        withdrawn: row.withdrawnIn[at], pending: row.pendingIn[at], worstLatenessNs: row.worstIn[at] &* unit)
    }.filter { $0.due > 0 }
  }
}
