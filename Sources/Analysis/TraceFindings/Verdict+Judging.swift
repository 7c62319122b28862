import TraceResults
import TraceFormat

extension Verdict {
  /// Judges all rows of an analysis, including its findings and its span.
  package init(_ analysis: Analysis) {
    self.init()
    nothingToJudge = Verdict.nothingToJudge(analysis)
    doubt = nil
    let top = analysis.findings.first
    if let top, top.severity < .info {
      outcome = .fault
      finding = top
      let faults = analysis.findings.dropFirst().prefix { $0.severity < .info }
      others = Array(faults.prefix(FindingLimits.othersInVerdict))
      moreFaults = UInt64(clamping: faults.count - others.count)
    } else if let reason = nothingToJudge ?? Verdict.doubt(analysis) {
      doubt = reason
    } else {
      outcome = .clear
      finding = top
      claims = Verdict.claims(analysis)
      unseen = Verdict.unseen(analysis)
      furtherFindings = UInt64(clamping: max(analysis.findings.count, 1) - 1)
    }
  }

  private static func nothingToJudge(_ analysis: Analysis) -> Doubt? {
    let trace = analysis.trace
    if analysis.loops.contains(where: { $0.timeNs > 0 || $0.runs > 0 || $0.passes > 0 }) { return nil }
    if analysis.work.queues.contains(where: { $0.begun > 0 || $0.callsSoFarNs.count > 0 }) { return nil }
    // Work of the main queue alone.
    if analysis.work.isRequested, analysis.unserved.contains(where: \.isUnserved) { return nil }
    if trace.fromNs > trace.durationNs {
      return .spanBehindEnd(fromNs: trace.fromNs, endNs: trace.durationNs)
    }
    let isWhole = trace.fromNs == 0 && trace.toNs >= trace.durationNs
    if trace.events == 0 { return .noEvents(isWhole: isWhole) }
    return analysis.emptyRuns.isEmpty ? .noRun(isWhole: isWhole) : .emptyModes(isWhole: isWhole)
  }

  private static func doubt(_ analysis: Analysis) -> Doubt? {
    if let reason = unsoundness(analysis) { return .unsound(reason) }
    if analysis.trace.unfollowed > 0 { return .unfollowed(analysis.trace.unfollowed) }
    if let edge = analysis.busyAtBreak.max(by: { $0.durationNs < $1.durationNs }) {
      return .busyAtBreak(analysis.thread(edge.thread), ns: edge.durationNs)
    }
    if let edge = analysis.hangsAtStart.max(by: { $0.durationNs < $1.durationNs }) {
      return .busyAtStart(analysis.thread(edge.thread), ns: edge.durationNs)
    }
    if let worst = analysis.uncertainHangs.max(by: { $0.hangLengthNs < $1.hangLengthNs }) {
      return .uncertainHang(analysis.thread(worst.thread), ns: worst.hangLengthNs)
    }
    return analysis.notes.first(where: \.reportsMissingEvents).map { .unread($0) }
  }

  /// Returns the reason why `validate` would not report the trace as sound.
  private static func unsoundness(_ analysis: Analysis) -> Unsoundness? {
    let trace = analysis.trace
    if trace.contradictions > 0 {
      let first = trace.firstContradiction
      return .contradictions(
        trace.contradictions, first.map { analysis.thread($0.thread) }, ns: first?.timeNs ?? 0)
    }
    if trace.damagedBlocks > 0 { return .damaged(blocks: UInt64(trace.damagedBlocks)) }
    return trace.clean && analysis.damage == nil ? nil : .incomplete
  }

  private static func claims(_ analysis: Analysis) -> [Claim] {
    let ledgers = analysis.timers.map(\.ledger)
    let known = ledgers.compactMap(\.self)
    let isKnown = !known.isEmpty && known.count == ledgers.count && !analysis.trace.hasUnseenObjects
    // An info may be about a hang that does not count as a fault.
    let hung = Set(analysis.busy.filter(\.isHang).map(\.thread))
    let isFree = hung.allSatisfy { analysis.thread($0).isMainQueue }
    let hasLoop = isFree && analysis.loops.contains { !$0.thread.isMainQueue && $0.kind == .runLoop }
    let hasEventLoop = isFree && analysis.loops.contains { $0.kind.isEventLoop }
    // A wait of an event loop shows only its next timer.
    let areTimersKnown = isKnown && analysis.loops.allSatisfy { $0.kind == .runLoop }
    let hasQueue =
      analysis.loops.contains { $0.thread.isMainQueue }
      && !hung.contains { analysis.thread($0).isMainQueue }
    return (hasLoop ? [.noHang] : []) + (hasEventLoop ? [.noEventLoopHang] : [])
      + (hasQueue ? [.noQueueHang] : []) + (keptNoWorkWaiting(analysis) ? [.noQueueStall] : [])
      + (areTimersKnown && known.allSatisfy { $0.skipped == 0 } ? [.noMissedFire] : [])
  }

  /// Returns whether all work of the recorded queues, and all threads, waited less than 100 ms for them.
  private static func keptNoWorkWaiting(_ analysis: Analysis) -> Bool {
    let queues = analysis.work.queues
    let waits = (queues.map(\.waitsSoFarNs) + queues.map(\.callsSoFarNs)).filter { $0.count > 0 }
    let mainWaits: Distribution = analysis.queues.mainQueueWaitNs
    return !waits.isEmpty && analysis.trace.lostEvents == 0
      && (waits + [mainWaits]).allSatisfy { $0.count == 0 || $0.max < FindingLimits.noticeableNs }
  }

  private static func unseen(_ analysis: Analysis) -> [Unseen] {
    let pools: [Unseen] = analysis.loops.contains { $0.kind == .pool } ? [.pools] : []
    if analysis.work.hasJobsOnly { return [.allButJobs] + pools }
    let waits: [Unseen] =
      (analysis.work.queues.contains(where: \.hasHandlers) ? [.waitsOfHandlers] : [])
      + (analysis.work.queues.contains(where: \.hasOperations) ? [.waitsOfOperations] : [])
    let queues: [Unseen] =
      analysis.work.isRecorded || analysis.work.isRequested
      ? (analysis.work.hasTasks ? [] : [.tasks])
      : analysis.trace.command == nil ? [] : [analysis.hasOnlyEventLoops ? .workOfEventLoops : .queues]
    return queues + waits + pools
  }
}
