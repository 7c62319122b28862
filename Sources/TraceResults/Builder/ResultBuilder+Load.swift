import TraceFormat
import TraceReplay

/// Who used the loops' time, and what that meant for whoever waited.
extension ResultBuilder {
  func calloutResults(_ replay: borrowing Replay) -> [CalloutResult] {
    let table = replay.books.callouts
    var results: [CalloutResult] = []
    for index in 0..<table.rows.count where table.rows[index].count > 0 {
      let row = table.rows[index]
      let isShared = row.lane < 0
      results.append(
        CalloutResult(
          kind: isShared ? Remainder.rows : names.calloutKind(row.kind),
          name: isShared ? Remainder.rows : names.callout(row.kind, row.name),
          thread: isShared ? 0 : replay.stream.threads[row.lane].rawValue, count: row.count,
          timeNs: ns(row.time), selfNs: ns(row.selfTime), longestNs: ns(row.longest),
          longestStartNs: ns(row.longestBegin), worstPassNs: ns(row.worstPass),
          worstPassStartNs: ns(row.worstPassStart), nestedNs: ns(row.nested),
          timeNsByMode: isShared ? [] : columns(row.byColumn, replay.modesOfColumns(lane: row.lane)),
          open: row.open, durationNs: table.durations.isMissing ? nil : distribution(table.durations[index]),
          isRemainder: isShared))
    }
    return results.sorted {
      ($1.timeNs, $0.name, $0.kind, $0.thread) < ($0.timeNs, $1.name, $1.kind, $1.thread)
    }
  }

  func sourceResults(_ replay: borrowing Replay) -> [SourceResult] {
    let table = replay.books.sources
    return (0..<table.rows.count).filter { table.rows[$0].signals > 0 || table.rows[$0].callouts > 0 }.map {
      index in
      return SourceResult(
        name: index == AnalysisLimits.sourceRows
          ? Remainder.rows : names.string(table.rows[index].name) ?? "source without a name",
        signals: table.rows[index].signals, mergedSignals: table.rows[index].merged,
        callouts: table.rows[index].callouts, unsignalled: table.rows[index].unsignalled,
        negative: table.rows[index].negative, signalToCalloutNs: distribution(table.rows[index].latency))
    }
  }

  func queueResults(_ replay: borrowing Replay) -> QueueResults {
    let sources = replay.books.sources
    return QueueResults(
      blockWaitNs: distribution(sources.waits[SourceTable.Queue.blocks.rawValue]),
      mainQueueWaitNs: distribution(sources.waits[SourceTable.Queue.main.rawValue]))
  }

  func utilisation(_ replay: borrowing Replay) -> [UtilisationResult] {
    replay.stream.threads.enumerated().compactMap { lane, thread in
      let rows = replay.series(lane: lane)
      guard !rows.isEmpty else { return nil }
      return UtilisationResult(
        thread: thread.rawValue, busyNs: ns(rows.reduce(.zero) { $0 &+ $1.busy }),
        waitingNs: ns(rows.reduce(.zero) { $0 &+ $1.waiting }),
        series: rows.map { row in
          UtilisationResult.Bin(startNs: ns(row.start), busyNs: ns(row.busy), waitingNs: ns(row.waiting))
        })
    }
  }

  // MARK: Input delay

  func delay(_ busy: borrowing BusyLengths, waiting: Length) -> DelayDistribution? {
    let span = busy.sum &+ waiting
    guard span > .zero else { return nil }
    return DelayDistribution(
      p50: ns(busy.delay(0.5, of: span)), p90: ns(busy.delay(0.9, of: span)),
      p99: ns(busy.delay(0.99, of: span)), max: ns(busy.maximum),
      meanNs: scale.ns(units: busy.meanDelay(of: span)))
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
      InputDelayResult(
        thread: thread, spanNs: ns(busy.sum &+ waiting), delay: delay, hangs: busy.hangs,
        hangNs: ns(busy.hangTime))
    }
  }
}
