import CallStacks
import TraceFormat

/// All results of an analysis. All times and lengths are nanoseconds; moments are relative to the trace's origin.
///
/// docs/reference/numbers.md defines each number.
public struct Analysis: Sendable {
  public var trace: TraceResult
  public var loops: [LoopResult] = []
  public var modes: [ModeResult] = []
  /// The contents of the loops, in time order.
  public var snapshots: [TopologySnapshot] = []
  public var snapshotsOmitted: UInt64 = 0
  /// The contents of the snapshots by item and mode.
  public var inventory: [InventoryItem] = []
  /// The runs of each mode.
  public var runs: [RunsResult] = []
  /// Modes that were run while they had no items.
  public var emptyRuns: [EmptyRunsResult] = []
  public var gaps: [Gap] = []
  /// The gaps in which stacks were sampled.
  public var stalls: [StallResult] = []
  /// Nil if no thread's state was sampled.
  public var processor: ProcessorUse?
  /// All sampled stacks, most time first.
  public var sampledStacks: [SampledStack] = []
  public var busy: [BusyInterval] = []
  /// The code behind the names of callouts and creation sites.
  public var code: [CodeResult] = []
  public var timers: [TimerResult] = []
  public var callouts: [CalloutResult] = []
  public var sources: [SourceResult] = []
  public var sourceLives: [SourceLifeResult] = []
  public var queues = QueueResults()
  /// Work that was queued and had not run at the end of the span, the longest wait first.
  public var unserved: [UnservedResult] = []
  /// The number of pieces of unserved work beyond the limit of rows.
  public var unservedOmitted: UInt64 = 0
  /// One row for each thread that ran a loop.
  public var utilisation: [UtilisationResult] = []
  /// Nil when no loop ran.
  public var inputDelay: InputDelayResult?
  public var lifeCycle = LifeCycleResult()
  /// How the recorded process ended.
  public var end = EndResult()
  /// The callouts that were running at the end of the span, by thread, the innermost first on each thread.
  public var openCallouts: [RunningCallout] = []
  /// The program's marks.
  public var marks = MarkResults()
  public var detectors: [DetectorResult] = []
  public var incidents: [IncidentResult] = []
  /// The findings by rank, the worst first.
  public var findings: [Finding] = []
  /// The verdict on all rows, before a filter removes any.
  public package(set) var verdict = Verdict()
  /// The limits for gaps; nil = none.
  public var profile: Profile?
  /// The number of gaps and busy intervals above their thresholds that are shorter than the listed ones.
  public var gapsOmitted = 0
  public var busyOmitted = 0
  /// By thread, the certain busy intervals of 100 ms and more that are not listed.
  package var unlistedBusy: [UInt32: UnlistedBusy] = [:]
  /// Busy intervals that were under way when the span began. They do not count among those that begin in it.
  public var busyAtStart: [BusyAtEdge] = []
  /// Busy intervals that were under way where the recording breaks off.
  public var busyAtBreak: [BusyAtEdge] = []
  /// The limits of what this recording shows, with reasons.
  public var notes: [Note] = []
  /// The first error in the trace's events; nil when all of them could be read.
  public var damage: TraceFormatError?

  package init(trace: TraceResult) { self.trace = trace }

  /// Removes everything that a list of hangs does not show: hangs, their gaps and stacks stay.
  package mutating func forgetLoops() {
    (modes, runs, emptyRuns, utilisation) = ([], [], [], [])
    inputDelay = nil
  }
}

