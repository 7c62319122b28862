import TraceFormat
import TraceReplay

/// What a recording cannot tell, and why.
public enum Note: Sendable {
  case oneObserverPerMode
  case activitiesOnly
  case unseenObjects
  /// A thread was busy when the span began, or where the recording breaks off, for so long in it.
  case busyAtStart(thread: UInt32, ns: UInt64)
  case busyAtBreak(thread: UInt32, ns: UInt64)
  /// Timer classes without due points.
  case blindTimers(Int)
  /// Rows beyond the limit share one.
  case manyTimerClasses, manyModes, manyCallouts, manySources, manyIntervalNames
  /// Timer events beyond the timers that are followed.
  case untrackedTimers(UInt64)
  case deepRuns(UInt64)
  case deepCallouts(UInt64)
  case unjudgedThread
  case lifeCycleOmitted(UInt64)
  case marksOmitted(Int)
  case unfollowedIntervals(Int)
  case unmatchedIntervals(Int)
  case unusedSigns(UInt64)
  case lateBeats(UInt64)
  case sleptBesides(ns: UInt64)
  case lostEvents(UInt64)
  /// The recording kept its newest part; nil = how many events it dropped is not known.
  case newestPart(dropped: UInt64?, beginningNs: UInt64)
  case notWhole(TraceFormatError)
  case unknown(events: UInt64, blocks: Int)

  /// A sentence without a full stop.
  public var text: String {
    switch self {
    case .oneObserverPerMode:
      "one observer per mode: the time of other observers is part of waiting or of the next phase, and not listed separately"
    case .activitiesOnly:
      "capture level activities: timers, sources and blocks were not recorded, so lateness is unknown"
    case .unseenObjects:
      "the program has more distinct timer or source callouts than the recorder can follow: the timers and sources with the later ones are not in the recording"
    case .busyAtStart(let thread, let ns):
      "thread \(thread) was busy when the span began, for \(Units.duration(ns)) of it: a busy interval counts where it begins"
    case .busyAtBreak(let thread, let ns):
      "the recording breaks off while thread \(thread) was busy, for \(Units.duration(ns)) by then: how long that went on is not known"
    case .blindTimers(let count):
      "\(count) timer classes have fires whose due points are not in the recording: their lateness is unknown"
    case .manyTimerClasses:
      "more than \(AnalysisLimits.timerClasses) timer classes: the rest share the row '\(Remainder.timers)'"
    case .manyModes:
      "more than \(AnalysisLimits.modeRows) modes of loops: the rest share the row '\(ModeName.others)'"
    case .manyCallouts:
      "more than \(AnalysisLimits.calloutRows) kinds of callouts: the rest share the row '\(Remainder.rows)'"
    case .manySources:
      "more than \(AnalysisLimits.sourceRows) names of sources: the rest share the row '\(Remainder.rows)'"
    case .manyIntervalNames:
      "more than \(AnalysisLimits.intervalNames) names of intervals: the rest share the row '\(Remainder.rows)'"
    case .untrackedTimers(let count):
      "\(count) timer events beyond \(AnalysisLimits.liveTimers) live timers were not followed"
    case .deepRuns(let count):
      "\(count) runs nested deeper than \(AnalysisLimits.nesting) are counted in the time of the runs around them"
    case .deepCallouts(let count):
      "\(count) callouts nested deeper than \(AnalysisLimits.openCallouts) are not counted apart"
    case .unjudgedThread:
      "more than \(AnalysisLimits.detectedThreads) threads have long gaps: the stall monitors' thread was not judged"
    case .lifeCycleOmitted(let count):
      "\(count) marks of the app's life beyond \(AnalysisLimits.lifeCycleRows) were not kept"
    case .marksOmitted(let count):
      "\(count) marks after the first \(AnalysisLimits.markRows) are not listed"
    case .unfollowedIntervals(let count):
      "\(count) intervals beyond those followed at once were left out"
    case .unmatchedIntervals(let count):
      "\(count) begins or ends of intervals have no counterpart in the recording"
    case .unusedSigns(let count):
      "\(count) signs of suspension beyond the limit were not used"
    case .lateBeats(let count):
      "\(count) beats of the recorder came late while the program ran: the machine was busy"
    case .sleptBesides(let ns):
      "the system slept for \(ns) ns that the trace's clock did not count"
    case .lostEvents(let count):
      "\(count) events were lost while recording: numbers around them are lower bounds"
    case .newestPart(let dropped, let ns):
      "the recording kept its newest part: \(dropped.map { "\($0) events" } ?? "what came") before \(Units.milliseconds(ns)) were dropped"
    case .notWhole(let damage):
      "the trace is not whole: \(damage)"
    case .unknown(let events, let blocks):
      "\(events) events and \(blocks) blocks of kinds that this version does not know were skipped"
    }
  }
}
