import TraceFormat

extension Analysis {
  /// The limits of what this recording shows, with reasons, as phrases without a full stop.
  public var noteTexts: [String] { notes.map(\.text) }
}

extension Note {
  /// The note as a sentence without a full stop.
  package var text: String {
    switch self {
    case .oneObserverPerMode:
      "the recorder had one observer per mode, so the time of other observers is part of waiting or of the next phase and is not listed separately"
    case .activitiesOnly:
      "the capture level is activities: timers, sources and blocks were not recorded, so lateness is unknown"
    case .imported:
      "the trace was imported: the source has runs, passes and waits, but no timers, sources, blocks, observers or phases. Starvation and lateness are unknown, a gap may span several activities, and a suspension counts as waiting or busy time"
    case .importedHangs:
      "the trace was imported from a list of hangs, without run loops: modes, passes, waits and callouts are unknown, and so is all time outside the hangs"
    case .noRunLoop:
      "system threads served the main queue without a run loop (dispatchMain() or an async main): the queue has no modes or passes, so findings and monitors that need them do not apply to it"
    case .unseenObjects:
      "the program has more distinct timer or source callouts than the recorder can follow: timers and sources whose callouts came later are not in the recording"
    case .jobsOnly:
      "the Swift runtime of the program is linked statically, or the recorder does not know it. Jobs of its global executor and of the main actor were recorded, but neither tasks nor actors. With a static runtime, blocks of queues are missing as well"
    case .loopNeverRan(let name):
      "the program added something to \"\(harmless(name, limit: 60))\", which never ran: whether work waits for that loop is not known"
    case .busyAtStart(let thread, let ns):
      "thread \(thread) was busy when the span began, and for \(Units.duration(ns)) after that: this busy interval began before the span and does not count in it"
    case .busyAtBreak(let thread, let ns):
      "the recording breaks off after thread \(thread) had been busy for \(Units.duration(ns)): how long it stayed busy is not known"
    case .blindTimers(let count):
      "\(Phrase.count(count, "timer class has", "timer classes have")) fires whose due points are not in the recording: how late they were is unknown"
    case .manyTimerClasses(let limit):
      "more than \(limit) timer classes: the rest share the row '\(Remainder.timers)'"
    case .manyModes(let limit):
      "more than \(limit) modes of loops: the rest share the row '\(ModeName.others)'"
    case .manyCallouts(let limit):
      "more than \(limit) kinds of callouts: the rest share the row '\(Remainder.rows)'"
    case .manySources(let limit):
      "more than \(limit) names of sources: the rest share the row '\(Remainder.rows)'"
    case .manyQueues(let limit):
      "more than \(limit) names of queues: the rest share the row '\(Remainder.rows)'"
    case .manyIntervalNames(let limit):
      "more than \(limit) names of intervals: the rest share the row '\(Remainder.rows)'"
    case .manyStates(let limit):
      "more than \(limit) values of states: the rest share the row '\(Remainder.rows)'"
    case .untrackedTimers(let count, let limit):
      "\(Phrase.count(count, "timer event was", "timer events were")) not followed: the analysis follows at most \(limit) live timers"
    case .deepRuns(let count, let limit):
      "\(Phrase.count(count, "run is", "runs are")) nested deeper than \(limit) and counted in the time of the runs around \(count == 1 ? "it" : "them")"
    case .deepCallouts(let count, let limit):
      "\(Phrase.count(count, "callout is", "callouts are")) nested deeper than \(limit) and not counted separately"
    case .unjudgedThread(let limit):
      "more than \(limit) threads have long gaps: the thread that the stall monitors watch was not judged"
    case .noFrameSource(let candidates):
      candidates == 0
        ? "the monitor of frames per second counted no frames: the trace has no frame source with an interval of 4 ms to 42 ms"
        : "the monitor of frames per second counted no frames: \(candidates) timers may be the frame source; fps:source=NAME selects one"
    case .lifeCycleOmitted(let count, let limit):
      "\(Phrase.count(count, "life-cycle mark", "life-cycle marks")) beyond the limit of \(limit) \(count == 1 ? "was" : "were") not kept"
    case .marksOmitted(let count, let limit):
      "\(Phrase.count(count, "mark", "marks")) after the first \(limit) \(count == 1 ? "is" : "are") not listed"
    case .unfollowedIntervals(let count):
      "\(Phrase.count(count, "interval was", "intervals were")) left out because too many were open at once"
    case .unmatchedIntervals(let count):
      "\(Phrase.count(count, "start or end of an interval has", "starts or ends of intervals have")) no counterpart in the recording"
    case .unusedSigns(let count):
      "\(Phrase.count(count, "sign", "signs")) of suspension beyond the limit \(count == 1 ? "was" : "were") not used"
    case .lateBeats(let count):
      "\(Phrase.count(count, "heartbeat", "heartbeats")) of the recorder came late while the program ran: the machine was busy"
    case .sleptOffClock(let ns):
      "the system slept for \(ns) ns that the trace's clock did not count"
    case .lostEvents(let count):
      "the recorder lost \(Phrase.count(count, "event", "events")): the numbers around \(count == 1 ? "it" : "them") are lower bounds"
    case .unsampled(let count, let name, let osThread, let reason):
      "\(Phrase.count(count, "stack sample", "stack samples")) of \(name.isEmpty ? "system thread \(osThread)" : "thread \(Sentence.written(name))") could not be taken: \(reason.words)"
    case .unreadableCauses(let why):
      "the rules for causes cannot be read, so no stall has a cause: \(why)"
    case .newestPart(let dropped, let ns):
      "the recording kept only its newest part: \(dropped.map { Phrase.count($0, "event", "events") } ?? "all events") before \(Units.milliseconds(ns)) \(dropped == 1 ? "was" : "were") dropped"
    case .threadsLeftOut(let count, let events, let limit):
      "\(Phrase.count(count, "thread", "threads")) with \(Phrase.count(events, "event", "events")) \(count == 1 ? "was" : "were") not followed: the analysis follows the \(limit) threads with the most events"
    case .utilisationOmitted(let count, let limit):
      "the time of \(Phrase.count(count, "thread", "threads")) is not listed: the table has the \(limit) threads that ran loops longest"
    case .stacksOmitted(let count):
      "\(Phrase.count(count, "stack sample, thread state or image", "stack samples, thread states and images")) beyond the limits \(count == 1 ? "was" : "were") not used"
    case .inlinedOmitted(let count):
      "\(Phrase.count(count, "inlined function of sampled stacks", "inlined functions of sampled stacks")) beyond the limits \(count == 1 ? "is" : "are") left out"
    case .functionsOmitted(let limit):
      "functions of the shortest sampled stacks are not listed: the table has \(limit) rows"
    case .runCallsOmitted(let count, let limit):
      "\(Phrase.count(count, "call to run a loop is", "calls to run a loop are")) not listed: the table has the first \(limit) pairs of thread and mode"
    case .longNames(let count, let limit):
      "\(Phrase.count(count, "name in the trace is", "names in the trace are")) cut to \(limit) bytes: the length and a checksum replace the rest"
    case .skippedRowsOmitted(let count, let limit):
      "\(Phrase.count(count, "row", "rows")) of skipped due points after the first \(limit) \(count == 1 ? "is" : "are") not in the table timer_fires; the table timers has the sums of all"
    case .incomplete(let damage):
      "the trace is incomplete: \(damage)"
    case .lost(let part, let unit):
      part.text(unit)
    case .furtherLost(let count):
      "\(Phrase.count(count, "further part", "further parts")) of the file could not be used; `rltrace validate` lists them"
    case .unknown(let events, let blocks):
      "\(Phrase.count(events, "event", "events")) and \(Phrase.count(blocks, "block", "blocks")) of kinds that this version does not know were skipped"
    case .newerFormat(let format): harmless("\(format)", limit: 300)
    }
  }
}
