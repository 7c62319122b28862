import TraceFormat

/// Limits on a scenario that is played in virtual time. Nothing else would end one that never stops.
package enum VirtualLimits {
  /// Events. Beyond: recording ends with an error.
  package static let events = TraceLimits.eventsOfAnyTrace
  /// Steps of a thread. Beyond: recording ends with an error.
  package static let steps = 100_000_000
  /// Changes of the wall clock. Beyond: recording ends with an error.
  package static let clockChanges = 1 << 16
  /// Actions, and things that its loop examines. Beyond: recording ends with an error. Such things are observers
  /// and queued blocks.
  package static let work = 1 << 28
}
