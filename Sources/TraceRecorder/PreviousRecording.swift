import CRLTraceShims
import TraceFormat

/// What an earlier run of this process's program left of its recording.
public enum PreviousRecording {
  /// Makes way for a recording to `output`. Throws when the earlier one was never finished, or is still under way.
  public static func removeEmpty(of output: String) throws(TraceFormatError) {
    let path = SpoolName.path(trace: output)
    guard Spool.isSpool(path) else { return }
    let spool = try Spool(opening: path, privately: true)
    if let process = SpoolRecovery.livingProcess(of: spool) {
      throw .nameTaken(what: "cannot record to \(output): process \(process) still records there")
    }
    guard !spool.hasSeen(Int(RLT_SEEN_RUN)) else {
      throw .nameTaken(
        what:
          "cannot record to \(output): \(path) holds a recording that was never finished; call RunLoopTracer.recoverPrevious before, or `rltrace recover` it"
      )
    }
    unsafe unlink(path)
  }

  /// Finishes it as the trace `destination`; nil when there is nothing to finish.
  public static func recover(
    _ output: String, to destination: String, _ options: RecordingOptions
  ) throws(TraceFormatError) -> SpoolRecovery.Outcome? {
    let path = SpoolName.path(trace: output)
    guard Spool.isSpool(path) else { return nil }
    let spool = try Spool(opening: path, privately: true)
    if let process = SpoolRecovery.livingProcess(of: spool) {
      throw .invalidInput(what: "cannot recover \(path): process \(process) still records there")
    }
    let outcome = try SpoolRecovery.recover(
      spool, trace: output, options: options,
      codecs: { id in
        let own = options.makeCodec()
        return id == own.id ? own : id == .none ? NoCodec() : nil
      }, naming: nil,
      keepsBegun: false
    ) { () throws(TraceFormatError) in try FileSink(recording: destination) }
    unsafe unlink(path)
    return outcome
  }
}
