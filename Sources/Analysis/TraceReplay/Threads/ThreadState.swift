import TraceFacts
import TraceFormat

/// Other observers of an activity, which run between its low and high stamps.
struct Observing {
  var isUnderWay = false
  /// The low stamp of the activity.
  var activity = EventKind(0)
}

/// The last wake of a thread.
struct LastWake {
  var time: Moment = .origin
  /// Whether no callout has begun since.
  var isUnanswered = false
}

/// The runs and callouts beyond the limits.
struct Unfollowed {
  /// The numbers of those that are open.
  var runs = 0
  var callouts = 0
  /// The total numbers.
  var allRuns: UInt64 = 0
  var allCallouts: UInt64 = 0
}

/// The numbers of events that the replay could not use.
struct UnusedEvents {
  /// Events of kinds that this version does not know.
  var unknown: UInt64 = 0
  var lost: UInt64 = 0
  /// The part of `lost` for which the disk had no room.
  var lostToFullDisk: UInt64 = 0
}

/// Events that no loop produces.
struct Contradictions {
  /// Events before this moment restate the state, in no particular order.
  let beginning: Moment
  var count: UInt64 = 0
  var first = Moment.never

  init(beginning: Moment) { self.beginning = beginning }

  mutating func note(_ time: Moment) {
    guard time >= beginning else { return }
    count &+= 1
    first = min(first, time)
  }
}

/// The time in which runs of a loop are on the stack.
struct OutermostRuns {
  /// Whether the following time is unknown: an import has the last pass of the run, and not its end.
  var isUnfinished = false
  /// When the first run of the span began, or may have begun: a loss of events may come before it.
  var began: Moment?
  /// When the last run ended, moved forward by later suspensions; nil while a run is, or may be, active.
  var ended: Moment?

  /// Notes that events were lost from `time` on.
  mutating func lose(_ time: Moment) {
    began = began ?? time
    ended = nil
  }
}

/// The facts that a thread has sent to the sink.
struct SentFacts: ~Copyable {
  var sink: SinkLink?
  /// Whether the sink receives begins.
  var wantsBegins = false
  /// The end of the last suspension. Phases before it have been sent.
  var sentUntil: Moment = .origin
  var passes = SentPasses()
}
