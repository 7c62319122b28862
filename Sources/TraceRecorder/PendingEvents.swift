import TraceFormat

/// What was read from a ring and waits to be written as a block.
final class PendingEvents {
  let thread: UInt32
  let events: EventBuffer
  /// When the first of them was read, CLOCK_MONOTONIC.
  var since: UInt64
  /// What the thread lost since its last event is among the events.
  var hasToldLoss = false
  /// Events that were read before the spool was cut, if it was.
  var sureCount = 0

  init(thread: UInt32, events: EventBuffer, since: UInt64) {
    self.thread = thread
    self.events = events
    self.since = since
  }
}
