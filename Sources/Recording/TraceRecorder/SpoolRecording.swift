import CRLTraceShims
import SystemSupport
import TraceFormat

/// The drain of another process's spool into a trace.
package final class SpoolRecording: Sendable {
  package let spool: Spool
  private let drain: Drain
  private let outcome = Locked<Result<RecordingSummary, RecordingError>?>(nil)
  private let snapshots: Snapshots?
  private let notes = RecorderNotes()
  private let heartbeat: HeartbeatThread
  private let end: ProcessEnd

  /// Starts draining `spool` into `sink`, the trace `path`. `makeNaming` is called on the thread that names code; nil
  /// = code is named by its addresses.
  ///
  /// `options` gives unit, codec and facts; the capture level is that of the spool. `kept` nil = everything is kept.
  /// `makeRoom` is called when a snapshot is complete, as `sink` calls it.
  package init(
    spool: Spool, sink: any ByteSink & Sendable, path: String, options: RecordingOptions, kept: KeptPart?,
    makeRoom: FileSink.MakeRoom? = nil, makeNaming: (@Sendable () -> any CodeNaming)?
  ) throws(RecordingError) {
    self.spool = spool
    var options = options
    options.info.append(Heartbeat.fact(intervalNs: HeartbeatThread.intervalNs))
    let end = ProcessEnd(of: spool)
    self.end = end
    snapshots = kept?.spanNs.map { Snapshots(trace: path, spanNs: $0, makeRoom: makeRoom) }
    drain = Drain(spool: spool, isCalled: false, snapshots: snapshots, sink: sink) { [notes, options] in
      let reader = SpoolReader(
        spool: spool, unit: options.timeUnit, namer: makeNaming.map(CodeNamer.init), notes: notes
      ) { () throws(TraceFormatError) in
        guard let kept else { return WholeTrace(try TraceWriter(sink: sink, spool: spool, options: options)) }
        return try RecentTrace(
          kept, store: SegmentsInFiles(trace: path), sink: sink, header: FileHeader(of: spool, options),
          options: options,
          onDrop: spool.countDropped)
      }
      reader.end = { end.moment }
      return reader
    }
    // The heartbeat runs in this process, so it shows suspensions of the machine. A stop of the program alone is
    // noted by the caller that sees it.
    let beating = Heartbeat(notes: notes, usesCycles: spool.usesCycles) {
      spool.visibleProgramID > 0 ? processCPUNs(spool.visibleProgramID) : nil
    }
    heartbeat = try HeartbeatThread(beating) { end.isOver() }
    do throws(RecordingError) { try drain.start() } catch {
      heartbeat.stop()
      throw error
    }
  }

  /// Notes that the program was just stopped by a signal.
  package func noteStop(signal: Int32) { note(.processStop, signal) }

  /// Notes that the program continues.
  package func noteContinue() { note(.processContinue, SIGCONT) }

  private func note(_ kind: EventKind, _ signal: Int32) {
    notes.add(
      RecorderNote(
        moment: .now(usesCycles: spool.usesCycles),
        event: RecorderNote.Event(kind: kind, arguments: [UInt64(UInt32(bitPattern: signal))])))
  }

  /// Notes that the end of the process has just been observed.
  package func noteEnd() { end.note(.now(usesCycles: spool.usesCycles)) }

  /// Whether the process has ended.
  package var hasEnded: Bool { end.look() }

  /// Returns how the process ended, if it is known by now. `first`: the spool in which parents note how their
  /// children ended.
  package func knownEnd(_ first: Spool) -> ProgramEnd? {
    // The exit status comes last: the process does not know of a later signal.
    end.askSystem() ?? first.reportedEnd(of: spool) ?? spool.exitStatus.map { .exited($0) }
  }

  /// Notes how the process ended, or that it has not ended. Call it before `beginToEnd`. `reported`: what the process
  /// that waited for it reported. `sharedSignals`: those that the recorder passed on, or got as well.
  package func noteHowItEnds(_ reported: ProgramEnd?, sharedSignals: Set<Int32>, first: Spool) {
    let now = ClockReading.now(usesCycles: spool.usesCycles)
    if spool.hasExecuted {
      notes.add(.end(.executed, at: spool.notedEnd ?? now))
    } else if end.look() {
      let how = reported ?? knownEnd(first)
      notes.add(
        .end(how, byRecorder: how?.isCaused(by: sharedSignals) ?? false, at: end.moment ?? now))
    } else {
      notes.add(.end(.recordingEnded, at: now))
    }
  }

  /// Begins to finish the trace, or to end without one. `finish` and `drop` wait for that.
  package func beginToEnd(keeping: Bool) { drain.requestStop(keeping: keeping) }

  /// Whether the drain is done, so that `finish` and `drop` do not wait.
  package var isWritten: Bool { drain.isDone }

  /// Requests a trace of what is kept now, beside the trace; see `takeSnapshots`.
  package func requestSnapshot() { snapshots?.request() }

  /// Requests the same for a cause, in a few words. Soon after another such snapshot, the cause is only counted.
  package func requestSnapshot(because cause: String) { snapshots?.request(because: cause) }

  /// Returns the snapshots that were written since the last call. Complete after `finish`.
  package func takeSnapshots() -> [Snapshot] { snapshots?.takeWritten() ?? [] }

  /// Writes everything that was stored, and completes the trace. Call it when the program has ended or was asked to
  /// stop recording.
  ///
  /// Throws the error of a failed write. Then the written part and the spool stay as they are and can be recovered. A
  /// second call has the same outcome as the first.
  package func finish() throws(RecordingError) -> RecordingSummary { try end(keeping: true) }

  /// Ends without a trace.
  package func drop() throws(RecordingError) -> RecordingSummary { try end(keeping: false) }

  private func end(keeping: Bool) throws(RecordingError) -> RecordingSummary {
    try outcome.once {
      heartbeat.stop()
      drain.requestStop(keeping: keeping)
      let result = drain.waitUntilDone()
      snapshots?.waitUntilWritten()
      return result.failure.map { .failure(.trace($0)) } ?? .success(result.summary)
    }.get()
  }
}

extension TraceWriter {
  /// Creates a writer for the contents of a spool.
  convenience init(
    sink: any ByteSink, spool: Spool, options: RecordingOptions
  ) throws(TraceFormatError) {
    try self.init(sink: sink, header: FileHeader(of: spool, options), codec: options.makeCodec())
    try write(options.info)
  }
}

extension FileHeader {
  init(of spool: Spool, _ options: RecordingOptions) {
    self.init(
      timeUnit: options.timeUnit, codec: options.makeCodec().id, captureLevel: spool.captureLevel,
      clock: spool.usesCycles ? .cycleCounter : .monotonic, hasHighStamps: true)
  }
}
