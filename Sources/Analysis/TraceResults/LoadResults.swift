import CallStacks
/// The callouts of one name and kind on one thread.
public struct CalloutResult: Sendable {
  public var kind: String = ""
  public var name: String = ""
  /// The function that it calls, and the code that queued or created it.
  public var function: StackFrame?
  public var maker: StackFrame?
  public var thread: UInt32 = 0
  public var count: UInt64 = 0
  /// Without the runs that the callouts started.
  public var timeNs: UInt64 = 0
  /// The part of `timeNs` outside callouts inside them.
  public var selfNs: UInt64 = 0
  public var longestNs: UInt64 = 0
  /// The start of the longest callout.
  public var longestStartNs: UInt64 = 0
  /// The most time that one pass spent in them, and the start of that pass.
  public var worstPassNs: UInt64 = 0
  public var worstPassStartNs: UInt64 = 0
  /// The time inside runs that the callouts started.
  public var nestedNs: UInt64 = 0
  /// The callouts that started runs, the longest time that one of them spent inside its runs, and its start.
  public var nestedCount: UInt64 = 0
  public var longestNestedNs: UInt64 = 0
  public var longestNestedStartNs: UInt64 = 0
  public var timeNsByMode: [(mode: String, ns: UInt64)] = []
  /// The callouts in `count` that were still running at the end of the span.
  public var open: UInt64 = 0
  /// The distribution of the parts of `timeNs`, one value for each callout; nil unless the options ask for it.
  public var durationNs: Distribution?
  /// Whether the row combines all kinds and names beyond those with a row of their own.
  public var isRemainder = false
  package init() {}
}

/// How many sources of one creation site are live over time. Sources without a creation site are grouped by name.
public struct SourceLifeResult: Sendable {
  /// The name of the first source.
  public var name: String = ""
  public var site: String = ""
  /// The thread of their loop; nil if the loop never ran.
  public var thread: UInt32?
  public var life = ItemLives()
  package init() {}
}

/// The sources of one name, and the time from signal to callout.
public struct SourceResult: Sendable {
  public var name: String = ""
  public var signals: UInt64 = 0
  /// Signals that arrived while an earlier one was unanswered.
  public var mergedSignals: UInt64 = 0
  public var callouts: UInt64 = 0
  /// Callouts without a recorded signal.
  public var unsignalled: UInt64 = 0
  /// Callouts stamped less than a time unit before their signal: their delay counts as 0.
  public var negative: UInt64 = 0
  public var signalToCalloutNs = Distribution()
  /// The time of the signal with the longest delay; meaningless without one.
  public var longestStartNs: UInt64 = 0
  package init() {}
}

/// The time from the moment a block is queued to its start.
public struct QueueResults: Sendable {
  public var blockWaitNs = Distribution()
  public var mainQueueWaitNs = Distribution()
  /// When the block with the longest wait was queued; meaningless without one.
  public var longestMainQueueWaitStartNs: UInt64 = 0
  /// The pieces of work that waited `UnservedResult.thresholdNs` or more and had not run at the end of the span. Nil
  /// = events were lost, and a lost event may record that a piece ran.
  public var unserved: UInt64? = 0
  /// The number of these pieces plus the blocks that ran.
  public var queued: UInt64? {
    unserved.map { [blockWaitNs.count, mainQueueWaitNs.count, $0].saturatedSum }
  }
  public init() {}
}

/// How busy a thread's loops were over the span.
public struct UtilisationResult: Sendable {
  public var thread: UInt32 = 0
  public var busyNs: UInt64 = 0
  public var waitingNs: UInt64 = 0
  /// Bins of equal length that cover the span.
  public var series: [Bin] = []

  public typealias Bin = (startNs: UInt64, busyNs: UInt64, waitingNs: UInt64)

  /// busy ÷ (busy + waiting); nil if both are 0.
  public var share: Double? { ratio(busyNs, busyNs &+ waitingNs) }
  package init() {}
}

/// Returns `part` ÷ `whole`; nil if `whole` is 0.
package func ratio(_ part: UInt64, _ whole: UInt64) -> Double? {
  whole == 0 ? nil : Double(part) / Double(whole)
}

/// How long an event that arrived at a random moment of the span would have waited for the loop.
public struct DelayDistribution: Sendable {
  public var p50: UInt64 = 0
  public var p90: UInt64 = 0
  public var p99: UInt64 = 0
  public var max: UInt64 = 0
  public var meanNs: Double = 0
  package init() {}
}

/// The hypothetical input delay of the thread that receives input.
public struct InputDelayResult: Sendable {
  public var thread: UInt32 = 0
  public var spanNs: UInt64 = 0
  public var delay = DelayDistribution()
  /// The number of busy intervals of 250 ms or more, and their total time.
  public var hangs: UInt64 = 0
  public var hangNs: UInt64 = 0
  /// Seconds of hangs for each hour of the loop's time.
  public var hangRate: Double { spanNs == 0 ? 0 : Double(hangNs) / Double(spanNs) * 3600 }
  package init() {}
}

/// The reports that a stall monitor would have made about the watched thread.
public struct DetectorResult: Sendable {
  public var name: String = ""
  /// The condition under which it reports, as a sentence.
  public var rule: String = ""
  public var thread: UInt32 = 0
  public var count: Int = 0
  /// The first 1000 reports.
  public var reports: [Report] = []

  /// `durationNs` includes suspension. `callout` is the one that took longest; nil when none is known.
  public typealias Report = (startNs: UInt64, durationNs: UInt64, what: String, callout: String?)
  package init() {}
}

/// A busy interval that detectors judge differently.
public struct IncidentResult: Sendable {
  public var startNs: UInt64 = 0
  /// Suspension included.
  public var durationNs: UInt64 = 0
  public var suspendedNs: UInt64 = 0
  public var longestGapNs: UInt64 = 0
  /// Nil when no gap is that long.
  public var longestGapAfter: Phase?
  public var callout: String?
  /// One entry for each detector, in the order of the options: nil = the detector reports, else the reason why it
  /// does not.
  public var silence: [String?] = []
  package init() {}
}
