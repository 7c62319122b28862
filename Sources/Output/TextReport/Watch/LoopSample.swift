import TraceResults

/// The facts of one analysis about the loop of a thread.
struct LoopSample {
  // Sums.
  var busyNs: UInt64 = 0
  var waitingNs: UInt64 = 0
  var passes: UInt64 = 0
  /// Certain hangs that have ended.
  var hangs: UInt64 = 0
  var fires: UInt64 = 0
  var missedFires: UInt64 = 0
  /// The hitches of the declared frame sources; nil = there is none.
  var frames: HitchTime?

  // Values of the span, or of its end.
  var longestPassNs: UInt64?
  var heldNs: UInt64 = 0
  var longestLatenessNs: UInt64?
  /// Nil if due points were not recorded, or there are no timers.
  var overdueNs: UInt64?
  /// Nil if events were lost: a lost event may have recorded that the work ran.
  var waitingWork: UInt64?
  var longestWorkWaitNs: UInt64?

  init() {}

  /// `loops` are those of the thread, at least one. The analysis must count what is open when its span begins.
  init(_ analysis: Analysis, _ loops: [LoopNow]) {
    let thread = loops[0].loop.thread.index
    busyNs = loops.map(\.loop.busyNs).saturatedSum
    waitingNs = loops.map(\.loop.waitingNs).saturatedSum
    passes = loops.map(\.loop.passes).saturatedSum
    hangs = UInt64(analysis.busy.count { $0.thread == thread && $0.isHang && !$0.isOpen })
    longestPassNs = analysis.modes.filter { $0.thread == thread && $0.passNs.count > 0 }.map(\.passNs.max)
      .max()
    heldNs = loops.map(\.heldNs).max() ?? 0
    let timers = analysis.timers.filter { $0.thread == thread }
    let ledgers = timers.compactMap(\.ledger)
    fires = timers.map(\.fired).saturatedSum
    missedFires = ledgers.map(\.skipped).saturatedSum
    let sources = analysis.frames.declared(on: thread)
    if !sources.isEmpty { frames = sources.hitchTime }
    longestLatenessNs = ledgers.map(\.latenessNs).filter { $0.count > 0 }.map(\.max).max()
    overdueNs = ledgers.map { $0.pending > 0 ? $0.pendingOverdueNs : 0 }.max()
    guard analysis.trace.lostEvents == 0 else { return }
    let work = analysis.unserved.filter { $0.thread == thread && $0.releasedNs == nil }
    waitingWork = work.map(\.count).saturatedSum
    longestWorkWaitNs = work.map(\.waitedNs).max() ?? 0
  }

  /// Adds the sums and the waiting work of another sample. For other values, the greater one stays.
  mutating func add(_ other: LoopSample) {
    busyNs = busyNs.saturated(adding: other.busyNs)
    waitingNs = waitingNs.saturated(adding: other.waitingNs)
    passes = passes.saturated(adding: other.passes)
    hangs = hangs.saturated(adding: other.hangs)
    fires = fires.saturated(adding: other.fires)
    missedFires = missedFires.saturated(adding: other.missedFires)
    if let more = other.frames { frames = frames?.adding(more) ?? more }
    longestPassNs = LoopSample.greater(longestPassNs, other.longestPassNs)
    heldNs = max(heldNs, other.heldNs)
    longestLatenessNs = LoopSample.greater(longestLatenessNs, other.longestLatenessNs)
    overdueNs = LoopSample.greater(overdueNs, other.overdueNs)
    if let more = other.waitingWork { waitingWork = (waitingWork ?? 0).saturated(adding: more) }
    longestWorkWaitNs = LoopSample.greater(longestWorkWaitNs, other.longestWorkWaitNs)
  }

  private static func greater(_ a: UInt64?, _ b: UInt64?) -> UInt64? { [a, b].compactMap(\.self).max() }
}
