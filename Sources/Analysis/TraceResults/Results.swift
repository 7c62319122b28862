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
