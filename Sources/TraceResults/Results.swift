import CallStacks
import TraceFormat

/// Everything an analysis found. All times and lengths are nanoseconds; moments count from the trace's origin.
///
/// docs/analysis.md defines each number.
public struct Analysis: Sendable {
  public var trace: TraceFacts
  public var loops: [LoopResult] = []
  public var modes: [ModeResult] = []
  /// What loops held, in order of time.
  public var snapshots: [TopologySnapshot] = []
  public var snapshotsOmitted: UInt64 = 0
  /// The same by item and mode.
  public var inventory: [InventoryItem] = []
  /// By mode.
  public var runs: [RunsResult] = []
  /// Modes that were run and had nothing in them.
  public var emptyRuns: [EmptyRunsResult] = []
  public var gaps: [Gap] = []
  /// Of those gaps, the ones in which stacks were sampled.
  public var stalls: [StallResult] = []
  /// All stacks that were sampled, most time first.
  public var sampledStacks: [SampledStack] = []
  public var busy: [BusyInterval] = []
  /// The code behind names of callouts and sites.
  public var code: [CodeResult] = []
  public var timers: [TimerResult] = []
  public var callouts: [CalloutResult] = []
  public var sources: [SourceResult] = []
  public var sourceLives: [SourceLifeResult] = []
  public var queues = QueueResults()
  /// Work that was queued and had not run at the end of the span, the longest wait first.
  public var unserved: [UnservedResult] = []
  /// The number of pieces of such work beyond the limit of rows.
  public var unservedOmitted: UInt64 = 0
  /// By thread that ran a loop.
  public var utilisation: [UtilisationResult] = []
  /// Nil when no loop ran.
  public var inputDelay: InputDelayResult?
  public var lifeCycle = LifeCycleResult()
  /// How the recorded process ended.
  public var end = EndResult()
  /// What the program marked in its own words.
  public var marks = MarkResults()
  public var detectors: [DetectorResult] = []
  public var incidents: [IncidentResult] = []
  /// Ranked, the worst first.
  public var findings: [Finding] = []
  /// Of all rows, whatever is kept of them later.
  public package(set) var verdict = Verdict()
  /// What gaps were held against, nil = nothing.
  public var profile: Profile?
  /// Gaps and busy intervals above their thresholds that are shorter than those listed.
  public var gapsOmitted = 0
  public var busyOmitted = 0
  /// Busy intervals under way when the span began: they are not among those that begin in it.
  public var busyAtStart: [BusyAtEdge] = []
  /// Busy intervals under way where the recording breaks off, if it does.
  public var busyAtBreak: [BusyAtEdge] = []
  /// What this recording cannot tell, and why.
  public var notes: [Note] = []
  /// The first thing wrong with the trace's events, nil when all could be read.
  public var damage: TraceFormatError?

  package init(trace: TraceFacts) { self.trace = trace }
}

/// The recording as such.
public struct TraceFacts: Sendable {
  public var events: UInt64 = 0
  public var lostEvents: UInt64 = 0
  /// Those of them that were lost because a disk had no room, as far as the recorder knew.
  public var lostToFullDisk: UInt64 = 0
  public var durationNs: UInt64 = 0
  /// The analyzed span; the whole recording unless a window was asked for.
  public var fromNs: UInt64 = 0
  public var toNs: UInt64 = 0
  /// Wall-clock time of the origin, since 1970; nil when the trace has no sync point.
  public var startRealtimeNs: UInt64?
  public var clean = true
  public var captureLevel = CaptureLevel.activities
  public var timeUnitNs: UInt64 = 1
  public var hasHighStamps = false
  public var threads: [ThreadDefinition] = []
  /// Beyond the limit: nothing is known of them.
  public var threadsLeftOut = 0
  public var unknownEvents: UInt64 = 0
  public var unknownBlocks = 0
  public var damagedBlocks = 0
  /// The number of events of timers, runs and callouts beyond the limits: nothing is known of them.
  public var unfollowed: UInt64 = 0
  /// The number of events that no run loop makes, names that are not defined, and index entries that the blocks
  /// contradict.
  public var contradictions: UInt64 = 0
  /// The first event among them; nil = there is none, or only the index is wrong.
  public var firstContradiction: Contradicting?
  /// Timers or sources existed whose callouts could not be recorded: nothing is known of them.
  public var hasUnseenObjects = false
  /// The recording breaks off: how the program went on is not known.
  public var hasUnknownEnd = false
  /// In the span, in which the process did not run.
  public var suspendedNs: UInt64 = 0
  public var suspensions: [Suspension] = []
  public var suspensionsOmitted = 0
  /// Late beats of the recorder while the program ran: a busy machine, no suspension.
  public var lateBeats: UInt64 = 0
  /// The system slept for so long while the trace's clock stood still: no time of the trace.
  public var sleptBesidesNs: UInt64 = 0
  package init() {}
}

