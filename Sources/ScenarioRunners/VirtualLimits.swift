import RunLoopVocabulary
import TraceFormat

/// Limits of a scenario that is played in virtual time: nothing else would end one that goes on for ever.
public enum VirtualLimits {
  /// As many as any trace may have.
  public static let events = TraceLimits.eventsOfAnyTrace
  public static let steps = 100_000_000
  /// What happens, and what the loop looks at: observers, queued blocks.
  public static let work = 1 << 28

  /// All of them.
  public static let all = [
    Limit("events", events, of: "events of a scenario in virtual time", beyond: ended),
    Limit("steps", steps, of: "steps of a thread of it that are played", beyond: ended),
    Limit("work", work, of: "things that happen in it, and that its loop looks at", beyond: ended),
  ]

  private static let ended = "the recording ends with an error"
}
