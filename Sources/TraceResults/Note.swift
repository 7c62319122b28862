import TraceFormat

/// What a recording cannot tell, and why.
public enum Note: Sendable {
  case oneObserverPerMode
  case activitiesOnly
  /// The main queue was served without a run loop.
  case noRunLoop
  case unseenObjects
  /// A thread was busy when the span began, or where the recording breaks off, for so long in it.
  case busyAtStart(thread: UInt32, ns: UInt64)
  case busyAtBreak(thread: UInt32, ns: UInt64)
  /// Timer classes without due points.
  case blindTimers(Int)
  /// Rows beyond the limit share one.
  case manyTimerClasses(limit: Int)
  case manyModes(limit: Int)
  case manyCallouts(limit: Int)
  case manySources(limit: Int)
  case manyIntervalNames(limit: Int)
  /// Timer events beyond the timers that are followed.
  case untrackedTimers(UInt64, limit: Int)
  case deepRuns(UInt64, limit: Int)
  case deepCallouts(UInt64, limit: Int)
  case unjudgedThread(limit: Int)
  case lifeCycleOmitted(UInt64, limit: Int)
  case marksOmitted(Int, limit: Int)
  case unfollowedIntervals(Int)
  case unmatchedIntervals(Int)
  case unusedSigns(UInt64)
  case lateBeats(UInt64)
  case sleptBesides(ns: UInt64)
  case lostEvents(UInt64)
  /// Stacks that were to be sampled, of a thread of the operating system; its name is empty where it is not known.
  case unsampled(UInt64, name: String, osThread: UInt64, UnsampledReason)
  /// Then no stall has a cause.
  case unreadableCauses(String)
  /// The recording kept its newest part; nil = how many events it dropped is not known.
  case newestPart(dropped: UInt64?, beginningNs: UInt64)
  /// Threads with fewer events than those that were followed, and their events.
  case threadsLeftOut(Int, events: UInt64, limit: Int)
  /// Threads that ran loops shorter than those listed.
  case utilisationOmitted(Int, limit: Int)
  /// Samples, states of threads and images beyond the limits.
  case stacksOmitted(UInt64)
  /// Inlined functions of sampled stacks.
  case inlinedOmitted(UInt64)
  case runCallsOmitted(UInt64, limit: Int)
  /// Names that are cut to so many bytes.
  case longNames(Int, limit: Int)
  /// Rows of a table for skipped due points.
  case skippedRowsOmitted(UInt64, limit: UInt64)
  case notWhole(TraceFormatError)
  case lost(LostPart, TimeUnit)
  case furtherLost(Int)
  case unknown(events: UInt64, blocks: Int)
}

extension Note {
  /// Events of the program were lost, or were not read or followed. A fault may be among them.
  package var saysThatSomethingIsMissing: Bool {
    switch self {
    case .untrackedTimers, .deepRuns, .deepCallouts, .lostEvents, .threadsLeftOut, .notWhole,
      .lost, .furtherLost, .unknown:
      true
    case .unseenObjects, .oneObserverPerMode, .activitiesOnly, .noRunLoop, .busyAtStart, .busyAtBreak,
      .blindTimers,
      .manyTimerClasses,
      .manyModes, .manyCallouts, .manySources, .manyIntervalNames, .unjudgedThread, .lifeCycleOmitted,
      .marksOmitted, .unfollowedIntervals, .unmatchedIntervals, .unusedSigns, .lateBeats, .sleptBesides,
      .unsampled, .unreadableCauses, .newestPart, .utilisationOmitted, .stacksOmitted, .inlinedOmitted,
      .runCallsOmitted, .longNames, .skippedRowsOmitted:
      false
    }
  }
}
