import TraceFormat
import TraceResults

/// The certain busy intervals of one thread that count for its severity, without the time in which the thread was
/// ready but had no processor.
struct LoopHangs {
  /// An interval, and how long it counts.
  struct Judged {
    var interval: BusyInterval
    /// The recorded time without a processor.
    var waitedNs: UInt64
    var ns: UInt64 { interval.hangLengthNs &- min(waitedNs, interval.hangLengthNs) }
  }

  /// In the order of the analysis.
  let intervals: [Judged]
  /// Further ones, which the analysis does not list.
  let unlisted: UnlistedBusy
  /// Those of them that are too short for a hang.
  var unlistedShort: UnlistedBusy {
    UnlistedBusy(
      count: unlisted.count &- unlisted.hangs, ns: unlisted.ns &- min(unlisted.hangsNs, unlisted.ns))
  }
  let activeNs: UInt64
  let thread: ThreadDefinition
  let isEventLoop: Bool
  /// The main thread runs a loop that serves the user, and this is another thread.
  let isBackground: Bool

  init(_ thread: UInt32, _ analysis: Analysis) {
    self.thread = analysis.thread(thread)
    intervals = analysis.busy.filter {
      $0.thread == thread && !$0.isUncertain && $0.hangLengthNs >= SeverityTable.shortHangNs
        && analysis.countsAsHeld($0) && !analysis.mayHaveLeft($0)
    }.map { Judged(interval: $0, waitedNs: analysis.waitedNs(on: thread, from: $0.startNs, to: $0.endNs)) }
    let eventLoop = analysis.eventLoop(of: thread)
    // Whether something waited in those is not known.
    unlisted = eventLoop == .list ? UnlistedBusy() : analysis.unlistedBusy[thread] ?? UnlistedBusy()
    activeNs = analysis.modes.filter { $0.thread == thread }.map(\.timeNs).saturatedSum
    isEventLoop = eventLoop != nil
    isBackground =
      !self.thread.isMain && !isEventLoop && analysis.loops.contains { $0.thread.isMain && $0.timeNs > 0 }
  }

  /// The threads with such intervals, in the order of their first.
  static func all(_ analysis: Analysis) -> [LoopHangs] {
    analysis.busy.map(\.thread).uniqued().map { LoopHangs($0, analysis) }
  }

  private var longest: BusyInterval? { intervals.max { $0.ns < $1.ns }?.interval }

  /// Judges hangs of this loop by themselves. The finding about its longest interval speaks for the whole loop.
  /// Returns the severity, and what explains it as further sentences.
  func judge(_ hangs: [BusyInterval]) -> (severity: Finding.Severity, why: Sentence) {
    let starts = Set(hangs.map(\.startNs))
    let judged = intervals.filter { starts.contains($0.interval.startNs) }
    let own = SeverityTable.hangs(judged.map(\.ns), activeNs: activeNs)
    var severity = own
    var why: Sentence = ""
    if let longest, starts.contains(longest.startNs) {
      severity = SeverityTable.hangs(intervals.map(\.ns), unlisted, activeNs: activeNs)
      if severity != own || severity == .error, judged.allSatisfy({ $0.ns < BusyClass.severeHang.fromNs }) {
        let all = intervals.map(\.ns).filter { $0 >= BusyClass.hangNs } + [unlisted.hangsNs]
        let less: Sentence =
          intervals.contains { $0.waitedNs > 0 }
          ? " without the time in which the thread had no processor" : ""
        why =
          all.filter { $0 > 0 }.count > 1 && activeNs > 0
          ? ". All hangs of this loop took \(ns: all.saturatedSum, "loop_hangs_ns")\(less), \(percent: all.saturatedSum, of: activeNs, "of_active_percent") of the time in which it ran"
          : ""
      }
      if unlisted.hangs > 0 {
        why =
          "\(why). \(count: unlisted.hangs, "unlisted_hangs", "more hang", "more hangs") of this loop, \(ns: unlisted.hangsNs, "unlisted_hangs_ns") in all, are shorter and not listed"
      }
    }
    let waited = judged.map(\.waitedNs).saturatedSum
    if severity != SeverityTable.hangs(hangs.map(\.hangLengthNs), activeNs: activeNs), waited > 0 {
      why =
        "\(why). The thread was ready but had no processor for \(ns: waited, "no_processor_ns") of it, which does not count"
    }
    if isEventLoop, judged.contains(where: { SeverityTable.isLongBlock($0.ns) && $0.interval.waited.isShown })
    {
      severity = .error
    }
    return (severity ?? .info, why)
  }
}

extension Analysis {
  /// Returns the time of an interval in which its thread was ready but had no processor: between the first and last
  /// reading in each of its gaps.
  func waitedNs(on thread: UInt32, from startNs: UInt64, to endNs: UInt64) -> UInt64 {
    stalls.lazy.filter { $0.thread == thread && $0.startNs >= startNs && $0.startNs < endNs }
      .compactMap(\.evidence.waitedNs).saturatedSum
  }
}
