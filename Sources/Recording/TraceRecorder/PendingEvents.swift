import TraceFormat

/// Events that were read from a ring and wait to be written as a block.
final class PendingEvents {
  let thread: UInt32
  let events: EventBuffer
  /// When the first of them was read, CLOCK_MONOTONIC.
  var since: UInt64
  /// Whether the events include the thread's losses since its last stored event.
  var hasReportedLoss = false
  /// The number of events that were read before the spool was cut, if it was.
  var sureCount = 0

  init(thread: UInt32, events: EventBuffer, since: UInt64) {
    self.thread = thread
    self.events = events
    self.since = since
  }
}
