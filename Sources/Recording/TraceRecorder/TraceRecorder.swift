import CRLTraceShims
import CRLTraceStacks
import SystemSupport
import TraceFormat

/// A running recording: rings, drain and names.
///
/// Thread-safe. Any thread emits events with `rlt_emit` and its relatives, without a reference to this object.
@usableFromInline package final class TraceRecorder: Sendable {
  private let spool: Spool
  private let ids: RecordingIDs
  private let drain: Drain
  private let heartbeat: Heartbeat?
  private let notes: RecorderNotes
  /// The number of this recording in the process.
  private let session: UInt32
  private let outcome = Locked<Result<RecordingSummary, RecordingError>?>(nil)

  private static let current = Locked<TraceRecorder?>(nil)
  private static let onTakeover = Locked<(@Sendable () -> Void)?>(nil)
  private static let sessions = AtomicWord()

  /// Starts recording this process into `sink`. Throws if a recording is already running.
  ///
  /// `spoolPath`: the file for unwritten events, see `SpoolName`; nil = memory. `trace`: the name of the trace, for
  /// `options.kept`; nil = everything is kept.
  package static func start(
    sink: any ByteSink & Sendable, options: RecordingOptions, spoolPath: String? = nil, trace: String? = nil
  ) throws(RecordingError) -> TraceRecorder {
    if current.withLock({ $0 != nil }) { onTakeover.withLock({ $0 })?() }
    let result: Result<TraceRecorder, RecordingError> = current.withLock { current in
      guard current == nil else { return .failure(.alreadyRecording) }
      do throws(RecordingError) {
        let recorder = try TraceRecorder(sink: sink, options: options, spoolPath: spoolPath, trace: trace)
        current = recorder
        return .success(recorder)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Sets the closure that ends the current recording when another one is to start. Nil = none; the other one is
  /// refused.
  package static func setOnTakeover(_ end: (@Sendable () -> Void)?) { onTakeover.withLock { $0 = end } }

  private init(
    sink: any ByteSink & Sendable, options: RecordingOptions, spoolPath: String?, trace: String?
  ) throws(RecordingError) {
    session = UInt32(truncatingIfNeeded: TraceRecorder.sessions.add(1))
    let usesCycles = (options.clock ?? .cycleCounter) == .cycleCounter && rlt_cycles_are_invariant() != 0
    let spool: Spool
    do throws(TraceFormatError) {
      spool = try Spool(own: options, usesCycles: usesCycles, path: spoolPath)
      ids = try RecordingIDs(spool: spool)
    } catch {
      throw .trace(error)
    }
    self.spool = spool
    let notes = RecorderNotes()
    self.notes = notes
    drain = Drain(spool: spool, isCalled: true, compressesAlways: options.compressesAlways, sink: sink) {
      SpoolReader(spool: spool, unit: options.timeUnit, namer: nil, notes: notes) {
        () throws(TraceFormatError) in
        let codec = options.makeCodec()
        let header = FileHeader(
          timeUnit: options.timeUnit, codec: codec.id, captureLevel: options.captureLevel,
          clock: usesCycles ? .cycleCounter : .monotonic, hasHighStamps: options.hasHighStamps)
        var options = options
        let beatNs = 2 * (options.stalls ?? StallWatch()).beatNs
        if options.hasHeartbeat { options.info.append(Heartbeat.fact(intervalNs: beatNs)) }
        if let kept = options.kept, let trace {
          return try RecentTrace(
            kept, store: SegmentsInFiles(trace: trace), sink: sink, header: header, options: options,
            onDrop: spool.countDropped)
        }
        let writer = try TraceWriter(sink: sink, header: header, codec: codec)
        try writer.write(options.info)
        return WholeTrace(writer)
      }
    }
    heartbeat =
      options.hasHeartbeat
      ? Heartbeat(notes: notes, usesCycles: usesCycles) { processCPUNs() } : nil
    try drain.start()
    TraceRecorder.parts.withLock { [drain, heartbeat] in $0 = (drain, heartbeat) }
    unsafe rlt_set_recording(session, spool.header) { flushes in
      TraceRecorder.parts.withLock { $0.drain }?.call(flushes: flushes != 0)
    }
    var watch = (options.stalls ?? StallWatch()).options
    watch.only_beats = options.stalls == nil ? 1 : 0
    if heartbeat != nil {
      watch.on_beat = { dueNs in TraceRecorder.parts.withLock { $0.heartbeat }?.beat(dueNs: dueNs) }
    }
    if heartbeat != nil || options.stalls != nil { unsafe rlt_sentinel_start(&watch) }
  }

  /// Returns a recorder that records nothing, for a program that another process already records.
  package static func idle() throws(RecordingError) -> TraceRecorder {
    do throws(TraceFormatError) {
      return try TraceRecorder(idle: Spool(slotsPerRing: 64, usesCycles: false))
    } catch {
      throw .trace(error)
    }
  }

  private init(idle spool: Spool) throws(TraceFormatError) {
    // No session of a recording has this number.
    session = .max
    self.spool = spool
    ids = try RecordingIDs(spool: spool)
    drain = Drain(spool: spool, isCalled: true, sink: MemorySink()) {
      preconditionFailure("an idle recorder's drain is never started")
    }
    heartbeat = nil
    notes = RecorderNotes()
    outcome.withLock { $0 = .success(RecordingSummary()) }
  }

  /// The parts of the current recording that C code calls.
  private static let parts = Locked<(drain: Drain?, heartbeat: Heartbeat?)>((nil, nil))

  /// Whether this recording is the current one. Objects that outlive it must not emit into the next one.
  @usableFromInline package var isRecording: Bool { rlt_recording_session() == session }

  /// Ends the recording. Events emitted from now on are not stored. Returns when the file is complete.
  ///
  /// Throws the error of a failed write, such as a full disk. Then the written part is left as `NAME.part`, with the
  /// spool beside it. A second call waits for the first and has its outcome.
  package func stop() throws(RecordingError) -> RecordingSummary { try stop {} }

  /// Ends the recording as `stop()` does. The first call runs `detach` once nothing more is stored. Remove
  /// observers from a loop only in `detach`. The loop's thread may be running the loop, and if the observers were
  /// removed earlier, the trace would contain its later events without activities.
  package func stop(detaching detach: () -> Void) throws(RecordingError) -> RecordingSummary {
    try outcome.once { end(detach) }.get()
  }

  /// Writes all events that were stored before this call to the sink, and returns when that is done. The sink then
  /// holds a trace without an end.
  package func flush() { drain.flush() }

  private func end(_ detach: () -> Void) -> Result<RecordingSummary, RecordingError> {
    rlt_sentinel_stop()
    rlt_set_recording(0, nil, nil)
    detach()
    // The process itself records how it ended.
    notes.add(.end(.recordingEnded, at: .now(usesCycles: spool.usesCycles)))
    drain.requestStop()
    let result = drain.waitUntilDone()
    TraceRecorder.parts.withLock { $0 = (nil, nil) }
    TraceRecorder.current.withLock { $0 = nil }
    // The spool is never unmapped, see Spool.
    _ = unsafe Unmanaged.passRetained(spool)
    spool.trim()
    if let failure = result.failure { return .failure(.trace(failure)) }
    spool.removeFile()
    return .success(result.summary)
  }

  // MARK: Names and ids

  /// Returns the id of a string in the trace; 0 for an empty string.
  package func string(_ text: String) -> UInt32 { text.isEmpty ? 0 : ids.string(text) }
  /// Returns the id of a mode.
  package func mode(_ name: String) -> UInt8 { ids.mode(name) }
  /// Returns a new object id; 0 if a million objects are live.
  package func makeObject() -> UInt32 { ids.makeObject() }
  /// Releases the id of an object that died. Its slot may serve another object.
  package func release(object: UInt32) { ids.release(object: object) }

  /// Emits an event without arguments on the calling thread while this recording is current.
  @inline(__always)
  @usableFromInline package func emit(_ kind: EventKind, object: UInt32) {
    if isRecording { rlt_emit(kind.rawValue, object) }
  }

  /// Emits an event with arguments on the calling thread while this recording is current. Without `mode`, its mode is
  /// that of the thread's innermost observed run.
  package func emit(
    _ kind: EventKind, mode: UInt8? = nil, object: UInt32 = 0, _ first: UInt64, _ rest: UInt64...
  ) {
    emit(kind, mode: mode, object: object, arguments: [first] + rest)
  }

  /// Emits an event with at most 255 arguments in an array.
  package func emit(_ kind: EventKind, mode: UInt8? = nil, object: UInt32 = 0, arguments: [UInt64]) {
    guard isRecording else { return }
    unsafe arguments.withUnsafeBufferPointer {
      unsafe rlt_emit_arguments(
        kind.rawValue, mode ?? rlt_thread_mode(), object, $0.baseAddress, UInt8($0.count))
    }
  }
}
