import TraceFormat
import TraceReplay
import TraceResults

/// Who used the loops' time, and what that meant for whoever waited.
extension ResultBuilder {
  func calloutResults(_ replay: borrowing Replay) -> [CalloutResult] {
    let table = replay.books.callouts
    var results: [CalloutResult] = []
    for index in 0..<table.count where table.rows[index].count > 0 {
      let row = table.rows[index]
      let isShared = row.lane < 0
      results.append(
        filled(CalloutResult()) { it in
          it.kind = isShared ? Remainder.rows : names.calloutKind(row.kind)
          it.name = isShared ? Remainder.rows : names.callout(row.kind, row.name)
          it.thread = isShared ? 0 : replay.stream.threads[row.lane]
          it.count = row.count
          it.timeNs = ns(row.time)
          it.selfNs = ns(row.selfTime)
          it.longestNs = ns(row.longest)
          it.longestStartNs = ns(row.longestBegin)
          it.worstPassNs = ns(row.worstPass)
          it.worstPassStartNs = ns(row.worstPassStart)
          it.nestedNs = ns(row.nested)
          it.timeNsByMode = isShared ? [] : columns(row.byColumn, replay.modesOfColumns(lane: row.lane))
          it.open = row.open
          it.durationNs = table.durations(index).map(distribution)
          it.isRemainder = isShared
        })
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
      return filled(SourceResult()) { it in
        it.name =
          index == AnalysisLimits.sourceRows
          ? Remainder.rows : names.string(row.name) ?? "source without a name"
        it.signals = row.signals
        it.mergedSignals = row.merged
        it.callouts = row.callouts
        it.unsignalled = row.unsignalled
        it.negative = row.negative
        it.signalToCalloutNs = distribution(row.latency)
      }
    }
  }

  func queueResults(_ replay: borrowing Replay) -> QueueResults {
    var queues = QueueResults()
    queues.blockWaitNs = distribution(replay.books.sources.blockWaits)
    queues.mainQueueWaitNs = distribution(replay.books.sources.mainQueueWaits)
    return queues
  }

  func utilisation(_ replay: borrowing Replay) -> [UtilisationResult] {
    replay.stream.threads.enumerated().compactMap { lane, thread in
      let rows = replay.series(lane: lane)
      guard !rows.isEmpty else { return nil }
      return filled(UtilisationResult()) { it in
        it.thread = thread
        it.busyNs = ns(rows.reduce(0) { $0 &+ $1.busy })
        it.waitingNs = ns(rows.reduce(0) { $0 &+ $1.waiting })
        it.series = rows.map { row in
          filled(UtilisationResult.Bin()) { it in
            it.startNs = ns(row.start)
            it.busyNs = ns(row.busy)
            it.waitingNs = ns(row.waiting)
          }
        }
      }
    }
  }

  // MARK: Input delay

  func delay(_ busy: BusyLengths, waiting: UInt64) -> DelayDistribution? {
    let span = busy.sum &+ waiting
    guard span > 0 else { return nil }
    return filled(DelayDistribution()) { it in
      it.p50 = ns(busy.delay(0.5, of: span))
      it.p90 = ns(busy.delay(0.9, of: span))
      it.p99 = ns(busy.delay(0.99, of: span))
      it.max = ns(busy.maximum)
      it.meanNs = scale.ns(busy.meanDelay(of: span))
    }
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
    return delay(busy, waiting: waiting).map { delay in
      filled(InputDelayResult()) { it in
        it.thread = thread
        it.spanNs = ns(busy.sum &+ waiting)
        it.delay = delay
        it.hangs = busy.hangs
        it.hangNs = ns(busy.hangTime)
      }
    }
  }
}
