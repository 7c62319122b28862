import TraceFormat
import TraceReplay

/// Who used the loops' time, and what that meant for whoever waited.
extension ResultBuilder {
  func calloutResults(_ replay: borrowing Replay) -> [CalloutResult] {
    let table = replay.books.callouts
    var results: [CalloutResult] = []
    for index in 0..<table.count where table.rows[index].count > 0 {
      let row = table.rows[index]
      let isShared = row.lane < 0
      results.append(
        CalloutResult(
          kind: isShared ? "(other)" : names.calloutKind(row.kind),
          name: isShared ? "(other)" : names.callout(row.kind, row.name),
          thread: isShared ? 0 : replay.stream.threads[row.lane], count: row.count, timeNs: row.time &* unit,
          selfNs: row.selfTime &* unit, longestNs: row.longest &* unit,
          longestStartNs: row.longestBegin &* unit,
          worstPassNs: row.worstPass &* unit, worstPassStartNs: row.worstPassStart &* unit,
          nestedNs: row.nested &* unit,
          timeNsByMode: isShared ? [] : columns(row.byColumn, replay.modesOfColumns(lane: row.lane)),
          open: row.open, durationNs: table.durations(index)?.summary(unitNs: unit)))
    }
    return results.sorted {
      ($1.timeNs, $0.name, $0.kind, $0.thread) < ($0.timeNs, $1.name, $1.kind, $1.thread)
    }
  }

  func sourceResults(_ replay: borrowing Replay) -> [SourceResult] {
    let table = replay.books.sources
    return (0..<table.count).filter { table.rows[$0].signals > 0 || table.rows[$0].callouts > 0 }.map {
      index in
      let row = table.rows[index]
      return SourceResult(
        name: index == AnalysisLimits.sourceRows
          ? "(other)" : names.string(row.name) ?? "source without a name",
        signals: row.signals, mergedSignals: row.merged, callouts: row.callouts, unsignalled: row.unsignalled,
        negative: row.negative, signalToCalloutNs: row.latency.summary(unitNs: unit))
    }
  }

  func queueResults(_ replay: borrowing Replay) -> QueueResults {
    var queues = QueueResults()
    queues.blockWaitNs = replay.books.sources.blockWaits.summary(unitNs: unit)
    queues.mainQueueWaitNs = replay.books.sources.mainQueueWaits.summary(unitNs: unit)
    return queues
  }

  func utilisation(_ replay: borrowing Replay) -> [UtilisationResult] {
    replay.stream.threads.enumerated().compactMap { lane, thread in
      let rows = replay.series(lane: lane)
      guard !rows.isEmpty else { return nil }
      return UtilisationResult(
        thread: thread, busyNs: rows.reduce(0) { $0 &+ $1.busy } &* unit,
        waitingNs: rows.reduce(0) { $0 &+ $1.waiting } &* unit,
        series: rows.map {
          UtilisationResult.Bin(
            startNs: $0.start &* unit, busyNs: $0.busy &* unit, waitingNs: $0.waiting &* unit)
        })
    }
  }

  // MARK: Input delay

  func delay(_ busy: BusyLengths, waiting: UInt64) -> DelayDistribution? {
    let span = busy.sum &+ waiting
    guard span > 0 else { return nil }
    return DelayDistribution(
      p50: busy.delay(0.5, of: span) &* unit, p90: busy.delay(0.9, of: span) &* unit,
      p99: busy.delay(0.99, of: span) &* unit, max: busy.maximum &* unit,
      meanNs: busy.meanDelay(of: span) * Double(unit))
  }

  func inputDelay(_ thread: UInt32, _ replay: borrowing Replay) -> InputDelayResult? {
    let lane = replay.stream.threads.firstIndex(of: thread)
    var busy = BusyLengths()
    defer { busy.deallocate() }
    var waiting: UInt64 = 0
    for cell in cells(replay) where cell.lane == lane {
      busy.add(cell.busy)
      waiting &+= cell.phases[Phase.waiting.rawValue]
    }
    return delay(busy, waiting: waiting).map {
      InputDelayResult(
        thread: thread, spanNs: (busy.sum &+ waiting) &* unit, delay: $0, hangs: busy.hangs,
        hangNs: busy.hangTime &* unit)
    }
  }
}
