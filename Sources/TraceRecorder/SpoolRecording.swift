import CRLTraceShims
import Synchronization
import TraceFormat

/// The drain of another process's spool into a trace.
public final class SpoolRecording: Sendable {
  public let spool: Spool
  private let drain: Drain
  private let outcome = Mutex<Result<RecordingSummary, RecordingError>?>(nil)
  private let discard: @Sendable () -> Void

  /// Starts draining `spool` into `sink`. `makeNaming` is called on the drain's thread.
  ///
  /// `options` gives unit, codec and facts; the capture level is the spool's.
  public init(
    spool: Spool, sink: any ByteSink & Sendable, options: RecordingOptions,
    makeNaming: @escaping @Sendable () -> (any CodeNaming)?
  ) throws(RecordingError) {
    self.spool = spool
    discard = { sink.discard() }
    drain = Drain(spool: spool, discard: discard) {
      SpoolReader(spool: spool, unit: options.timeUnit, naming: makeNaming()) { () throws(TraceFormatError) in
        try TraceWriter(sink: sink, spool: spool, options: options)
      }
    }
    try drain.start()
  }

  /// Writes everything that was stored, and completes the trace. Call it when the program has ended, or was asked to
  /// stop recording. Throws what writing threw; then there is no trace. A second call has the first's outcome.
  public func finish() throws(RecordingError) -> RecordingSummary { try end(keeping: true) }

  /// Ends without a trace.
  public func drop() throws(RecordingError) -> RecordingSummary { try end(keeping: false) }

  private func end(keeping: Bool) throws(RecordingError) -> RecordingSummary {
    let result = outcome.withLock { outcome in
      if let outcome { return outcome }
      drain.requestStop(keeping: keeping)
      let result = drain.waitUntilDone()
      let first: Result<RecordingSummary, RecordingError> =
        result.failure.map { .failure(.trace($0)) }
        ?? .success(
          RecordingSummary(
            events: result.events, bytes: result.bytes, lostEvents: result.lostEvents,
            drainCPUNs: result.cpuNs))
      outcome = first
      return first
    }
    return try result.get()
  }
}

extension TraceWriter {
  /// A writer of what a spool holds.
  convenience init(
    sink: any ByteSink, spool: Spool, options: RecordingOptions
  ) throws(TraceFormatError) {
    let codec = options.makeCodec()
    try self.init(
      sink: sink,
      header: FileHeader(
        timeUnit: options.timeUnit, codec: codec.id, captureLevel: spool.captureLevel,
        clock: spool.usesCycles ? .cycleCounter : .monotonic, hasHighStamps: true), codec: codec)
    try write(options.info)
  }
}
