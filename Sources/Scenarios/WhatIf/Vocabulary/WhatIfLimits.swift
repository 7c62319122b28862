import RunLoopVocabulary

/// The limits of a replay with changes.
package enum WhatIfLimits {
  package static let whatIfEvents = 50_000_000
  /// Only this limit stops the replay of a loop that never waits.
  package static let whatIfWork = 64
  package static let whatIfDepth = 64
  package static let whatIfFactor = 1000
  package static let whatIfSwaps = 64

  package static let all = [
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
