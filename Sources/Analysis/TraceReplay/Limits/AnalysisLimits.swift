import RunLoopVocabulary
import TraceFormat

/// Limits of what an analysis keeps, so that memory does not grow with the trace. Items beyond a limit are counted
/// and reported.
package enum AnalysisLimits {
  /// Timer classes with their own row. The rest share one.
  package static let timerClasses = 256
  /// The listed names of one class's timers.
  package static let namesOfTimerClass = 5
  /// (thread, loop, mode) triples with their own row.
  package static let modeRows = 256
  /// Timers that are followed at the same time.
  package static let liveTimers = 1 << 14
  /// Steps of work besides the events themselves; see `WorkBudget.Cost`.
  package static let stepsOfAnyTrace = 1 << 24
  package static let stepsPerByte = 16
  package static let stepsPerEvent = 4
  /// Changes to timers of another thread's loop that wait until that thread's next event.
  package static let waitingChanges = 1 << 18
  /// Run loops with timers or common modes.
  package static let loops = 1 << 16
  /// Listed gaps and busy intervals: the longest.
  package static let listed = 1000
  /// (name, kind, thread) triples of callouts with their own row.
  package static let calloutRows = 1024
  package static let sourceRows = 256
  /// Sources whose modes are tracked, and the number of loops tracked per source.
  package static let placedSources = 1 << 16
  package static let loopsOfSource = 16
  /// Rows of work that was queued and never ran.
  package static let unservedRows = 1000
  /// Callouts listed for a gap or busy interval: those with the most self time.
  package static let spanCallouts = 4
  /// Callouts named as blockers of one timer class.
  package static let blockers = 32
  /// The shortest callout that is named where it delayed a timer.
  package static let namedStretchNs: UInt64 = 2_000
  /// The assumed maximum time between two beats of a recorder that does not state it.
  package static let assumedHeartbeatNs: UInt64 = 100_000_000
  package static let suspensionEvidence = 100_000
  /// Pieces of evidence in a whole trace.
  package static let suspensions = 1 << 20
  /// Pieces of evidence whose spans overlap. At most two late beats of one recorder overlap, because each span begins
  /// at the beat before.
  package static let watchedAtOnce = 64
  /// Threads whose stalls the detectors judge.
  package static let detectedThreads = 16
  /// Marks of life-cycle phases, tasks and services that are kept, for each kind.
  package static let lifeCycleRows = 1000
  /// Listed marks of the program. The first ones are listed.
  package static let markRows = 10_000
  /// Names of intervals with their own row. The rest share one.
  package static let intervalNames = 256
  /// Open intervals that are followed at the same time.
  package static let openIntervals = 1 << 16
  /// Columns of a thread's clock: outside any run, modes, and the rest.
  package static let modeColumns = 16
  /// Nested runs that are followed. Deeper runs count as part of their parents.
  package static let nesting = 256
  package static let openCallouts = 256
  /// Open runs, callouts and calls of a thread whose order of events is followed, and known modes of loops.
  package static let openItems = 1 << 10
  /// Kept samples of stacks, and different stacks among them.
  package static let stackSamples = 1 << 16
  package static let stacks = 1 << 14
  /// Frames in all different stacks.
  package static let stackFrames = 1 << 16
  /// The same with inlined functions, and the frames in all samples.
  package static let namedFrames = 3 << 15
  package static let framesLookedAt = 1 << 24
  package static let stackImages = 4096
  /// The length of a name in UTF-8. A trace stores a name once, but results repeat it.
  package static let nameBytes = 512
  /// Rows in `timer_fires` for skipped points, which have no event. The first ones are written.
  package static let skippedRowsOfAnyTrace = 1 << 14
  package static let skippedRowsPerEvent = 4
  /// Kept snapshots of what run loops hold: the first ones. Then, the items in all kept snapshots.
  package static let topologySnapshots = 1000
  package static let topologyItems = 1 << 15
  /// Threads with events that are replayed: those with the most.
  package static let threads = 1 << 12
  /// Threads whose time over the trace is listed: those that ran loops longest.
  package static let utilisationRows = 256
  /// (thread, loop, mode) triples whose calls for runs are listed, and as many whose calls returned without a run.
  package static let runRows = 1 << 10
  /// Decoded events in memory, 45 megabytes: full blocks of 48 threads.
  package static let openEvents = 3 << 20
  /// Arguments of these events.
  package static let openArguments = 1 << 22

  /// Two years. Sums of a few such times fit in 64 bits.
  package static let timeNs: UInt64 = 1 << 56

  /// All limits on what a trace may contain.
  package static let all: [Limit] = [
    Limit("timeNs", timeNs, of: "nanoseconds of a trace: two years", refusing: "trace"),
    Limit("stepsOfAnyTrace", stepsOfAnyTrace, of: steps, refusing: "trace"),
    Limit("stepsPerByte", stepsPerByte, of: "further steps for each byte of the file", refusing: "trace"),
    Limit("stepsPerEvent", stepsPerEvent, of: "further steps for each event", refusing: "trace"),
    Limit(
      "openEvents", openEvents, of: "decoded events in memory: overlapping full blocks of 48 threads",
      beyond: "blocks are decoded again, piece by piece"),
    Limit("openArguments", openArguments, of: "arguments of decoded events in memory", refusing: "trace"),
    Limit(
      "threads", threads,
      of: "threads with events: those with the most, the main thread and the recorder's",
      beyond: "not followed; a note gives their number and the number of their events"),
    Limit(
      "utilisationRows", utilisationRows, of: "threads in `utilisation`: those that ran loops longest",
      beyond: "not listed; a note gives their number"),
    Limit(
      "detectedThreads", detectedThreads, of: "threads that detectors judge besides the main one",
      beyond: "no reports"),
    Limit(
      "nesting", nesting, of: "nested runs",
      beyond: "counted in the run around them; a note"),
    Limit(
      "openCallouts", openCallouts, of: "nested callouts",
      beyond: "counted in the callout around them; a note"),
    Limit(
      "openItems", openItems,
      of: "open runs, callouts and calls, and modes, whose order is checked",
      beyond: "order of further events not checked"),
    Limit(
      "modeRows", modeRows, of: "modes of loops on threads",
      beyond: "one row `(other modes)`; a note"),
    Limit(
      "modeColumns", modeColumns,
      of: "modes of a thread with their own time, including `(outside any run)` and `(other modes)`",
      beyond: "`(other modes)`; lateness there is `unknown`"),
    Limit(
      "runRows", runRows, of: "rows of `runs`, and of `empty_runs`",
      beyond: "not listed; a note gives their number"),
    Limit("loops", loops, of: "run loops with timers or common modes", refusing: "trace"),
    Limit(
      "liveTimers", liveTimers, of: "timers at a time",
      beyond: "not followed; a note counts their events"),
    Limit(
      "waitingChanges", waitingChanges,
      of: "changes to timers by other threads that wait for the loop's thread",
      refusing: "trace"),
    Limit("timerClasses", timerClasses, of: "timer classes", beyond: "one row `other`; a note"),
    Limit(
      "namesOfTimerClass", namesOfTimerClass, of: "names of one class's timers", beyond: "`and others`"),
    Limit("blockers", blockers, of: "blockers of a timer class", beyond: "only in the sum for `busy`"),
    Limit(
      "calloutRows", calloutRows, of: "callouts by kind, name and thread", beyond: "one row `(other)`; a note"
    ),
    Limit("sourceRows", sourceRows, of: "names of sources", beyond: "one row `(other)`; a note"),
    Limit(
      "placedSources", placedSources, of: "sources whose modes are followed",
      beyond: "`reason` of unserved work is `unknown`"),
    Limit(
      "loopsOfSource", loopsOfSource, of: "loops of one source",
      beyond: "`reason` of unserved work is `unknown`"),
    Limit("unservedRows", unservedRows, of: "rows of `unserved`", beyond: "counted in `unserved_omitted`"),
    Limit(
      "spanCallouts", spanCallouts, of: "callouts of a gap or busy interval",
      beyond: "only in `callout_count` and `callouts_ns`"),
    Limit(
      "listed", listed,
      of:
        "longest gaps, busy intervals, suspensions and program intervals; first reports of a detector",
      beyond: "counted in `gaps_omitted`, `busy_omitted`, `suspensions_omitted`, `intervals_omitted`, `count`"
    ),
    Limit(
      "markRows", markRows, of: "first marks of the program", beyond: "counted in `marks_omitted`; a note"),
    Limit("intervalNames", intervalNames, of: "names of intervals", beyond: "one row `(other)`; a note"),
    Limit(
      "openIntervals", openIntervals, of: "open intervals at a time",
      beyond: "not followed; a note"),
    Limit(
      "lifeCycleRows", lifeCycleRows,
      of: "life-cycle marks, stays, tasks, services, unprotected spans, each",
      beyond: "not kept; a note"),
    Limit(
      "suspensionEvidence", suspensionEvidence,
      of: "undecided pieces of evidence of suspension",
      beyond: unused),
    Limit(
      "watchedAtOnce", watchedAtOnce, of: "overlapping pieces of evidence of suspension",
      beyond: unused),
    Limit("suspensions", suspensions, of: "pieces of evidence of suspension", beyond: unused),
    Limit(
      "stackSamples", stackSamples, of: "sampled stacks and states of threads", beyond: unused),
    Limit("stacks", stacks, of: "distinct sampled stacks", beyond: unused),
    Limit("stackFrames", stackFrames, of: "frames of the distinct stacks", beyond: unused),
    Limit(
      "namedFrames", namedFrames, of: "frames of the distinct stacks, including inlined functions",
      beyond: inlined),
    Limit(
      "framesLookedAt", framesLookedAt, of: "frames of all samples, including inlined functions",
      beyond: inlined),
    Limit("stackImages", stackImages, of: "images with code of sampled stacks", beyond: unused),
    Limit(
      "topologySnapshots", topologySnapshots, of: "first snapshots of loops",
      beyond: "counted in `snapshots_omitted`"),
    Limit(
      "topologyItems", topologyItems, of: "items of all snapshots",
      beyond: "left out; the snapshot is not `whole`"),
    Limit(
      "nameBytes", nameBytes, of: "UTF-8 bytes of a name in results",
      beyond: "cut, with length and checksum; a note"),
    Limit(
      "skippedRowsOfAnyTrace", skippedRowsOfAnyTrace,
      of: "first skipped due points in `timer_fires`",
      beyond: skippedRows),
    Limit(
      "skippedRowsPerEvent", skippedRowsPerEvent, of: "further such rows for each event", beyond: skippedRows),
  ]

  private static let unused = "not used; a note"
  private static let inlined = "innermost inlined functions left out; a note"
  private static let skippedRows = "not written; `README.txt` and standard error say so"
  private static let steps =
    "steps besides the events: 16 for each passing due point, and for each timer or thread that a search visits"
}
