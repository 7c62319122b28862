import CallStacks
import TraceFormat
import TraceReplay
import TraceResults

/// Frame sources and hitches.
extension ResultBuilder {
  func frameResults(_ replay: borrowing Replay, _ stalls: inout StallBuilder?) -> FrameResults {
    var results = FrameResults()
    let rows = replay.timers.frames.rows
    let classes = replay.timers.classes
    let deferrable = deferrableTimers
    for index in rows.indices where rows[index].isUsed && index != classes.sharedRow {
      results.sources.append(source(classes.rows[index], rows[index], id: index, deferrable, replay))
    }
    let isChosen = results.sources.contains { $0.choice != .offered }
    results.sources = results.sources.filter { source in
      if source.choice != .offered { return true }
      return !isChosen && FrameIntervals.ns.contains(source.intervalNs)
        && source.due ?? 0 >= FrameSources.offeredPoints
    }
    let isOnlyOne = results.sources.count == 1
    for place in results.sources.indices {
      let source = results.sources[place]
      results.sources[place].isJudged = source.choice != .offered || isOnlyOne && !source.isDeferrable
    }
    guard !results.sources.isEmpty else { return results }
    let judged = Dictionary(results.judged.map { ($0.timer, $0) }) { first, _ in first }
    let hitches = replay.timers.frames.hitches.elements.ordered { $1.lengthNs < $0.lengthNs }
    for found in hitches {
      guard let source = judged[found.row] else { continue }
      results.hitches.append(hitch(found, source, replay.stream.threads, &stalls))
    }
    let all = results.judged.map(\.hitches).saturatedSum
    results.hitchesOmitted = all &- min(all, UInt64(results.hitches.count))
    return results
  }

  private func source(
    _ row: borrowing TimerClass, _ frames: FrameRow, id: Int, _ deferrable: Set<String>,
    _ replay: borrowing Replay
  ) -> FrameSourceResult {
    let all = timerNames(row)
    var loopName = ""
    if let loop = replay.timers.object(ofLoop: row.key.loop) {
      loopName = self.loop(loop, replay.books.objects)
    }
    var thread: UInt32?
    if let lane = replay.timers.lane(ofLoop: row.key.loop) { thread = replay.stream.threads[lane].rawValue }
    let byCause = row.skips.byCause
    let unknown = byCause[Cause.suspended.rawValue].saturated(adding: byCause[Cause.unknown.rawValue])
    let skipped = byCause.saturatedSum
    let due = row.firedWithoutDue == 0 ? [row.fired, skipped, row.withdrawn, row.pending].saturatedSum : nil
    let hasMore = row.hasMoreNames
    let intervalNs = row.key.intervalNs
    let name = all.joined(separator: ", ") + (hasMore ? " and others" : "")
    return with(FrameSourceResult()) { it in
      it.timer = id
      it.name = name
      it.loop = loopName
      it.thread = thread
      it.isDeferrable = deferrable.isSuperset(of: all) && !hasMore
      it.intervalNs = intervalNs
      it.choice = frames.isDeclared ? .program : frameSources.isDisjoint(with: all) ? .offered : .reader
      it.due = due
      it.missing = due == nil ? nil : skipped &- min(skipped, unknown)
      it.frames = frames.counts.frames
      it.onTime = frames.counts.onTime
      it.late = frames.counts.late
      it.hitches = frames.hitches
      it.hitchNs = frames.hitchNs
      it.longestHitchNs = frames.longestNs
      it.activeNs = ns(frames.active)
      it.costs = frames.costs.ordered { $1.ns < $0.ns }.map { cost in
        with(HitchCostResult()) {
          $0.blame = blame(cost.blame)
          $0.hitches = cost.hitches
          $0.hitchNs = cost.ns
        }
      }
    }
  }

  private func blame(_ found: FrameBlame) -> HitchBlame {
    with(HitchBlame()) { it in
      it.cause = found.cause
      if found.mode != .outside { it.mode = names.mode(found.mode) }
      guard found.kind != EventKind(0) else { return }
      it.kind = names.calloutKind(found.kind)
      it.callout = names.callout(found.kind, found.name)
    }
  }

  private func hitch(
    _ found: FoundHitch, _ source: FrameSourceResult, _ threads: [ThreadIndex], _ stalls: inout StallBuilder?
  ) -> HitchResult {
    let function = function(found, threads, &stalls)
    return with(HitchResult()) { it in
      it.source = source.name
      it.timer = source.timer
      it.thread = source.thread
      it.startNs = found.startNs
      it.durationNs = found.lengthNs
      it.dueNs = found.due.map(ns)
      it.readyNs = found.ready.map(ns)
      it.blame = blame(found.blame)
      it.causeNs = found.ready.map { _ in ns(found.causes.length(found.blame.cause)) }
      it.function = function
    }
  }

  /// Returns the sampled function of the blamed callout, if that callout ran for most of the sampled time.
  private func function(
    _ found: FoundHitch, _ threads: [ThreadIndex], _ stalls: inout StallBuilder?
  ) -> StackFrame? {
    guard let due = found.due, let ready = found.ready, threads.indices.contains(found.lane),
      found.blamed > .zero
    else { return nil }
    let own = min(found.causes.length(.ownCallout), ready.since(.origin))
    let begin = ready &- own
    let (from, to) = found.blame.cause == .ownCallout ? (begin, ready) : (due, max(due, begin))
    guard isAtLeast(ns(found.blamed), 0.5, of: ns(to &- from)) else { return nil }
    let osThread = definition(threads[found.lane]).osThread
    return stalls?.activity(of: osThread, in: ns(from)...max(ns(from), ns(to)))?.function
  }
}
