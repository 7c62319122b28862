import RunLoopVocabulary

/// The limits of a replay with changes.
public enum WhatIfLimits {
  public static let whatIfEvents = 50_000_000
  /// Only this limit stops the replay of a loop that never waits.
  public static let whatIfWork = 64
  public static let whatIfDepth = 64
  public static let whatIfFactor = 1000
  public static let whatIfSwaps = 64

  public static let all = [
    Limit("whatIfEvents", whatIfEvents, of: "events", beyond: "undecided"),
    Limit(
      "whatIfWork", whatIfWork, of: "actions and examined items of a replay, for each event",
      beyond: "undecided"),
    Limit("whatIfDepth", whatIfDepth, of: "nested callouts and runs", beyond: "undecided"),
    Limit(
      "whatIfSwaps", whatIfSwaps, of: "arrivals and due points that a replay moves to repeat a loop",
      beyond: "undecided"),
    Limit("whatIfFactor", whatIfFactor, of: "factor of 'takes x'", refusing: "change"),
  ]
}
