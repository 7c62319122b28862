import CallStacks
/// The callouts of one name and kind on one thread.
public struct CalloutResult: Sendable {
  /// The kind of callout, such as `timer`.
  public var kind: String = ""
  /// The name of the item, or of its code.
  public var name: String = ""
  /// The function that it calls, and the code that queued or created it.
  package var function: StackFrame?
  package var maker: StackFrame?
  /// The index in `TraceResult.threads`.
  public var thread: UInt32 = 0
  /// The number of callouts.
  public var count: UInt64 = 0
  /// Without the runs that the callouts started.
  public var timeNs: UInt64 = 0
  /// The part of `timeNs` outside callouts inside them.
  package var selfNs: UInt64 = 0
  /// The length of the longest callout.
  public var longestNs: UInt64 = 0
  /// The start of the longest callout.
  package var longestStartNs: UInt64 = 0
  /// The most time that one pass spent in them, and the start of that pass.
  package var worstPassNs: UInt64 = 0
  package var worstPassStartNs: UInt64 = 0
  /// The time inside runs that the callouts started.
  package var nestedNs: UInt64 = 0
  /// The callouts that started runs, the longest time that one of them spent inside its runs, and its start and end.
  package var nestedCount: UInt64 = 0
  package var longestNestedNs: UInt64 = 0
  package var longestNestedStartNs: UInt64 = 0
  package var longestNestedEndNs: UInt64 = 0
  /// The mode of its runs; nil = none, or several modes.
  package var longestNestedMode: String?
  package var timeNsByMode: [(mode: String, ns: UInt64)] = []
  /// The callouts in `count` that were still running at the end of the span.
  package var open: UInt64 = 0
  /// The distribution of the parts of `timeNs`, one value for each callout; nil unless the options ask for it.
  package var durationNs: Distribution?
  /// The distribution of the lengths of an event loop's passes in which they ran; nil if there are none, or the options
  /// do not ask for durations.
  package var passNs: Distribution?
  /// Nil if no gap that such a callout filled was sampled.
  package var account: CalloutAccount?
  /// Whether the row combines all kinds and names beyond those with a row of their own.
  package var isRemainder = false
  package init() {}
}

/// How many sources of one creation site are live over time. Sources without a creation site are grouped by name.
package struct SourceLifeResult: Sendable {
  /// The name of the first source.
  package var name: String = ""
  package var site: String = ""
  /// The thread of their loop; nil if the loop never ran.
  package var thread: UInt32?
  package var life = ItemLives()
  package init() {}
}

/// The sources of one name, and the time from signal to callout.
package struct SourceResult: Sendable {
  package var name: String = ""
  package var signals: UInt64 = 0
  /// Signals that arrived while an earlier one was unanswered.
  package var mergedSignals: UInt64 = 0
  package var callouts: UInt64 = 0
  /// Callouts without a recorded signal.
  package var unsignalled: UInt64 = 0
  /// Callouts stamped less than a time unit before their signal: their delay counts as 0.
  package var negative: UInt64 = 0
  package var signalToCalloutNs = Distribution()
  /// The time of the signal with the longest delay; meaningless without one.
  package var longestStartNs: UInt64 = 0
  package init() {}
}

/// The time from the moment a block is queued to its start.
package struct QueueResults: Sendable {
  /// Whether the recording has blocks: its capture level includes callouts.
  package var isRecorded = true
  package var blockWaitNs = Distribution()
  package var mainQueueWaitNs = Distribution()
  /// When the block with the longest wait was queued; meaningless without one.
  package var longestMainQueueWaitStartNs: UInt64 = 0
  /// The pieces of work that waited `UnservedResult.thresholdNs` or more and had not run at the end of the span. Nil
  /// = the recording has no callouts; or events were lost, and a lost event may record that a piece ran.
  package var unserved: UInt64? = 0
  /// The number of these pieces plus the blocks that ran.
  package var queued: UInt64? {
    unserved.map { [blockWaitNs.count, mainQueueWaitNs.count, $0].saturatedSum }
  }
  package init() {}
}

/// How busy a thread's loops were over the span.
package struct UtilisationResult: Sendable {
  package var thread: UInt32 = 0
  package var busyNs: UInt64 = 0
  package var waitingNs: UInt64 = 0
  /// Bins of equal length that cover the span.
  package var series: [Bin] = []

  package typealias Bin = (startNs: UInt64, busyNs: UInt64, waitingNs: UInt64)

  /// busy ÷ (busy + waiting); nil if both are 0.
  package var share: Double? { ratio(busyNs, busyNs &+ waitingNs) }
  package init() {}
}

/// Returns `part` ÷ `whole`; nil if `whole` is 0.
package func ratio(_ part: UInt64, _ whole: UInt64) -> Double? {
  whole == 0 ? nil : Double(part) / Double(whole)
}

/// How long an event that arrived at a random moment of the span would have waited for the loop.
package struct DelayDistribution: Sendable {
  package var p50: UInt64 = 0
  package var p90: UInt64 = 0
  package var p99: UInt64 = 0
  package var max: UInt64 = 0
  package var meanNs: Double = 0
  package init() {}
}

/// The hypothetical input delay of the thread that receives input.
package struct InputDelayResult: Sendable {
  package var thread: UInt32 = 0
  package var spanNs: UInt64 = 0
  package var delay = DelayDistribution()
  /// The number of busy intervals of 250 ms or more, and their total time.
  package var hangs: UInt64 = 0
  package var hangNs: UInt64 = 0
  /// Seconds of hangs for each hour of the loop's time.
  package var hangRate: Double { spanNs == 0 ? 0 : Double(hangNs) / Double(spanNs) * 3600 }
  package init() {}
}

/// The reports that a stall monitor would have made about the watched thread.
package struct DetectorResult: Sendable {
  package var name: String = ""
  /// The condition under which it reports, as a sentence.
  package var rule: String = ""
  package var thread: UInt32 = 0
  package var count: Int = 0
  /// The first 1000 reports.
  package var reports: [Report] = []

  /// `durationNs` includes suspension. `callout` is the one that took longest; nil when none is known.
  package typealias Report = (startNs: UInt64, durationNs: UInt64, what: String, callout: String?)
  package init() {}
}

/// A busy interval that detectors judge differently.
package struct IncidentResult: Sendable {
  package var startNs: UInt64 = 0
  /// Suspension included.
  package var durationNs: UInt64 = 0
  package var suspendedNs: UInt64 = 0
  package var longestGapNs: UInt64 = 0
  /// Nil when no gap is that long.
  package var longestGapAfter: Phase?
  package var callout: String?
  /// One entry for each detector, in the order of the options: nil = the detector reports, else the reason why it
  /// does not.
  package var silence: [String?] = []
  package init() {}
}