/// Facts about the recording itself.
public struct TraceResult: Sendable {
  /// The recorded command line, quoted for a shell; nil if the trace is not from a recorded command. For
  /// example, rltrace itself plays scenarios.
  package var command: String?
  public var events: UInt64 = 0
  public var lostEvents: UInt64 = 0
  /// The part of `lostEvents` that the recorder knows was lost because a disk was full.
  public var lostToFullDisk: UInt64 = 0
  public var durationNs: UInt64 = 0
  /// The analyzed span: the whole recording unless the user chose a window.
  public var fromNs: UInt64 = 0
  public var toNs: UInt64 = 0
  /// The wall-clock time of the origin, since 1970; nil when the trace has no sync point.
  public var startRealtimeNs: UInt64?
  public var clean = true
  public var captureLevel = CaptureLevel.activities
  public var timeUnitNs: UInt64 = 1
  public var hasHighStamps = false
  public var threads: [ThreadDefinition] = []
  /// The number of threads beyond the limit, which were not analyzed.
  public var threadsLeftOut = 0
  public var unknownEvents: UInt64 = 0
  public var unknownBlocks = 0
  public var damagedBlocks = 0
  /// The number of events of timers, runs and callouts beyond the limits, which were not analyzed.
  public var unfollowed: UInt64 = 0
  /// The number of contradictions: events that no run loop produces, names that are not defined, and index entries
  /// that the blocks contradict.
  public var contradictions: UInt64 = 0
  /// The first contradicting event; nil = there is none, or only the index is wrong.
  public var firstContradiction: Contradicting?
  /// Whether there were timers or sources whose callouts could not be recorded.
  public var hasUnseenObjects = false
  /// Whether the recording breaks off, so that it is not known what the program did afterwards.
  public var hasUnknownEnd = false
  /// The time in the span during which the process did not run.
  public var suspendedNs: UInt64 = 0
  public var suspensions: [Suspension] = []
  public var suspensionsOmitted = 0
  /// Late beats of the recorder while the program ran. They show a busy machine, not a suspension.
  public var lateBeats: UInt64 = 0
  /// How long the system slept while the trace's clock did not advance. This time is not part of the trace.
  public var sleptOffClockNs: UInt64 = 0
  package init() {}
}

/// An event that no run loop produces at its place in the order.
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
  /// The buckets with values, shortest first; their counts add up to `count`. At most a few thousand.
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

    /// The value that represents all values of the bucket.
    public var middleNs: UInt64 { lowNs &+ (highNs &- lowNs) / 2 }
  }
}

/// One run loop.
public struct LoopResult: Sendable {
  public var loop: String = ""
  public var thread = ThreadDefinition(index: 0, osThread: 0, isMain: false, name: "")
  /// The time inside runs of the loop.
  public var timeNs: UInt64 = 0
  public var busyNs: UInt64 { timeNs &- waitingNs }
  public var waitingNs: UInt64 = 0
  /// The runs that began in the span, nested ones included.
  public var runs: UInt64 = 0
  public var nestedRuns: UInt64 = 0
  public var passes: UInt64 = 0
  /// Suspended time, in addition to `timeNs`.
  public var suspendedNs: UInt64 = 0
  /// When the first run of its thread in the span began.
  public var firstRunNs: UInt64?
  /// How long the program is known to have continued after the last run of its thread, without suspension. Nil when a
  /// run was under way at the end.
  public var continuedNs: UInt64?
  /// The innermost run that was open at the end of the span: its mode, whether the thread waited in it, and whether
  /// a callout of this run was open. Nil = none was open.
  public var openRun: (mode: String, isWaiting: Bool, isInCallout: Bool)?
  package init() {}
}

/// The calls to run one mode that returned without a run because the mode had no items.
public struct EmptyRunsResult: Sendable {
  public var loop: String = ""
  public var mode: String = ""
  public var thread: UInt32 = 0
  public var count: UInt64 = 0
  /// When the first call was made, and the time from there to the end of the last call.
  public var startNs: UInt64 = 0
  public var durationNs: UInt64 = 0
  /// The longest timeout of these calls; all ones = no limit.
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
  /// Suspended time, in addition to `timeNs`.
  public var suspendedNs: UInt64 = 0
  /// The passes that did not wait, and those among them that were the only pass of a poll run.
  public var polls: UInt64 = 0
  public var pollRuns: UInt64 = 0
  /// The number of runs that returned within 2 ms without serving anything; nil if callouts were not recorded.
  public var emptyPolls: UInt64?
  /// The periods with many such runs; nil if there were none.
  public var polling: PollingResult?
  /// The number of waits that ended.
  public var wakes: UInt64 = 0
  /// The number of wakes after which only observers ran; nil if callouts were not recorded.
  public var emptyWakes: UInt64?
  /// The time of the program's own observers, by activity; nil without high stamps.
  public var observersNs: [Phase: UInt64]?
  /// Whether the row combines all modes beyond those with a row of their own.
  public var isRemainder = false
  /// How long an event would have waited if it had arrived at a random moment of this mode.
  public var inputDelay: DelayDistribution?
  package init() {}
}

