import CRLTraceShims
import SystemSupport
import TraceFormat

/// The recording that an earlier run of this process's program left behind.
package enum PreviousRecording {
  /// Removes a leftover spool to make way for a recording to `output`. Throws if the earlier recording was never
  /// finished or is still running.
  package static func removeEmpty(of output: String, _ options: RecordingOptions) throws(TraceFormatError) {
    let path = SpoolName.path(trace: output)
    guard let spool = try abandonedSpool(path, options, else: { "cannot record to \(output): \($0)" }) else {
      return
    }
    guard SpoolRecovery.isComplete(spool, trace: output) || !spool.hasRun else {
      throw .nameTaken(
        what:
          "cannot record to \(output): \(path) holds an unfinished recording; call "
          + "RunLoopTracer.recoverPrevious first, or run `rltrace recover`"
      )
    }
    unsafe unlink(path)
  }

  /// Finishes the recording as the trace `destination`. Returns nil if there is nothing to finish.
  package static func recover(
    _ output: String, to destination: String, _ options: RecordingOptions
  ) throws(TraceFormatError) -> SpoolRecovery.Summary? {
    let path = SpoolName.path(trace: output)
    guard let spool = try abandonedSpool(path, options, else: { "cannot recover \(path): \($0)" }) else {
      return nil
    }
    let outcome = try SpoolRecovery.recover(
      spool, trace: output, options: options,
      codecs: { id in
        let own = options.makeCodec()
        return id == own.id ? own : id == .none ? NoCodec() : nil
      }, makeNaming: nil,
      keepsParts: false
    ) { () throws(TraceFormatError) in try FileSink(recording: destination) }
    unsafe unlink(path)
    guard case .written(let summary) = outcome else { return nil }
    return summary
  }

  /// Returns the spool, or nil if there is none. Throws if a process still records into it.
  private static func abandonedSpool(
    _ path: String, _ options: RecordingOptions, else complaint: (String) -> String
  ) throws(TraceFormatError) -> Spool? {
    guard Spool.isSpool(path) else { return nil }
    let spool = try Spool(opening: path, privately: true, isGuarded: options.handlesBusErrors)
    if let process = SpoolRecovery.livingProcess(of: spool) {
      throw .nameTaken(what: complaint("process \(process) is still recording there"))
    }
    return spool
  }
}
