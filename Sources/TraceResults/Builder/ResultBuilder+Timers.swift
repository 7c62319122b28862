import TraceFormat
import TraceReplay

extension ResultBuilder {
  func timerResults(_ replay: borrowing Replay) -> [TimerResult] {
    let classes = replay.timers.classes
    // Scenarios and profiles say which timers are meant to wait.
    let deferrable = Set(reader.info.filter { $0.key == InfoEntry.deferrable }.map(\.value))
      .union(profile?.deferrable ?? [])
    var results: [TimerResult] = []
    for index in 0..<classes.rows.count where classes.rows[index].objects > 0 {
      let loop = classes.rows[index].key.loop
      let lane = replay.timers.lane(ofLoop: loop)
      results.append(
        timer(
          classes.rows[index], id: index, common: replay.timers.commonModes(loop: loop),
          thread: lane.map { replay.stream.threads[$0].rawValue },
          columnModes: lane.map { replay.modesOfColumns(lane: $0) } ?? [.outside],
          isShared: index == classes.sharedRow, deferrable))
    }
    return results
  }

  private func timer(
    _ row: borrowing TimerClass, id: Int, common: ModeSet, thread: UInt32?, columnModes: [ModeID],
    isShared: Bool,
    _ deferrable: Set<String>
  ) -> TimerResult {
    var modeSet = row.key.modes
    if row.key.isCommon { modeSet.formUnion(common) }
    var all = [Remainder.timers]
    if !isShared {
      all = ([row.name] + row.otherNames).map {
        names.timer(name: $0, site: row.key.site, createdBefore: row.key.anonymousObject)
      }
    }
    let hasMore = !isShared && row.hasMoreNames
    return TimerResult(
      id: id, names: all, hasMoreNames: hasMore, site: isShared ? "" : names.string(row.key.site) ?? "",
      objects: row.objects, intervalNs: isShared ? 0 : row.key.intervalNs,
      modes: isShared ? [] : modeSet.modes.map(names.mode), isCommon: row.key.isCommon, thread: thread,
      fired: row.fired, manual: row.manual, toleranceNs: row.toleranceNs,
      isDeferrable: deferrable.isSuperset(of: all) && !hasMore,
      calloutNsByMode: columns(row.calloutIn, columnModes), longestCalloutNs: ns(row.longestCallout),
      ledger: ledger(row, columnModes))
  }

  /// Nil as soon as one fire's due point is unknown: sums would not close.
  private func ledger(_ row: borrowing TimerClass, _ modes: [ModeID]) -> TimerLedgerResult? {
    guard row.firedWithoutDue == 0 else { return nil }
    let skipped = row.skips.byCause.wrappedSum()
    let causes = row.overdue.causes
    var overdue = columns(row.overdue.byColumn, modes)
    for cause in [Cause.suspended, .unknown] where causes.length(cause) > .zero {
      overdue.append(("(\(cause.name))", ns(causes.length(cause))))
    }
    return TimerLedgerResult(
      due: row.fired + skipped + row.withdrawn + row.pending, skipped: skipped, withdrawn: row.withdrawn,
      pending: row.pending, early: row.early, latenessNs: distribution(row.lateness),
      overdueByModeNs: overdue,
      skippedBy: Dictionary(
        uniqueKeysWithValues: Cause.allCases.map { ($0, row.skips.byCause[$0.rawValue]) }),
      wrongModeBy: inOrder(modes).filter { row.skips.wrongModeBy[$0] > 0 }.map {
        (column($0, modes), row.skips.wrongModeBy[$0])
      }, pendingOverdueNs: ns(row.pendingOverdue),
      ledgerNs: Dictionary(uniqueKeysWithValues: Cause.allCases.map { ($0, ns(causes.length($0))) }),
      byMode: byMode(row, modes),
      blockers: row.skips.blockers.list.sorted {
        ($1.time, $1.points, $0.kind, $0.name) < ($0.time, $0.points, $1.kind, $1.name)
      }.map { row in
        BlockerResult(
          kind: names.calloutKind(row.kind), name: names.callout(row.kind, row.name),
          latenessNs: ns(row.time), points: row.points)
      })
  }

  private func byMode(_ row: borrowing TimerClass, _ modes: [ModeID]) -> [PointsInMode] {
    inOrder(modes).map { at in
      PointsInMode(
        mode: column(at, modes), fired: row.firedIn[at], skipped: row.skips.byColumn[at],
        withdrawn: row.withdrawnIn[at], pending: row.pendingIn[at],
        worstLatenessNs: ns(row.worstIn.length(at)))
    }.filter { $0.due > 0 }
  }
}