/// An event that no run loop makes where it stands.
public typealias Contradicting = (timeNs: UInt64, thread: UInt32)

/// A span in which the process did not run.
public typealias Suspension = (startNs: UInt64, durationNs: UInt64, evidence: SuspensionSign)

/// A distribution: exact count, sum and extremes; percentiles within 0.5 %.
public struct Distribution: Sendable, Equatable {
  public var count: UInt64 = 0
  public var sum: UInt64 = 0
  public var min: UInt64 = 0
  public var p50: UInt64 = 0
  public var p90: UInt64 = 0
  public var p99: UInt64 = 0
  public var p999: UInt64 = 0
  public var max: UInt64 = 0
  /// Those with values, shortest first; their counts add up to `count`. At most a few thousand.
  public var buckets: [Bucket] = []
  public init() {}

  /// Values from `lowNs` to `highNs`, both inclusive: at most 0.8 % apart.
  public struct Bucket: Sendable, Equatable {
    public var lowNs: UInt64
    public var highNs: UInt64
    public var count: UInt64

    public init(lowNs: UInt64, highNs: UInt64, count: UInt64) {
      self.lowNs = lowNs
      self.highNs = highNs
      self.count = count
    }

    /// What stands for its values.
    public var middleNs: UInt64 { lowNs &+ (highNs &- lowNs) / 2 }
  }
}

/// One run loop.
public struct LoopResult: Sendable {
  public var loop: String = ""
  public var thread = ThreadDefinition(index: 0, osThread: 0, isMain: false, name: "")
  /// Inside runs of the loop.
  public var timeNs: UInt64 = 0
  public var busyNs: UInt64 { timeNs &- waitingNs }
  public var waitingNs: UInt64 = 0
  /// Runs that began in the span, nested ones included.
  public var runs: UInt64 = 0
  public var nestedRuns: UInt64 = 0
  public var passes: UInt64 = 0
  /// Beside `timeNs`.
  public var suspendedNs: UInt64 = 0
  /// When its thread's first run in the span began.
  public var firstRunNs: UInt64?
  /// For how long the program is known to have gone on since its thread's last run ended, suspension left out. Nil
  /// when a run was under way at the end.
  public var livedOnNs: UInt64?
  package init() {}
}

/// Calls for runs of one mode that returned without one, because the mode had no items.
public struct EmptyRunsResult: Sendable {
  public var loop: String = ""
  public var mode: String = ""
  public var thread: UInt32 = 0
  public var count: UInt64 = 0
  /// When the first was called, and the time from there to the end of the last.
  public var startNs: UInt64 = 0
  public var durationNs: UInt64 = 0
  /// The longest time that one of them might have taken; all ones = no limit.
  public var longestTimeoutNs: UInt64 = 0
  package init() {}
}

