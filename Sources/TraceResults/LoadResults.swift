import CallStacks
/// The callouts of one name and kind on one thread.
public struct CalloutResult: Sendable {
  public var kind: String = ""
  public var name: String = ""
  /// What it calls, and who queued it or made it.
  public var function: StackFrame?
  public var maker: StackFrame?
  public var thread: UInt32 = 0
  public var count: UInt64 = 0
  /// Without runs that they started.
  public var timeNs: UInt64 = 0
  /// Of it, outside callouts inside them.
  public var selfNs: UInt64 = 0
  public var longestNs: UInt64 = 0
  /// When the longest began.
  public var longestStartNs: UInt64 = 0
  /// The most that one pass spent in them, and when that pass began.
  public var worstPassNs: UInt64 = 0
  public var worstPassStartNs: UInt64 = 0
  /// Inside runs that they started.
  public var nestedNs: UInt64 = 0
  public var timeNsByMode: [(mode: String, ns: UInt64)] = []
  /// Of `count`, under way at the end of the span.
  public var open: UInt64 = 0
  /// Of `timeNs`, callout by callout; nil unless the options ask for it.
  public var durationNs: Distribution?
  /// Of all kinds and names beyond those with a row of their own.
  public var isRemainder = false
  package init() {}
}

/// How many sources of one creation site come and go. Of sources without a site, those of one name.
public struct SourceLifeResult: Sendable {
  /// Of the first one.
  public var name: String = ""
  public var site: String = ""
  /// The thread of their loop, nil while that never ran.
  public var thread: UInt32?
  public var life = ItemLives()
  package init() {}
}

/// The sources of one name: from signal to callout.
public struct SourceResult: Sendable {
  public var name: String = ""
  public var signals: UInt64 = 0
  /// Signals that found an earlier one unanswered.
  public var mergedSignals: UInt64 = 0
  public var callouts: UInt64 = 0
  /// Callouts that no recorded signal asked for.
  public var unsignalled: UInt64 = 0
  /// Callouts stamped before their signal, by less than a time unit: counted as 0.
  public var negative: UInt64 = 0
  public var signalToCalloutNs = Distribution()
  /// When the signal of the longest came; meaningless without one.
  public var longestStartNs: UInt64 = 0
  package init() {}
}

/// From a block's being queued to its begin.
public struct QueueResults: Sendable {
  public var blockWaitNs = Distribution()
  public var mainQueueWaitNs = Distribution()
  /// When the block was queued that waited the longest; meaningless without one.
  public var longestMainQueueWaitStartNs: UInt64 = 0
  /// Pieces of work that waited `UnservedResult.thresholdNs` or more and had not run at the end of the span. Nil =
  /// events were lost, and one of them may say that a piece ran.
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
  /// Equal bins of the span.
  public var series: [Bin] = []

  public typealias Bin = (startNs: UInt64, busyNs: UInt64, waitingNs: UInt64)

  /// busy ÷ (busy + waiting); nil of nothing.
  public var share: Double? { ratio(busyNs, busyNs &+ waitingNs) }
  package init() {}
}

/// Nil of nothing.
package func ratio(_ part: UInt64, _ whole: UInt64) -> Double? {
  whole == 0 ? nil : Double(part) / Double(whole)
}

/// How long an event that arrived at any moment of the span would have waited for the loop.
public struct DelayDistribution: Sendable {
  public var p50: UInt64 = 0
  public var p90: UInt64 = 0
  public var p99: UInt64 = 0
  public var max: UInt64 = 0
  public var meanNs: Double = 0
  package init() {}
}

/// The hypothetical input delay of the thread that input comes to.
public struct InputDelayResult: Sendable {
  public var thread: UInt32 = 0
  public var spanNs: UInt64 = 0
  public var delay = DelayDistribution()
  /// Busy intervals of 250 ms and more, and their time.
  public var hangs: UInt64 = 0
  public var hangNs: UInt64 = 0
  /// Seconds of hanging in an hour of the loop's time.
  public var hangRate: Double { spanNs == 0 ? 0 : Double(hangNs) / Double(spanNs) * 3600 }
  package init() {}
}

/// What a stall monitor would have reported of the watched thread.
public struct DetectorResult: Sendable {
  public var name: String = ""
  /// When it reports, in a sentence.
  public var rule: String = ""
  public var thread: UInt32 = 0
  public var count: Int = 0
  /// The first thousand.
  public var reports: [Report] = []

  /// With what was suspended; `callout`: the one that took longest, nil when none is known.
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
  /// Nil when no gap was that long.
  public var longestGapAfter: Phase?
  public var callout: String?
  /// By detector, in the order asked for: nil = it reports, else why not.
  public var silence: [String?] = []
  package init() {}
}
