import CallStacks
import TraceFormat

/// All results of an analysis. All times and lengths are nanoseconds; moments are relative to the trace's origin.
///
/// docs/reference/numbers.md defines each number.
public struct Analysis: Sendable {
  /// The recording itself.
  public var trace: TraceResult
  /// One row for each run loop.
  public var loops: [LoopResult] = []
  /// One row for each mode of each loop.
  public var modes: [ModeResult] = []
  /// The contents of the loops, in time order.
  package var snapshots: [TopologySnapshot] = []
  package var snapshotsOmitted: UInt64 = 0
  /// The contents of the snapshots by item and mode.
  package var inventory: [InventoryItem] = []
  /// The runs of each mode.
  package var runs: [RunsResult] = []
  /// Modes that were run while they had no items.
  package var emptyRuns: [EmptyRunsResult] = []
  /// The listed gaps, in time order.
  package var gaps: [Gap] = []
  /// The gaps in which stacks were sampled, in time order.
  public var stalls: [StallResult] = []
  /// Nil if no thread's state was sampled.
  package var processor: ProcessorUse?
  /// All sampled stacks, most time first.
  package var sampledStacks: [SampledStack] = []
  /// The functions of the listed gaps' stacks, most time first.
  package var functions: [FunctionResult] = []
  /// The listed busy intervals, in time order. Those with `isHang` are hangs.
  public var busy: [BusyInterval] = []
  /// The code behind the names of callouts and creation sites.
  package var code: [CodeResult] = []
  /// One row for each timer class.
  public var timers: [TimerResult] = []
  /// The timers whose due points are the beginnings of frames.
  package var frames = FrameResults()
  /// One row for each kind and name of callouts on a thread.
  public var callouts: [CalloutResult] = []
  package var sources: [SourceResult] = []
  package var sourceLives: [SourceLifeResult] = []
  package var queues = QueueResults()
  /// The other queues, and their work.
  package var work = WorkResults()
  /// Work that was queued and had not run at the end of the span, the longest wait first.
  package var unserved: [UnservedResult] = []
  /// The number of pieces of unserved work beyond the limit of rows.
  package var unservedOmitted: UInt64 = 0
  /// Run loops that have items and never ran.
  package var unrunLoops: [UnrunLoopResult] = []
  /// One row for each thread that ran a loop.
  package var utilisation: [UtilisationResult] = []
  /// Nil when no loop ran.
  package var inputDelay: InputDelayResult?
  package var lifeCycle = LifeCycleResult()
  /// How the recorded process ended.
  package var end = EndResult()
  /// The callouts that were running at the end of the span, by thread, the innermost first on each thread.
  package var openCallouts: [RunningCallout] = []
  /// The program's marks.
  package var marks = MarkResults()
  /// The values of the program's named states, by state, most time first.
  package var states: [StateResult] = []
  /// The results by the values of one state; nil unless the options ask for it.
  package var split: SplitResults?
  package var detectors: [DetectorResult] = []
  package var incidents: [IncidentResult] = []
  /// The findings by rank, the worst first.
  public var findings: [Finding] = []
  /// The verdict on all rows, before a filter removes any.
  public package(set) var verdict = Verdict()
  /// The limits for gaps; nil = none.
  package var profile: Profile?
  /// The number of gaps and busy intervals above their thresholds that are shorter than the listed ones.
  package var gapsOmitted = 0
  package var busyOmitted = 0
  /// By thread, the certain busy intervals of 100 ms and more that are not listed.
  package var unlistedBusy: [UInt32: UnlistedBusy] = [:]
  /// Busy intervals that were under way when the span began. They do not count among those that begin in it.
  package var busyAtStart: [BusyAtEdge] = []
  /// Busy intervals that were under way where the recording breaks off.
  package var busyAtBreak: [BusyAtEdge] = []
  /// The limits of what this recording shows, with reasons.
  package var notes: [Note] = []
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
  /// The program or library that wrote the recording, with its version; nil when the trace does not state it.
  package var writer: String?
  /// The number of analyzed events.
  public var events: UInt64 = 0
  /// The number of events that the recorder lost.
  public var lostEvents: UInt64 = 0
  /// The part of `lostEvents` that the recorder knows was lost because a disk was full.
  package var lostToFullDisk: UInt64 = 0
  /// The length of the recording.
  public var durationNs: UInt64 = 0
  /// The analyzed span: the whole recording unless the user chose a window.
  package var fromNs: UInt64 = 0
  package var toNs: UInt64 = 0
  /// The wall-clock time of the origin, since 1970; nil when the trace has no sync point.
  package var startRealtimeNs: UInt64?
  package var clean = true
  package var captureLevel = CaptureLevel.activities
  package var timeUnitNs: UInt64 = 1
  package var hasHighStamps = false
  /// The recorded threads.
  public var threads: [ThreadDefinition] = []
  /// The number of threads beyond the limit, which were not analyzed.
  package var threadsLeftOut = 0
  package var unknownEvents: UInt64 = 0
  package var unknownBlocks = 0
  package var damagedBlocks = 0
  /// Whether any event may be missing: some were lost, or a block is damaged.
  package var mayMissEvents: Bool { lostEvents > 0 || damagedBlocks > 0 }
  /// The number of events of timers, runs and callouts beyond the limits, which were not analyzed.
  package var unfollowed: UInt64 = 0
  /// The number of contradictions: events that no run loop produces, names that are not defined, and index entries
  /// that the blocks contradict.
  package var contradictions: UInt64 = 0
  /// The first contradicting event; nil = there is none, or only the index is wrong.
  package var firstContradiction: Contradicting?
  /// Whether there were timers or sources whose callouts could not be recorded.
  package var hasUnseenObjects = false
  /// Whether the recording breaks off, so that it is not known what the program did afterwards.
  package var hasUnknownEnd = false
  /// The time in the span during which the process did not run.
  public var suspendedNs: UInt64 = 0
  package var suspensions: [Suspension] = []
  package var suspensionsOmitted = 0
  /// Late beats of the recorder while the program ran. They show a busy machine, not a suspension.
  package var lateBeats: UInt64 = 0
  /// How long the system slept while the trace's clock did not advance. This time is not part of the trace.
  package var sleptOffClockNs: UInt64 = 0
  package init() {}
}