/// One mode of one loop.
public struct ModeResult: Sendable {
  public var loop: String = ""
  public var mode: String = ""
  public var thread: UInt32 = 0
  public var timeNs: UInt64 = 0
  public var busyNs: UInt64 { timeNs &- waitingNs }
  public var waitingNs: UInt64 = 0
  public var passes: UInt64 = 0
  /// Time in each phase, by activity.
  public var phasesNs: [Phase: UInt64] = [:]
  public var passNs = Distribution()
  public var wakeToCalloutNs = Distribution()
  /// Beside `timeNs`.
  public var suspendedNs: UInt64 = 0
  /// Passes that did not wait, and among them the only passes of poll runs.
  public var polls: UInt64 = 0
  public var pollRuns: UInt64 = 0
  /// The number of runs that returned within 2 ms and had served nothing; nil if callouts were not recorded.
  public var emptyPolls: UInt64?
  /// The stretches with many such runs; nil if there were none.
  public var polling: PollingResult?
  /// Waits that ended, and those after which nothing but observers ran.
  public var wakes: UInt64 = 0
  /// Nil where callouts were not recorded.
  public var emptyWakes: UInt64?
  /// Time of the program's own observers, by activity; nil without high stamps.
  public var observersNs: [Phase: UInt64]?
  /// Of all modes beyond those with a row of their own.
  public var isRemainder = false
  /// What a moment of this mode would have waited.
  public var inputDelay: DelayDistribution?
  package init() {}
}

/// Runs of a mode that returned at once and had served nothing, 50 or more in a tenth of a second.
public struct PollingResult: Sendable {
  public var runs: UInt64 = 0
  /// The total of the tenths of a second that had so many runs.
  public var timeNs: UInt64 = 0
  /// From the first run to the last.
  public var startNs: UInt64 = 0
  public var endNs: UInt64 = 0
  /// The callout that called for the runs, as kind and name; nil: no callout did.
  public var caller: (kind: String, name: String)?
  /// Several callouts called for the runs, or one callout and code outside callouts.
  public var hasSeveralCallers = false
  package init() {}
}

/// The callouts of one kind and name in a gap or busy interval, or the observers of an activity.
public struct SpanCalloutResult: Sendable, Equatable {
  public var kind: String = ""
  public var name: String = ""
  /// The one object of all of them; 0 when there were several.
  public var object: UInt32 = 0
  /// How many of them ran in it.
  public var count: UInt64 = 0
  /// Their time in it, with callouts inside them: a drain's holds its blocks'.
  public var durationNs: UInt64 = 0
  /// Their time in it outside callouts inside them: who held it.
  public var selfNs: UInt64 = 0
  package init() {}
}

/// What gaps and busy intervals have in common.
package protocol LongSpan: Sendable {
  var startNs: UInt64 { get }
  var durationNs: UInt64 { get }
  /// Beside `durationNs`.
  var suspendedNs: UInt64 { get }
  var mode: String { get }
  var thread: UInt32 { get }
  var isOpen: Bool { get }
  var isUncertain: Bool { get }
  var callouts: [SpanCalloutResult] { get }
  var calloutCount: UInt64 { get }
  var calloutNs: UInt64 { get }
  var unexplainedNs: UInt64 { get }
}

/// Time between two consecutive activities of a thread, waiting excluded.
public struct Gap: LongSpan {
  public var startNs: UInt64 = 0
  public var durationNs: UInt64 = 0
  public var after = Phase.outside
  /// Mode of the innermost run when it began.
  public var mode: String = ""
  public var thread: UInt32 = 0
  /// Those that took most of it by themselves, most first, at most `AnalysisLimits.spanCallouts`.
  public var callouts: [SpanCalloutResult] = []
  /// All callouts that ran in it.
  public var calloutCount: UInt64 = 0
  /// The time in which a callout, or an activity's observers, ran: each instant once.
  public var calloutNs: UInt64 = 0
  /// In which nothing ran that was recorded.
  public var unexplainedNs: UInt64 { durationNs &- calloutNs }
  /// The recording ended before the gap did.
  public var isOpen: Bool = false
  /// Behind the Exit of the outermost run: the thread ran no loop.
  public var isOutside: Bool = false
  /// Beside `durationNs`.
  public var suspendedNs: UInt64 = 0
  /// Events were lost in it, or the recorder itself was late.
  public var isUncertain: Bool = false
  /// Of the profile, for the life-cycle phase that it began in; nil without a profile.
  public var limitNs: UInt64?
  package init() {}
}