/// Runs of a mode that returned at once without serving anything, 10 or more in a tenth of a second.
public struct PollingResult: Sendable {
  public var runs: UInt64 = 0
  /// The total length of the tenths of a second with 10 or more such runs, and of those with 100 or more.
  public var timeNs: UInt64 = 0
  public var fastTimeNs: UInt64 = 0
  /// The start of the first run and the end of the last.
  public var startNs: UInt64 = 0
  public var endNs: UInt64 = 0
  /// The kind and name of the callout that started the runs; nil = no callout did.
  public var caller: (kind: String, name: String)?
  /// Whether several callouts started the runs, or one callout and code outside callouts.
  public var hasSeveralCallers = false
  package init() {}
}

/// The callouts of one kind and name in a gap or busy interval, or the observers of an activity.
public struct SpanCalloutResult: Sendable, Equatable {
  public var kind: String = ""
  public var name: String = ""
  /// The object, if it is the same for all of them; 0 when there are several.
  public var object: UInt32 = 0
  /// The number of callouts in the span.
  public var count: UInt64 = 0
  /// Their time in the span, including the callouts inside them: the time of a drain includes its blocks.
  public var durationNs: UInt64 = 0
  /// Their time in the span outside the callouts inside them: the time that they held the loop themselves.
  public var selfNs: UInt64 = 0
  package init() {}
}

