/// The limits of a replay with changes.
package enum WhatIfLimits {
  /// Events. Beyond: undecided.
  package static let whatIfEvents = 50_000_000
  /// Actions and examined items of a replay, for each event. Beyond: undecided. Only this limit stops the replay of a
  /// loop that never waits.
  package static let whatIfWork = 64
  /// Nested callouts and runs. Beyond: undecided.
  package static let whatIfDepth = 64
  /// Arrivals and due points that a replay moves to repeat a loop. Beyond: undecided.
  package static let whatIfSwaps = 64
  /// Factor of 'takes x'. Beyond: change refused.
  package static let whatIfFactor = 1000
}