/// Time in which a thread had work for its loop, or kept the loop from its work: between two waits, or ends of poll
/// runs.
public struct BusyInterval: LongSpan {
  public var startNs: UInt64 = 0
  public var durationNs: UInt64 = 0
  public var thread: UInt32 = 0
  public var mode: String = ""
  /// The part of the interval outside any run of the loop, and the longest stretch of that part.
  public var outsideNs: UInt64 = 0
  public var longestOutsideNs: UInt64 = 0
  public var isOpen: Bool = false
  /// Beside `durationNs`.
  public var suspendedNs: UInt64 = 0
  public var isUncertain: Bool = false
  /// Those that took most of it by themselves, whatever gaps they ran in; as of a gap, inside runs.
  public var callouts: [SpanCalloutResult] = []
  public var calloutCount: UInt64 = 0
  public var calloutNs: UInt64 = 0
  /// Inside runs, and nothing ran that was recorded.
  public var unexplainedNs: UInt64 { durationNs &- outsideNs &- calloutNs }
  public var busyClass: BusyClass? { BusyClass(ns: durationNs) }
  /// For most of it the thread ran no loop: what it did, and whether anybody waited, is not known.
  public var isMostlyOutside: Bool { outsideNs > durationNs / 2 }
  /// How long it counts as a hang: all of it, or what was inside runs where most of it was outside.
  public var hangLengthNs: UInt64 { isMostlyOutside ? durationNs &- outsideNs : durationNs }
  /// 250 ms and above, and certain: what RL002 speaks of.
  public var isHang: Bool { isHangIfCertain && !isUncertain }
  /// A hang, unless it is not for certain as long as it seems.
  public var isHangIfCertain: Bool { hangLengthNs >= BusyClass.hangNs }
  package init() {}
}

extension Analysis {
  /// Busy intervals that are hangs if they are as long as they seem.
  public var uncertainHangs: [BusyInterval] { busy.filter { $0.isHangIfCertain && $0.isUncertain } }
  /// Hangs of before the span, by what of them is in it.
  public var hangsAtStart: [BusyAtEdge] { busyAtStart.filter { $0.durationNs >= BusyClass.hangNs } }
  /// There may be hangs that no finding speaks of, because nobody knows how long they were.
  public var hasDoubtfulHangs: Bool {
    !uncertainHangs.isEmpty || !hangsAtStart.isEmpty || !busyAtBreak.isEmpty
  }
}

/// A thread was busy when the analyzed span began or ended, for so long inside it; what it did beyond is not in the span.
public typealias BusyAtEdge = (thread: UInt32, mode: String, durationNs: UInt64)