/// The common properties of gaps and busy intervals.
package protocol LongSpan: Sendable {
  var startNs: UInt64 { get }
  var durationNs: UInt64 { get }
  /// Suspended time, in addition to `durationNs`.
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

extension LongSpan {
  /// The end of the span, with its suspended time.
  package var endNs: UInt64 { startNs &+ durationNs &+ suspendedNs }
}

/// The time between two consecutive activities of a thread, waiting excluded.
public struct Gap: LongSpan {
  public var startNs: UInt64 = 0
  public var durationNs: UInt64 = 0
  public var after = Phase.outside
  /// The mode of the innermost run when the gap began.
  public var mode: String = ""
  public var thread: UInt32 = 0
  /// The callouts with the most time of their own in the gap, most first, at most `AnalysisLimits.spanCallouts`.
  public var callouts: [SpanCalloutResult] = []
  /// The number of all callouts that ran in the gap.
  public var calloutCount: UInt64 = 0
  /// The time in which a callout, or an activity's observers, ran. Each instant counts once.
  public var calloutNs: UInt64 = 0
  /// The time in which nothing that was recorded ran.
  public var unexplainedNs: UInt64 { durationNs &- calloutNs }
  /// Whether the recording ended before the gap did.
  public var isOpen: Bool = false
  /// Whether the gap follows the Exit of the outermost run: the thread ran no loop.
  public var isOutside: Bool = false
  /// Suspended time, in addition to `durationNs`.
  public var suspendedNs: UInt64 = 0
  /// Whether events were lost in the gap, or the recorder itself was late.
  public var isUncertain: Bool = false
  /// The profile's limit for the life-cycle phase in which the gap began; nil without a profile.
  public var limitNs: UInt64?
  package init() {}
}

/// The time in which a thread had work for its loop, or kept the loop from its work: between two waits, or ends of
/// poll runs.
public struct BusyInterval: LongSpan {
  public var startNs: UInt64 = 0
  public var durationNs: UInt64 = 0
  public var thread: UInt32 = 0
  public var mode: String = ""
  /// The part of the interval outside any run of the loop, and the longest stretch of that part.
  public var outsideNs: UInt64 = 0
  public var longestOutsideNs: UInt64 = 0
  public var isOpen: Bool = false
  /// Suspended time, in addition to `durationNs`.
  public var suspendedNs: UInt64 = 0
  public var isUncertain: Bool = false
  /// The callouts with the most time of their own in the interval, in whichever gaps they ran. As for a gap, only
  /// those inside runs count.
  public var callouts: [SpanCalloutResult] = []
  public var calloutCount: UInt64 = 0
  public var calloutNs: UInt64 = 0
  /// The time inside runs in which nothing that was recorded ran.
  public var unexplainedNs: UInt64 { durationNs &- outsideNs &- calloutNs }
  public var busyClass: BusyClass? { BusyClass(ns: durationNs) }
  /// Whether the thread ran no loop for most of the interval: what it did then, and whether any work waited, is not
  /// known.
  public var isMostlyOutside: Bool { outsideNs > durationNs / 2 }
  /// The length that counts as a hang: the whole interval, or its part inside runs if most of it was outside.
  public var hangLengthNs: UInt64 { isMostlyOutside ? durationNs &- outsideNs : durationNs }
  /// Whether the interval is a certain hang of 250 ms or more. RL002 reports these.
  public var isHang: Bool { isHangIfCertain && !isUncertain }
  /// Whether the interval is a hang if its length is as recorded.
  public var isHangIfCertain: Bool { hangLengthNs >= BusyClass.hangNs }
  package init() {}
}

/// The number and time of a thread's busy intervals that are not listed.
package struct UnlistedBusy {
  package var count: UInt64
  package var ns: UInt64
  /// Those of 250 ms and more.
  package var hangs: UInt64
  package var hangsNs: UInt64

  package init(count: UInt64 = 0, ns: UInt64 = 0, hangs: UInt64 = 0, hangsNs: UInt64 = 0) {
    (self.count, self.ns, self.hangs, self.hangsNs) = (count, ns, hangs, hangsNs)
  }
}

extension Analysis {
  /// Busy intervals that are hangs if their recorded length is right.
  public var uncertainHangs: [BusyInterval] { busy.filter { $0.isHangIfCertain && $0.isUncertain } }
  /// Hangs that began before the span, judged by their length inside the span.
  public var hangsAtStart: [BusyAtEdge] { busyAtStart.filter { $0.durationNs >= BusyClass.hangNs } }
  /// Whether there may be hangs that no finding reports because their length is not known.
  public var hasDoubtfulHangs: Bool {
    !uncertainHangs.isEmpty || !hangsAtStart.isEmpty || !busyAtBreak.isEmpty
  }
}

/// A thread that was busy when the analyzed span began or ended. `durationNs` is the part inside the span; the rest
/// is not known.
public typealias BusyAtEdge = (thread: UInt32, mode: String, durationNs: UInt64)

/// One timer class: creation site, interval and modes.
public struct TimerResult: Sendable {
  /// The number by which records of due points refer to it.
  public var id: Int = 0
  /// The classes that the row combines: several for timers of one place with many intervals, otherwise only `id`.
  public var classes: [Int] = []
  /// The first few names, in order of appearance.
  public var names: [String] = []
  public var hasMoreNames: Bool = false
  /// Whether this is the row for all classes beyond the limit. It has no interval, modes or code of its own.
  public var isRemainder = false
  /// The name of its timers. If they have several names, the first few of them.
  public var name: String { names.joined(separator: ", ") + (hasMoreNames ? " and others" : "") }
  /// Whether its timers have several names. Timers created at one place may differ in name.
  public var hasSeveralNames: Bool { names.count > 1 || hasMoreNames }
  public var site: String = ""
  /// The function that its timers call, and the code that created them. File and line are given if the trace holds
  /// them or symbolication found them.
  public var function: StackFrame?
  public var maker: StackFrame?
  public var objects: UInt64 = 0
  /// The interval, or the shortest of several.
  public var intervalNs: UInt64 = 0
  public var longestIntervalNs: UInt64 = 0
  /// Whether its timers have different intervals.
  public var isVarying: Bool { longestIntervalNs > intervalNs }
  /// `100 ms`, or `100 ms–2.50 s` for different intervals.
  package var intervalText: String {
    if isRemainder { return "–" }
    let shortest = Units.duration(intervalNs)
    return isVarying ? "\(shortest)–\(Units.duration(longestIntervalNs))" : shortest
  }
  public var modes: [String] = []
  /// Whether the timers were added to the common modes rather than to each of `modes`.
  public var isCommon: Bool = false
  /// The common modes of its loop; nil if none is known.
  package var commonModesOfLoop: [String]?
  package var modeNames: String { isCommon ? "common modes" : modes.joined(separator: ", ") }
  /// The thread of its loop; nil if the loop never ran.
  public var thread: UInt32?
  public var fired: UInt64 = 0
  /// Callouts outside the loop (`-fire`), which are neither due nor fired.
  public var manual: UInt64 = 0
  public var toleranceNs: UInt64 = 0
  /// Whether the user declared that the timer may wait while tracking.
  public var isDeferrable: Bool = false
  /// The time of its callouts, without the runs that they started, by the mode in which they ran.
  public var calloutNsByMode: [(mode: String, ns: UInt64)] = []
  public var longestCalloutNs: UInt64 = 0
  /// How many of its timers are live over time.
  public var life = ItemLives()
  /// Nil when the recording holds no due points for the class.
  public var ledger: TimerLedgerResult?
  package init() {}
}

/// The number of live timers of a class, or of live sources of a place.
public struct ItemLives: Sendable {
  /// The number of objects that are in a mode of their loop at the end of the span.
  public var live: UInt64 = 0
  /// The number of objects that left their last mode or were invalidated.
  public var ended: UInt64 = 0
  /// The number of live objects at the start of the span and after each tenth of it.
  public var atTenths: [UInt64] = []
  /// When the first and the last object appeared in the span; meaningless if none did.
  public var firstNs: UInt64 = 0
  public var lastNs: UInt64 = 0
  package init() {}
}

/// The outcome of a timer class's due points: due = fired + skipped + withdrawn + pending.
public struct TimerLedgerResult: Sendable {
  public var due: UInt64 = 0
  public var skipped: UInt64 = 0
  public var withdrawn: UInt64 = 0
  public var pending: UInt64 = 0
  public var early: UInt64 = 0
  public var latenessNs = Distribution()
  /// Lateness by the mode that ran meanwhile; sums to `latenessNs.sum`.
  public var overdueByModeNs: [(mode: String, ns: UInt64)] = []
  /// Skipped points by the cause at their due times; sums to `skipped`.
  public var skippedBy: [Cause: UInt64] = [:]
  /// The longest time in which a timer missed each due point: their number × its interval. Only causes in
  /// `Cause.ofProgram` count.
  public var longestMissedNs: UInt64 = 0
  /// The same for the points of one cause.
  public var longestMissedByNs: [Cause: UInt64] = [:]
  /// The points skipped for `wrongMode`, by the mode that ran.
  public var wrongModeBy: [(mode: String, count: UInt64)] = []
  /// How long the pending point was overdue at the end. If several timers were overdue, the longest time, not the sum.
  public var pendingOverdueNs: UInt64 = 0
  /// Lateness of fires by cause; sums to `latenessNs.sum`.
  public var ledgerNs: [Cause: UInt64] = [:]
  /// The outcome of the points, by the mode in which they came due.
  public var byMode: [PointsInMode] = []
  /// The callouts that ran while points were overdue, most time first.
  public var blockers: [BlockerResult] = []
  package init() {}

  /// The blockers to show to people: those with skipped points or a hundredth of the lateness. The others delayed
  /// fires that were late anyway.
  package var notableBlockers: [BlockerResult] {
    blockers.filter { $0.points > 0 || isAtLeast($0.latenessNs, 0.01, of: latenessNs.sum) }
  }
}

/// The due points of a timer class that came due in one mode: due = fired + skipped + withdrawn + pending.
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

/// A callout, or the observers of an activity, that delayed a timer.
public struct BlockerResult: Sendable {
  public var kind: String = ""
  public var name: String = ""
  /// The part of the lateness of fires with the cause `busy`.
  public var latenessNs: UInt64 = 0
  /// Due points that were skipped while it ran.
  public var points: UInt64 = 0
  package init() {}
}
