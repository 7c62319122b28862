import TraceFormat

/// The destination of the events that a drain reads from a spool. If a method throws, it has written nothing and may
/// be called again.
protocol SpoolOutput: AnyObject {
  /// A summary of the blocks that were written or kept so far.
  var summary: RecordingSummary { get }
  /// Writes definitions, and removes from `definitions` what was written.
  func write(_ definitions: inout SpoolNames.Definitions) throws(TraceFormatError)
  /// Writes events of a thread as a block. `isFlat`: the block is flat and not compressed. Returns the number of bytes
  /// of a flat block; otherwise 0.
  func write(_ events: EventBuffer, thread: UInt32, isFlat: Bool) throws(TraceFormatError) -> Int
  /// Writes events of the recorder's own thread. They say nothing about the program's threads.
  func write(notes: EventBuffer, thread: ThreadDefinition) throws(TraceFormatError)
  func write(_ point: SyncPoint) throws(TraceFormatError)
  /// Notes that the thread is gone and that all its events were written.
  func ended(thread: UInt32)
  /// Returns whether everything stored up to `now` should be written, so that a segment can end there.
  func wantsCut(at now: UInt64) -> Bool
  /// Ends a segment. Everything before `now` was written, and later writes have later times.
  func cut(at now: UInt64) throws(TraceFormatError)
  /// Completes the trace.
  func close() throws(TraceFormatError)
  /// Removes temporary files when there is to be no trace.
  func discard()
}

/// Writes everything into one trace.
final class WholeTrace: SpoolOutput {
  let writer: TraceWriter
  /// Whether the definition of the recorder's thread was written.
  private var knowsRecorder = false
  /// Facts that are already in the trace.
  var knownFacts: [InfoEntry] = []
  /// The minimum number of events. With fewer, the trace is not completed, because a trace with more events has its
  /// name already.
  var leastEvents: UInt64 = 0

  init(_ writer: TraceWriter) { self.writer = writer }

  var summary: RecordingSummary { RecordingSummary(events: writer.eventCount, bytes: writer.byteCount) }

  func write(_ found: inout SpoolNames.Definitions) throws(TraceFormatError) {
    found.info.removeAll(where: knownFacts.contains)
    try writer.write(&found)
  }

  func write(_ events: EventBuffer, thread: UInt32, isFlat: Bool) throws(TraceFormatError) -> Int {
    try writer.write(events, thread: thread, isFlat: isFlat)
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
          "the recovered trace would have \(writer.eventCount) events, but the existing one has "
          + "\(leastEvents): both files are unchanged, choose another place with -o"
      )
    }
    try writer.close()
  }

  func discard() {}
}

extension TraceWriter {
  /// Writes definitions, and removes from `found` what was written.
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
