import TraceFormat

/// A limit of what a recording shows, and the reason.
package enum Note: Sendable {
  case oneObserverPerMode
  case activitiesOnly
  /// The trace was imported from another tool's recording.
  case imported
  /// Only hangs were imported.
  case importedHangs
  /// The main queue was served without a run loop.
  case noRunLoop
  case unseenObjects
  /// The recorder saw jobs of Swift's executor, and no tasks.
  case jobsOnly
  /// A loop to which something was added, and that never ran.
  case loopNeverRan(name: String)
  /// A thread was busy when the span began, or where the recording breaks off; `ns` is its busy time in the span.
  case busyAtStart(thread: UInt32, ns: UInt64)
  case busyAtBreak(thread: UInt32, ns: UInt64)
  /// Timer classes without due points.
  case blindTimers(Int)
  /// More rows than the limit share one row.
  case manyTimerClasses(limit: Int)
  case manyModes(limit: Int)
  case manyCallouts(limit: Int)
  case manySources(limit: Int)
  case manyQueues(limit: Int)
  case manyIntervalNames(limit: Int)
  case manyStates(limit: Int)
  /// Events of timers beyond those that the analysis follows.
  case untrackedTimers(UInt64, limit: Int)
  case deepRuns(UInt64, limit: Int)
  case deepCallouts(UInt64, limit: Int)
  case unjudgedThread(limit: Int)
  /// A monitor of frames per second was chosen, and `candidates` timers may be its frame source: none, or several.
  case noFrameSource(candidates: Int)
  case lifeCycleOmitted(UInt64, limit: Int)
  case marksOmitted(Int, limit: Int)
  case unfollowedIntervals(Int)
  case unmatchedIntervals(Int)
  case unusedSigns(UInt64)
  case lateBeats(UInt64)
  case sleptOffClock(ns: UInt64)
  case lostEvents(UInt64)
  /// Stacks of an operating-system thread that the recorder should have sampled but did not. The name is empty if it
  /// is not known.
  case unsampled(UInt64, name: String, osThread: UInt64, UnsampledReason)
  /// The rules for causes cannot be read, so no stall has a cause.
  case unreadableCauses(String)
  /// The recording kept its newest part; nil = the number of dropped events is not known.
  case newestPart(dropped: UInt64?, beginningNs: UInt64)
  /// Threads with fewer events than those that the analysis followed, and the number of their events.
  case threadsLeftOut(Int, events: UInt64, limit: Int)
  /// Threads whose loops ran for less time than those listed.
  case utilisationOmitted(Int, limit: Int)
  /// Samples, thread states and images beyond the limits.
  case stacksOmitted(UInt64)
  /// Inlined functions of sampled stacks that were left out.
  case inlinedOmitted(UInt64)
  /// The table of functions has more rows than the limit.
  case functionsOmitted(limit: Int)
  case runCallsOmitted(UInt64, limit: Int)
  /// Names that were cut to `limit` bytes.
  case longNames(Int, limit: Int)
  /// Rows for skipped due points that a table leaves out.
  case skippedRowsOmitted(UInt64, limit: UInt64)
  case incomplete(TraceFormatError)
  case lost(LostPart, TimeUnit)
  case furtherLost(Int)
  case unknown(events: UInt64, blocks: Int)
  /// The trace is of a later version. Notes of skipped content follow from that content.
  case newerFormat(NewerFormat)
}

extension Note {
  /// Whether events of the program were lost, not read, not followed or not recorded that a fault may hide in.
  package var reportsMissingEvents: Bool {
    switch self {
    case .untrackedTimers, .deepRuns, .deepCallouts, .lostEvents, .threadsLeftOut, .incomplete,
      .lost, .furtherLost, .unknown, .loopNeverRan:
      true
    case .unseenObjects, .jobsOnly, .oneObserverPerMode, .activitiesOnly, .imported, .importedHangs,
      .noRunLoop,
      .busyAtStart, .busyAtBreak,
      .blindTimers,
      .manyTimerClasses,
      .manyModes, .manyCallouts, .manySources, .manyQueues, .manyIntervalNames, .manyStates, .unjudgedThread,
      .noFrameSource,
      .lifeCycleOmitted,
      .marksOmitted, .unfollowedIntervals, .unmatchedIntervals, .unusedSigns, .lateBeats, .sleptOffClock,
      .unsampled, .unreadableCauses, .newestPart, .utilisationOmitted, .stacksOmitted, .inlinedOmitted,
      .functionsOmitted,
      .runCallsOmitted, .longNames, .skippedRowsOmitted, .newerFormat:
      false
    }
  }
}
