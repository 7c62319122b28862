import TraceFormat
import TraceReplay
import TraceResults

/// The use of the loops' time, and its effect on waiting work.
extension ResultBuilder {
  /// `accounts`: by row of the callout table.
  func calloutResults(
    _ replay: borrowing Replay, _ places: CodePlaces, _ accounts: [Int32: CalloutAccount]
  ) -> [CalloutResult] {
    let table = replay.books.callouts
    var results: [CalloutResult] = []
    for index in 0..<table.rows.count where table.rows[index].count > 0 {
      let row = table.rows[index]
      let isShared = row.lane < 0
      results.append(
        with(CalloutResult()) { it in
          it.kind = isShared ? Remainder.rows : names.calloutKind(row.kind)
          it.name = isShared ? Remainder.rows : names.callout(row.kind, row.name)
          it.function = isShared ? nil : places.function(of: row.name)
          it.maker = isShared ? nil : places.maker(row.name, site: .none)
          it.thread = isShared ? 0 : replay.stream.threads[row.lane].rawValue
          it.count = row.count
          it.timeNs = ns(row.time)
          it.selfNs = ns(row.selfTime)
          it.longestNs = ns(row.longest)
          it.longestStartNs = ns(row.longestBegin)
          it.worstPassNs = ns(row.worstPass)
          it.worstPassStartNs = ns(row.worstPassStart)
          it.nestedNs = ns(row.nested)
          it.nestedCount = row.nestedCount
          it.longestNestedNs = ns(row.longestNested)
          it.longestNestedStartNs = ns(row.longestNestedBegin)
          it.longestNestedEndNs = ns(row.longestNestedEnd)
          it.longestNestedMode =
            isShared || row.longestNestedMode == .outside ? nil : names.mode(row.longestNestedMode)
          it.timeNsByMode = isShared ? [] : columns(row.byColumn, replay.modesOfColumns(lane: row.lane))
          it.open = row.open
          it.durationNs = table.durations.isMissing ? nil : distribution(table.durations[index])
          it.passNs =
            table.passes.isMissing || table.passes[index].count == 0
            ? nil : distribution(table.passes[index])
          it.account = accounts[Int32(index)]
          it.isRemainder = isShared
        })
    }
    return results.ordered {
      ($1.timeNs, $0.name, $0.kind, $0.thread) < ($0.timeNs, $1.name, $1.kind, $1.thread)
    }
  }

  func sourceResults(_ replay: borrowing Replay) -> [SourceResult] {
    let table = replay.books.sources
    let used = (0..<table.rows.count).filter { table.rows[$0].signals > 0 || table.rows[$0].callouts > 0 }
    return used.map { index in
      with(SourceResult()) { it in
        it.name =
          index == AnalysisLimits.sourceRows
          ? Remainder.rows : names.string(table.rows[index].name) ?? "source without a name"
        it.signals = table.rows[index].signals
        it.mergedSignals = table.rows[index].merged
        it.callouts = table.rows[index].callouts
        it.unsignalled = table.rows[index].unsignalled
        it.negative = table.rows[index].negative
        it.signalToCalloutNs = distribution(table.rows[index].latency.lengths)
        it.longestStartNs = ns(table.rows[index].latency.longestBegin)
      }
    }
  }

  func sourceLives(_ replay: borrowing Replay) -> [SourceLifeResult] {
    let lanes = replay.books.modes.lanes
    var results: [SourceLifeResult] = []
    for row in replay.books.sourceLives.rows {
      let lane = lanes[row.place.loop]
      results.append(
        with(SourceLifeResult()) { it in
          it.name = names.string(row.name) ?? "source without a name"
          it.site = names.string(row.place.site) ?? ""
          it.thread = lane.map { replay.stream.threads[$0].rawValue }
          it.life = life(row.lives)
        })
    }
    return results
  }

  func queueResults(_ replay: borrowing Replay) -> QueueResults {
    let sources = replay.books.sources
    return with(QueueResults()) { it in
      it.isRecorded = level.seesCallouts
      it.blockWaitNs = distribution(sources.waits[SourceTable.Queue.blocks.rawValue].lengths)
      it.mainQueueWaitNs = distribution(sources.waits[SourceTable.Queue.main.rawValue].lengths)
      it.longestMainQueueWaitStartNs = ns(sources.waits[SourceTable.Queue.main.rawValue].longestBegin)
    }
  }

  func utilisation(_ replay: borrowing Replay) -> [UtilisationResult] {
    lanesInUtilisation(replay).map { lane in
      let rows = replay.series(lane: lane)
      return with(UtilisationResult()) { it in
        it.thread = replay.stream.threads[lane].rawValue
        it.busyNs = ns(rows.reduce(.zero) { $0 &+ $1.busy })
        it.waitingNs = ns(rows.reduce(.zero) { $0 &+ $1.waiting })
        it.series = rows.map { (ns($0.start), ns($0.busy), ns($0.waiting)) }
      }
    }
  }

  func threadsWithSeries(_ replay: borrowing Replay) -> Int {
    replay.stream.threads.indices.count { replay.hasSeries(lane: $0) }
  }

  /// Returns the lanes that ran loops, in order. If there are too many, those with the longest time.
  private func lanesInUtilisation(_ replay: borrowing Replay) -> [Int] {
    let lanes = replay.stream.threads.indices.filter { replay.hasSeries(lane: $0) }
    guard lanes.count > AnalysisLimits.utilisationRows else { return lanes }
    let times = lanes.map { lane in
      (lane, replay.series(lane: lane).reduce(Length.zero) { $0 &+ $1.busy &+ $1.waiting })
    }.ordered { ($1.1, $0.0) < ($0.1, $1.0) }
    return times.prefix(AnalysisLimits.utilisationRows).map(\.0).ordered()
  }

  // MARK: Input delay

  func delay(_ busy: borrowing BusyLengths, waiting: Length) -> DelayDistribution? {
    let span = busy.sum &+ waiting
    guard span > .zero else { return nil }
    return with(DelayDistribution()) { it in
      it.p50 = ns(busy.delay(0.5, of: span))
      it.p90 = ns(busy.delay(0.9, of: span))
      it.p99 = ns(busy.delay(0.99, of: span))
      it.max = ns(busy.maximum)
      it.meanNs = scale.ns(units: busy.meanDelay(of: span))
    }
  }

  func inputDelay(_ thread: UInt32, _ replay: borrowing Replay) -> InputDelayResult? {
    let lane = lane(thread, replay)
    let table = replay.books.modes
    var busy = BusyLengths()
    var waiting = Length.zero
    for place in 0..<table.cells.count where table.cells[place].lane == lane {
      busy.add(table.cells[place].busy)
      waiting &+= table.cells[place].phases.length(Phase.waiting)
    }
    return delay(busy, waiting: waiting).map { delay in
      with(InputDelayResult()) { it in
        it.thread = thread
        it.spanNs = ns(busy.sum &+ waiting)
        it.delay = delay
        it.hangs = busy.hangs
        it.hangNs = ns(busy.hangTime)
      }
    }
  }
}