/// An event that no run loop produces at its place in the order.
package typealias Contradicting = (timeNs: UInt64, thread: UInt32)

/// A span in which the process did not run.
package typealias Suspension = (startNs: UInt64, durationNs: UInt64, evidence: SuspensionSign)

/// A distribution: exact count, sum and extremes; percentiles within 0.5 %.
public struct Distribution: Sendable, Equatable {
  /// The number of values.
  public var count: UInt64 = 0
  /// The sum of the values.
  public var sum: UInt64 = 0
  package var min: UInt64 = 0
  /// The median.
  public var p50: UInt64 = 0
  /// The value that 90 % of the values do not exceed.
  public var p90: UInt64 = 0
  /// The value that 99 % of the values do not exceed.
  public var p99: UInt64 = 0
  package var p999: UInt64 = 0
  /// The greatest value.
  public var max: UInt64 = 0
  /// The buckets with values, shortest first; their counts add up to `count`. At most a few thousand.
  package var buckets: [Bucket] = []
  package init() {}

  /// Values from `lowNs` to `highNs`, both inclusive: at most 0.8 % apart.
  package struct Bucket: Sendable, Equatable {
    package var lowNs: UInt64
    package var highNs: UInt64
    package var count: UInt64

    package init(lowNs: UInt64, highNs: UInt64, count: UInt64) {
      self.lowNs = lowNs
      self.highNs = highNs
      self.count = count
    }

    /// The value that represents all values of the bucket.
    package var middleNs: UInt64 { lowNs &+ (highNs &- lowNs) / 2 }
  }
}