/// One timer class: creation site, interval and modes.
public struct TimerResult: Sendable {
  /// What point records name it by.
  public var id: Int = 0
  /// The classes that the row stands for: of timers of one place with many intervals more than one, else `id`.
  public var classes: [Int] = []
  /// The first few names, in the order in which they came.
  public var names: [String] = []
  public var hasMoreNames: Bool = false
  /// Of its timers; of timers of several names, the first few of them.
  public var name: String { names.joined(separator: ", ") + (hasMoreNames ? " and others" : "") }
  /// Timers that are made at one place need not have one name.
  public var hasSeveralNames: Bool { names.count > 1 || hasMoreNames }
  public var site: String = ""
  /// What its timers call, and who made them: with file and line, where the trace holds them or they were looked up.
  public var function: StackFrame?
  public var maker: StackFrame?
  public var objects: UInt64 = 0
  /// Of several intervals the shortest.
  public var intervalNs: UInt64 = 0
  public var longestIntervalNs: UInt64 = 0
  /// Its timers have many intervals.
  public var isVarying: Bool { longestIntervalNs > intervalNs }
  /// `100 ms`, or `100 ms–2.50 s`.
  package var intervalText: String {
    let shortest = Units.duration(intervalNs)
    return isVarying ? "\(shortest)–\(Units.duration(longestIntervalNs))" : shortest
  }
  public var modes: [String] = []
  /// Added to the common modes rather than to each of `modes`.
  public var isCommon: Bool = false
  package var modeNames: String { isCommon ? "common modes" : modes.joined(separator: ", ") }
  /// The thread of its loop, nil while that never ran.
  public var thread: UInt32?
  public var fired: UInt64 = 0
  /// Callouts outside the loop (`-fire`): neither due nor fired.
  public var manual: UInt64 = 0
  public var toleranceNs: UInt64 = 0
  /// Said to be meant to wait while tracking.
  public var isDeferrable: Bool = false
  /// Time of its callouts, without runs that they started, by the mode that they ran in.
  public var calloutNsByMode: [(mode: String, ns: UInt64)] = []
  public var longestCalloutNs: UInt64 = 0
  /// How many of its timers come and go.
  public var life = ItemLives()
  /// Nil when the recording holds no due points for it; then so are the numbers below.
  public var ledger: TimerLedgerResult?
  package init() {}
}

/// The number of live timers of a class, or of live sources of a place.
public struct ItemLives: Sendable {
  /// Those that are in a mode of their loop at the end of the span.
  public var live: UInt64 = 0
  /// Those that left their last mode, or were invalidated.
  public var ended: UInt64 = 0
  /// The number of live ones at the start of the span, and after each quarter of it.
  public var atQuarters: [UInt64] = []
  /// When the first and the last came in the span; meaningless if none came.
  public var firstNs: UInt64 = 0
  public var lastNs: UInt64 = 0
  package init() {}
}

/// What became of a timer class's due points: due = fired + skipped + withdrawn + pending.
public struct TimerLedgerResult: Sendable {
  public var due: UInt64 = 0
  public var skipped: UInt64 = 0
  public var withdrawn: UInt64 = 0
  public var pending: UInt64 = 0
  public var early: UInt64 = 0
  public var latenessNs = Distribution()
  /// Lateness by the mode that ran meanwhile; sums to `latenessNs.sum`.
  public var overdueByModeNs: [(mode: String, ns: UInt64)] = []
  /// Skipped points by the cause in force at their due instant; sums to `skipped`.
  public var skippedBy: [Cause: UInt64] = [:]
  /// Of the points skipped for `wrongMode`, by the mode that ran.
  public var wrongModeBy: [(mode: String, count: UInt64)] = []
  /// How long the pending point was overdue at the end. If several timers were overdue, the longest time, not the sum.
  public var pendingOverdueNs: UInt64 = 0
  /// Lateness of fires by cause; sums to `latenessNs.sum`.
  public var ledgerNs: [Cause: UInt64] = [:]
  /// What became of the points by the mode that they came due in.
  public var byMode: [PointsInMode] = []
  /// The callouts that ran while points were overdue, most time first.
  public var blockers: [BlockerResult] = []
  package init() {}
}

/// The due points of a timer class that came in one mode: due = fired + skipped + withdrawn + pending.
public struct PointsInMode: Sendable, Equatable {
  public var mode: String = ""
  public var fired: UInt64 = 0
  public var skipped: UInt64 = 0
  public var withdrawn: UInt64 = 0
  public var pending: UInt64 = 0
  public var worstLatenessNs: UInt64 = 0
  public var due: UInt64 { [fired, skipped, withdrawn, pending].saturatedSum }
  package init() {}
}

/// A callout, or the observers of an activity, in the way of a timer.
public struct BlockerResult: Sendable {
  public var kind: String = ""
  public var name: String = ""
  /// Part of the lateness of fires for `busy`.
  public var latenessNs: UInt64 = 0
  /// Due points that were skipped while it ran.
  public var points: UInt64 = 0
  package init() {}
}
