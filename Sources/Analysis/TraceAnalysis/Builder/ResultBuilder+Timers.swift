import TraceFormat
import TraceReplay
import TraceResults

extension ResultBuilder {
  func timerResults(_ replay: borrowing Replay, _ places: CodePlaces) -> [TimerResult] {
    let classes = replay.timers.classes
    let deferrable = deferrableTimers
    var results: [TimerResult] = []
    var keys: [TimerClassKey] = []
    for index in 0..<classes.rows.count where classes.rows[index].objects > 0 {
      let loop = classes.rows[index].key.loop
      let lane = replay.timers.lane(ofLoop: loop)
      keys.append(classes.rows[index].key)
      results.append(
        timer(
          classes.rows[index], id: index, common: replay.timers.commonModes(loop: loop),
          thread: lane.map { replay.stream.threads[$0].rawValue },
          columnModes: lane.map { replay.modesOfColumns(lane: $0) } ?? [.outside],
          isShared: index == classes.sharedRow, deferrable, places))
    }
    return VaryingTimers.together(results, keys: keys)
  }

  /// The names of timers that may wait, by scenarios and profiles.
  var deferrableTimers: Set<String> {
    let named = reader.info.filter { $0.key == InfoEntry.deferrable }.map(\.value)
    return Set((named + Array(profile?.deferrable ?? [])).map(ShownName.of))
  }

  /// Returns the first few names of a class's timers.
  func timerNames(_ row: borrowing TimerClass) -> [String] {
    let (site, object) = (row.key.site, row.key.anonymousObject)
    return ([row.name] + row.otherNames).map { names.timer(name: $0, site: site, createdBefore: object) }
  }

  private func timer(
    _ row: borrowing TimerClass, id: Int, common: ModeSet, thread: UInt32?, columnModes: [ModeID],
    isShared: Bool, _ deferrable: Set<String>, _ places: CodePlaces
  ) -> TimerResult {
    var modeSet = row.key.modes
    if row.key.isCommon { modeSet.formUnion(common) }
    let all = isShared ? [Remainder.timers] : timerNames(row)
    let hasMore = !isShared && row.hasMoreNames
    return with(TimerResult()) { it in
      it.id = id
      it.classes = [id]
      it.names = all
      it.hasMoreNames = hasMore
      it.isRemainder = isShared
      it.site = isShared ? "" : names.string(row.key.site) ?? ""
      if !isShared {
        // Timers with several functions have no common place.
        it.function = row.otherNames.isEmpty && !hasMore ? places.function(of: row.name) : nil
        it.maker = places.maker(row.name, site: row.key.site)
      }
      it.objects = row.objects
      it.intervalNs = isShared ? 0 : row.key.intervalNs
      it.longestIntervalNs = it.intervalNs
      it.modes = isShared ? [] : modeSet.modes.map(names.mode)
      it.isCommon = row.key.isCommon
      it.commonModesOfLoop = common.modes.isEmpty ? nil : common.modes.map(names.mode)
      it.thread = thread
      it.fired = row.fired
      it.manual = row.manual
      it.toleranceNs = row.toleranceNs
      it.isDeferrable = deferrable.isSuperset(of: all) && !hasMore
      it.calloutNsByMode = columns(row.calloutIn, columnModes)
      it.longestCalloutNs = ns(row.longestCallout)
      it.life = life(row.lives)
      it.ledger = ledger(row, columnModes)
    }
  }

  func life(_ lives: ItemLivesBook) -> ItemLives {
    with(ItemLives()) { it in
      it.live = lives.live
      it.ended = lives.ended
      it.atTenths = lives.atTenths
      it.firstNs = ns(lives.first)
      it.lastNs = ns(lives.last)
    }
  }

  /// Returns the ledger; nil if the due point of any fire is unknown or absurd, because the sums would not match.
  private func ledger(_ row: borrowing TimerClass, _ modes: [ModeID]) -> TimerLedgerResult? {
    guard row.firedWithoutDue == 0, row.lateness.hasExactSum else { return nil }
    let skipped = row.skips.byCause.saturatedSum
    let causes = row.overdue.causes
    var overdue = columns(row.overdue.byColumn, modes)
    for cause in [Cause.suspended, .unknown] where causes.length(cause) > .zero {
      overdue.append(("(\(cause.name))", ns(causes.length(cause))))
    }
    return with(TimerLedgerResult()) { it in
      it.due = [row.fired, skipped, row.withdrawn, row.pending].saturatedSum
      it.skipped = skipped
      it.withdrawn = row.withdrawn
      it.pending = row.pending
      it.early = row.early
      it.latenessNs = distribution(row.lateness)
      it.overdueByModeNs = overdue
      it.skippedBy = Dictionary(
        uniqueKeysWithValues: Cause.allCases.map { ($0, row.skips.byCause[$0.rawValue]) })
      it.longestMissedNs = missedNs(row.longestMissed.points, row)
      it.longestMissedByNs = Dictionary(
        uniqueKeysWithValues: Cause.ofProgram.map {
          ($0, missedNs(row.longestMissed.byCause[$0.rawValue], row))
        })
      it.wrongModeBy = inOrder(modes).filter { row.skips.wrongModeBy[$0] > 0 }.map {
        (column($0, modes), row.skips.wrongModeBy[$0])
      }
      it.pendingOverdueNs = ns(row.longestPending)
      it.ledgerNs = Dictionary(uniqueKeysWithValues: Cause.allCases.map { ($0, ns(causes.length($0))) })
      it.byMode = byMode(row, modes)
      it.blockers = row.skips.blockers.list.ordered {
        ($1.time, $1.points, $0.kind, $0.name) < ($0.time, $0.points, $1.kind, $1.name)
      }.map { row in
        with(BlockerResult()) { it in
          it.kind = names.calloutKind(row.kind)
          it.name = names.callout(row.kind, row.name)
          it.latenessNs = ns(row.time)
          it.points = row.points
        }
      }
    }
  }

  private func missedNs(_ points: UInt64, _ row: borrowing TimerClass) -> UInt64 {
    let (ns, isTooLong) = points.multipliedReportingOverflow(by: row.key.intervalNs)
    return isTooLong ? .max : ns
  }

  private func byMode(_ row: borrowing TimerClass, _ modes: [ModeID]) -> [PointsInMode] {
    inOrder(modes).map { at in
      with(PointsInMode()) { it in
        it.mode = column(at, modes)
        it.fired = row.firedIn[at]
        it.skipped = row.skips.byColumn[at]
        it.withdrawn = row.withdrawnIn[at]
        it.pending = row.pendingIn[at]
        it.worstLatenessNs = ns(row.worstIn.length(at))
      }
    }.filter { $0.due > 0 }
  }
}