/// One run loop.
public struct LoopResult: Sendable {
  /// The name of the loop.
  public var loop: String = ""
  package var kind = LoopKind.runLoop
  /// The thread of the loop.
  public var thread = ThreadDefinition(index: 0, osThread: 0, isMain: false, name: "")
  /// The time inside runs of the loop.
  public var timeNs: UInt64 = 0
  /// The part of `timeNs` in which the loop did not wait.
  public var busyNs: UInt64 { timeNs &- waitingNs }
  /// The part of `timeNs` in which the loop waited.
  public var waitingNs: UInt64 = 0
  /// The runs that began in the span, nested ones included.
  package var runs: UInt64 = 0
  package var nestedRuns: UInt64 = 0
  /// The number of passes of all runs.
  public var passes: UInt64 = 0
  /// Suspended time, in addition to `timeNs`.
  package var suspendedNs: UInt64 = 0
  /// When the first run of its thread in the span began.
  package var firstRunNs: UInt64?
  /// How long the program is known to have continued after the last run of its thread, without suspension. Nil when a
  /// run was under way at the end.
  package var continuedNs: UInt64?
  /// The innermost run that was open at the end of the span: its mode, whether the thread waited in it, and whether
  /// a callout of this run was open. Nil = none was open.
  package var openRun: (mode: String, isWaiting: Bool, isInCallout: Bool)?
  package init() {}
}

extension ModeResult {
  package var isOfEventLoop: Bool { mode == ModeName.eventLoop }
}

/// The calls to run one mode that returned without a run because the mode had no items.
package struct EmptyRunsResult: Sendable {
  package var loop: String = ""
  package var mode: String = ""
  package var thread: UInt32 = 0
  package var count: UInt64 = 0
  /// When the first call was made, and the time from there to the end of the last call.
  package var startNs: UInt64 = 0
  package var durationNs: UInt64 = 0
  /// The longest timeout of these calls; all ones = no limit.
  package var longestTimeoutNs: UInt64 = 0
  package init() {}
}

/// One mode of one loop.
public struct ModeResult: Sendable {
  /// The name of the loop.
  public var loop: String = ""
  /// The name of the mode.
  public var mode: String = ""
  /// The index in `TraceResult.threads`.
  public var thread: UInt32 = 0
  /// The time inside runs of the mode.
  public var timeNs: UInt64 = 0
  /// The part of `timeNs` in which the loop did not wait.
  public var busyNs: UInt64 { timeNs &- waitingNs }
  /// The part of `timeNs` in which the loop waited.
  public var waitingNs: UInt64 = 0
  /// The number of passes.
  public var passes: UInt64 = 0
  /// Time in each phase, by activity.
  package var phasesNs: [Phase: UInt64] = [:]
  /// The lengths of the passes, without waiting.
  public var passNs = Distribution()
  package var wakeToCalloutNs = Distribution()
  /// Suspended time, in addition to `timeNs`.
  package var suspendedNs: UInt64 = 0
  /// The passes that did not wait, and those among them that were the only pass of a poll run.
  package var polls: UInt64 = 0
  package var pollRuns: UInt64 = 0
  /// The calls of an event loop with the time limit 0 that made no pass; nil for other loops.
  package var pollsWithoutPass: UInt64?
  /// The number of runs that returned within 2 ms without serving anything; nil if callouts were not recorded.
  package var emptyPolls: UInt64?
  /// The periods with many such runs; nil if there were none.
  package var polling: PollingResult?
  /// The number of waits that ended.
  package var wakes: UInt64 = 0
  /// The number of wakes after which only observers ran; nil if callouts were not recorded.
  package var emptyWakes: UInt64?
  /// The time of the program's own observers, by activity; nil without high stamps.
  package var observersNs: [Phase: UInt64]?
  /// Whether the row combines all modes beyond those with a row of their own.
  package var isRemainder = false
  /// How long an event would have waited if it had arrived at a random moment of this mode.
  package var inputDelay: DelayDistribution?
  package init() {}
}

/// Runs of a mode that returned at once without serving anything, 10 or more in a tenth of a second.
package struct PollingResult: Sendable {
  package var runs: UInt64 = 0
  /// The total length of the tenths of a second with 10 or more such runs, and of those with 100 or more.
  package var timeNs: UInt64 = 0
  package var fastTimeNs: UInt64 = 0
  /// The start of the first run and the end of the last.
  package var startNs: UInt64 = 0
  package var endNs: UInt64 = 0
  /// The kind and name of the callout that started the runs; nil = no callout did.
  package var caller: (kind: String, name: String)?
  /// Whether several callouts started the runs, or one callout and code outside callouts.
  package var hasSeveralCallers = false
  package init() {}
}
