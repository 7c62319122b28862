import TraceFormat

/// Where a drain puts what it reads from a spool. What throws wrote nothing, and may be tried again.
protocol SpoolOutput: AnyObject {
  /// Of what the trace holds: blocks written, or kept, so far.
  var summary: RecordingSummary { get }
  /// Takes out of `definitions` what it wrote.
  func write(_ definitions: inout SpoolNames.Definitions) throws(TraceFormatError)
  func write(_ events: EventBuffer, thread: UInt32) throws(TraceFormatError)
  /// Events of the recorder's own thread, which nothing of the program can be concluded from.
  func write(notes: EventBuffer, thread: ThreadDefinition) throws(TraceFormatError)
  func write(_ point: SyncPoint) throws(TraceFormatError)
  /// The thread is gone; all its events were written.
  func ended(thread: UInt32)
  /// Whether all that was stored up to `now` is to be written, so that a segment can end there.
  func wantsCut(at now: UInt64) -> Bool
  /// Everything before `now` was written, and nothing behind it will be before it.
  func cut(at now: UInt64) throws(TraceFormatError)
  /// Completes the trace.
  func close() throws(TraceFormatError)
  /// Removes what was put aside, when there is to be no trace.
  func discard()
}

/// Everything into one trace.
final class WholeTrace: SpoolOutput {
  let writer: TraceWriter
  /// The definition of the recorder's thread was written.
  private var knowsRecorder = false
  /// Facts that stand in the trace already.
  var knownFacts: [InfoEntry] = []
  /// With fewer events it is not completed: a trace that has more is where it would go.
  var leastEvents: UInt64 = 0

  init(_ writer: TraceWriter) { self.writer = writer }

  var summary: RecordingSummary { RecordingSummary(events: writer.eventCount, bytes: writer.byteCount) }

  func write(_ found: inout SpoolNames.Definitions) throws(TraceFormatError) {
    found.info.removeAll(where: knownFacts.contains)
    try writer.write(&found)
  }

  func write(_ events: EventBuffer, thread: UInt32) throws(TraceFormatError) {
    try writer.write(events, thread: thread)
  }

  func write(notes: EventBuffer, thread: ThreadDefinition) throws(TraceFormatError) {
    if !knowsRecorder {
      var recorder = SpoolNames.Definitions(recorderThread: thread)
      try write(&recorder)
    }
    knowsRecorder = true
    try writer.write(notes, thread: thread.index)
  }

  func write(_ point: SyncPoint) throws(TraceFormatError) { try writer.write([point]) }
  func ended(thread: UInt32) {}
  func wantsCut(at now: UInt64) -> Bool { false }
  func cut(at now: UInt64) {}
  func close() throws(TraceFormatError) {
    guard writer.eventCount >= leastEvents else {
      throw .invalidInput(
        what:
          "would give a trace of \(writer.eventCount) events, and the one that is there has \(leastEvents): both are left as they are, choose another place with -o"
      )
    }
    try writer.close()
  }

  func discard() {}
}

extension TraceWriter {
  /// Takes out of `found` what it wrote.
  func write(_ found: inout SpoolNames.Definitions) throws(TraceFormatError) {
    try write(found.info)
    found.info = []
    try write(found.strings)
    found.strings = []
    try write(found.threads)
    found.threads = []
    try write(found.modes)
    found.modes = []
  }
}
