import RunLoopVocabulary
import TraceFormat

extension Note {
  /// The note as a sentence without a full stop.
  public var text: String {
    switch self {
    case .oneObserverPerMode:
      "one observer per mode: the time of other observers is part of waiting or of the next phase, and not listed separately"
    case .activitiesOnly:
      "capture level activities: timers, sources and blocks were not recorded, so lateness is unknown"
    case .noRunLoop:
      "threads of the system served the main queue without a run loop (dispatchMain() or an async main): it has no modes and passes, and findings and monitors that need those do not apply to it"
    case .unseenObjects:
      "the program has more distinct timer or source callouts than the recorder can follow: the timers and sources with the later ones are not in the recording"
    case .busyAtStart(let thread, let ns):
      "thread \(thread) was busy when the span began, for \(Units.duration(ns)) of it: a busy interval counts where it begins"
    case .busyAtBreak(let thread, let ns):
      "the recording breaks off while thread \(thread) was busy, for \(Units.duration(ns)) by then: how long that went on is not known"
    case .blindTimers(let count):
      "\(Say.count(count, "timer class has", "timer classes have")) fires whose due points are not in the recording: how late they were is unknown"
    case .manyTimerClasses(let limit):
      "more than \(limit) timer classes: the rest share the row '\(Remainder.timers)'"
    case .manyModes(let limit):
      "more than \(limit) modes of loops: the rest share the row '\(ModeName.others)'"
    case .manyCallouts(let limit):
      "more than \(limit) kinds of callouts: the rest share the row '\(Remainder.rows)'"
    case .manySources(let limit):
      "more than \(limit) names of sources: the rest share the row '\(Remainder.rows)'"
    case .manyIntervalNames(let limit):
      "more than \(limit) names of intervals: the rest share the row '\(Remainder.rows)'"
    case .untrackedTimers(let count, let limit):
      "\(Say.count(count, "timer event", "timer events")) beyond \(limit) live timers \(count == 1 ? "was" : "were") not followed"
    case .deepRuns(let count, let limit):
      "\(Say.count(count, "run", "runs")) nested deeper than \(limit) \(count == 1 ? "is" : "are") counted in the time of the runs around"
    case .deepCallouts(let count, let limit):
      "\(Say.count(count, "callout", "callouts")) nested deeper than \(limit) \(count == 1 ? "is" : "are") not counted apart"
    case .unjudgedThread(let limit):
      "more than \(limit) threads have long gaps: the stall monitors' thread was not judged"
    case .lifeCycleOmitted(let count, let limit):
      "\(Say.count(count, "mark", "marks")) of the app's life beyond \(limit) \(count == 1 ? "was" : "were") not kept"
    case .marksOmitted(let count, let limit):
      "\(Say.count(count, "mark", "marks")) after the first \(limit) \(count == 1 ? "is" : "are") not listed"
    case .unfollowedIntervals(let count):
      "\(Say.count(count, "interval", "intervals")) beyond those followed at once \(count == 1 ? "was" : "were") left out"
    case .unmatchedIntervals(let count):
      "\(Say.count(count, "begin or end of an interval has", "begins or ends of intervals have")) no counterpart in the recording"
    case .unusedSigns(let count):
      "\(Say.count(count, "sign", "signs")) of suspension beyond the limit \(count == 1 ? "was" : "were") not used"
    case .lateBeats(let count):
      "\(Say.count(count, "beat", "beats")) of the recorder came late while the program ran: the machine was busy"
    case .sleptBesides(let ns):
      "the system slept for \(ns) ns that the trace's clock did not count"
    case .lostEvents(let count):
      "\(Say.count(count, "event was", "events were")) lost while recording: numbers around them are lower bounds"
    case .unsampled(let count, let name, let osThread, let reason):
      "\(Say.count(count, "sample", "samples")) of \(name.isEmpty ? "thread \(osThread) of the system" : "thread \(Sentence.written(name))") could not be taken: \(reason.words)"
    case .unreadableCauses(let why):
      "the rules for causes cannot be read, so no stall has one: \(why)"
    case .newestPart(let dropped, let ns):
      "the recording kept its newest part: \(dropped.map { Say.count($0, "event", "events") } ?? "what came") before \(Units.milliseconds(ns)) \(dropped == 1 || dropped == nil ? "was" : "were") dropped"
    case .threadsLeftOut(let count, let events, let limit):
      "\(Say.count(count, "thread", "threads")) beyond the \(limit) with most events \(count == 1 ? "was" : "were") not followed, with \(Say.count(events, "event", "events"))"
    case .utilisationOmitted(let count, let limit):
      "the time of \(Say.count(count, "thread", "threads")) beyond the \(limit) that ran loops longest is not listed"
    case .stacksOmitted(let count):
      "\(Say.count(count, "sample of a stack, state of a thread or image", "samples of stacks, states of threads and images")) beyond the limits \(count == 1 ? "was" : "were") not used"
    case .inlinedOmitted(let count):
      "\(Say.count(count, "inlined function of sampled stacks", "inlined functions of sampled stacks")) beyond the limits \(count == 1 ? "is" : "are") left out"
    case .runCallsOmitted(let count, let limit):
      "\(Say.count(count, "call for a run", "calls for runs")) of threads and modes beyond the first \(limit) \(count == 1 ? "is" : "are") not listed"
    case .longNames(let count, let limit):
      "\(Say.count(count, "name of the trace is", "names of the trace are")) cut to \(limit) bytes: length and checksum stand for the rest"
    case .skippedRowsOmitted(let count, let limit):
      "\(Say.count(count, "row", "rows")) of skipped due points after the first \(limit) \(count == 1 ? "is" : "are") not in the table timer_fires; the sums of all are in timers"
    case .notWhole(let damage):
      "the trace is not whole: \(damage)"
    case .lost(let part, let unit):
      part.text(unit)
    case .furtherLost(let count):
      "\(Say.count(count, "further place", "further places")) of the file could not be used; `rltrace validate` lists them"
    case .unknown(let events, let blocks):
      "\(Say.count(events, "event", "events")) and \(Say.count(blocks, "block", "blocks")) of kinds that this version does not know were skipped"
    }
  }
}
