import RunLoopVocabulary
import TraceFormat

/// Limits on a scenario that is played in virtual time. Nothing else would end one that never stops.
package enum VirtualLimits {
  /// The number of events, the same as for any trace.
  package static let events = TraceLimits.eventsOfAnyTrace
  package static let steps = 100_000_000
  /// The number of actions, and of items that the loop examines: observers, queued blocks.
  package static let work = 1 << 28

  package static let all = [
    Limit("events", events, of: "events", beyond: ended),
    Limit("steps", steps, of: "steps of a thread", beyond: ended),
    Limit("work", work, of: "actions, and things that its loop examines", beyond: ended),
  ]

  private static let ended = "recording ends with an error"
}
