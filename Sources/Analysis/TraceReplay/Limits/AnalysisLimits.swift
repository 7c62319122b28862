/// Limits of what an analysis keeps, so that memory does not grow with the trace. Items beyond a limit are counted
/// and reported.
package enum AnalysisLimits {
  /// Nanoseconds of a trace: two years. Beyond: trace refused. Sums of a few such times fit in 64 bits.
  package static let timeNs: UInt64 = 1 << 56
  /// Steps besides the events: 16 for each passing due point, and for each timer or thread that a search visits.
  /// Beyond: trace refused. See `WorkBudget.Cost`.
  package static let stepsOfAnyTrace = 1 << 24
  /// Further steps for each byte of the file. Beyond: trace refused.
  package static let stepsPerByte = 16
  /// Further steps for each event. Beyond: trace refused.
  package static let stepsPerEvent = 4
  /// Decoded events in memory: overlapping full blocks of 48 threads. Beyond: blocks are decoded again, piece by
  /// piece. The events take 45 megabytes.
  package static let openEvents = 3 << 20
  /// Arguments of decoded events in memory. Beyond: trace refused.
  package static let openArguments = 1 << 22
  /// Threads with events: those with the most, the main thread and the recorder's. Beyond: not followed; a note gives
  /// their number and the number of their events.
  package static let threads = 1 << 12
  /// Threads in `utilisation`: those that ran loops longest. Beyond: not listed; a note gives their number.
  package static let utilisationRows = 256
  /// Threads that detectors judge besides the main one. Beyond: no reports.
  package static let detectedThreads = 16
  /// Nested runs. Beyond: counted in the run around them; a note.
  package static let nesting = 256
  /// Nested callouts. Beyond: counted in the callout around them; a note.
  package static let openCallouts = 256
  /// Open runs, callouts and calls, and modes, whose order is checked. Beyond: order of further events not checked.
  package static let openItems = 1 << 10
  /// Modes of loops on threads. Beyond: one row `(other modes)`; a note.
  package static let modeRows = 256
  /// Modes of a thread with their own time, including `(outside any run)` and `(other modes)`. Beyond: `(other
  /// modes)`; lateness there is `unknown`.
  package static let modeColumns = 16
  /// Rows of `runs`, and of `empty_runs`. Beyond: not listed; a note gives their number.
  package static let runRows = 1 << 10
  /// Run loops with timers or common modes. Beyond: trace refused.
  package static let loops = 1 << 16
  /// Timers at a time. Beyond: not followed; a note counts their events.
  package static let liveTimers = 1 << 14
  /// Changes to timers by other threads that wait for the loop's thread. Beyond: trace refused.
  package static let waitingChanges = 1 << 18
  /// Timer classes. Beyond: one row `other`; a note.
  package static let timerClasses = 256
  /// Names of one class's timers. Beyond: `and others`.
  package static let namesOfTimerClass = 5
  /// Blockers of a timer class. Beyond: only in the sum for `busy`.
  package static let blockers = 32
  /// Callouts by kind, name and thread. Beyond: one row `(other)`; a note.
  package static let calloutRows = 1024
  /// Names of sources. Beyond: one row `(other)`; a note.
  package static let sourceRows = 256
  /// Queues by name and kind. Beyond: one row `(other)`; a note.
  package static let queueRows = 256
  /// Slices of a queue that were running at the end. Beyond: only in `running`.
  package static let runningSlices = 16
  /// Names of the work that ran while other work waited in a queue. Beyond: only in its time.
  package static let namesOfBacklog = 16
  /// Tasks that had not ended. Beyond: counted in `tasks_omitted`.
  package static let taskRows = 1000
  /// Sources whose modes are followed. Beyond: `reason` of unserved work is `unknown`.
  package static let placedSources = 1 << 16
  /// Loops of one source. Beyond: `reason` of unserved work is `unknown`.
  package static let loopsOfSource = 16
  /// Rows of `unserved`. Beyond: counted in `unserved_omitted`.
  package static let unservedRows = 1000
  /// Callouts of a gap or busy interval. Beyond: only in `callout_count` and `callouts_ns`.
  package static let spanCallouts = 4
  /// Longest gaps, busy intervals, suspensions and program intervals; first reports of a detector. Beyond: counted in
  /// `gaps_omitted`, `busy_omitted`, `suspensions_omitted`, `intervals_omitted`, `count`.
  package static let listed = 1000
  /// First marks of the program. Beyond: counted in `marks_omitted`; a note.
  package static let markRows = 10_000
  /// Names of intervals. Beyond: one row `(other)`; a note.
  package static let intervalNames = 256
  /// Open intervals at a time. Beyond: not followed; a note.
  package static let openIntervals = 1 << 16
  /// Values of named states. Beyond: one row `(other)`; a note.
  package static let stateRows = 256
  /// Values of the state that splits the results. Beyond: one value `(other)`.
  package static let splitValues = 64
  /// Changes of that state. Beyond: the time after them has the value `(other)`.
  package static let splitChanges = 1 << 14
  /// Rows of each table that a state splits. Beyond: one row `(other)`.
  package static let splitRows = 1024
  /// Life-cycle marks, stays, tasks, services, unprotected spans, each. Beyond: not kept; a note.
  package static let lifeCycleRows = 1000
  /// Undecided pieces of evidence of suspension. Beyond: not used; a note.
  package static let suspensionEvidence = 100_000
  /// Overlapping pieces of evidence of suspension. Beyond: not used; a note. At most two late beats of one recorder
  /// overlap, because each span begins at the beat before.
  package static let watchedAtOnce = 64
  /// Pieces of evidence of suspension. Beyond: not used; a note.
  package static let suspensions = 1 << 20
  /// Sampled stacks. Beyond: not used; a note.
  package static let stackSamples = 1 << 16
  /// States and accounts of sampled threads. Beyond: not used; a note.
  package static let threadStates = 1 << 18
  /// Distinct sampled stacks. Beyond: not used; a note.
  package static let stacks = 1 << 14
  /// Frames of the distinct stacks. Beyond: not used; a note.
  package static let stackFrames = 1 << 16
  /// Frames of the distinct stacks, including inlined functions. Beyond: innermost inlined functions left out; a
  /// note.
  package static let namedFrames = 3 << 15
  /// Frames of all samples, including inlined functions. Beyond: innermost inlined functions left out; a note.
  package static let framesLookedAt = 1 << 24
  /// Rows of `functions`. Beyond: those of the shortest stacks left out; a note.
  package static let functionRows = 1 << 14
  /// Images with code of sampled stacks. Beyond: not used; a note.
  package static let stackImages = 4096
  /// First snapshots of loops. Beyond: counted in `snapshots_omitted`.
  package static let topologySnapshots = 1000
  /// Items of all snapshots. Beyond: left out; the snapshot is not `whole`.
  package static let topologyItems = 1 << 15
  /// UTF-8 bytes of a name in results. Beyond: cut, with length and checksum; a note. A trace stores a name once, but
  /// results repeat it.
  package static let nameBytes = 512
  /// First skipped due points in `timer_fires`. Beyond: not written; `README.txt` and standard error say so. Skipped
  /// points have no event, so the limit on events does not bound their rows.
  package static let skippedRowsOfAnyTrace = 1 << 14
  /// Further such rows for each event. Beyond: not written; `README.txt` and standard error say so.
  package static let skippedRowsPerEvent = 4
}
