import CRLTraceShims
import TraceFormat

/// The processes that a spool names.
extension Spool {
  /// The process that records into the spool, 0 = none yet.
  package var programID: Int32 { unsafe Int32(bitPattern: header.pointee.program_pid) }

  /// The process that records into the spool; 0 if there is none, or if it belongs to another container, where its id
  /// has no meaning here.
  package var visibleProgramID: Int32 {
    let space = unsafe header.pointee.pid_namespace
    return space != 0 && space == Spool.pidNamespace ? programID : 0
  }

  /// When that process began; 0 = not known, or counted in another namespace.
  var programStart: UInt64 { visibleProgramID > 0 ? unsafe header.pointee.program_start : 0 }

  /// Whether the process id belongs to another namespace. Here it may be the id of an unrelated process.
  var programIsElsewhere: Bool { Spool.isElsewhere(unsafe header.pointee.pid_namespace) }
  var recorderIsElsewhere: Bool { Spool.isElsewhere(unsafe header.pointee.recorder_namespace) }
  private static func isElsewhere(_ space: UInt64) -> Bool { space != 0 && space != pidNamespace }

  /// When the recorder began; 0 = not known, or counted in another namespace.
  var recorderStart: UInt64 {
    unsafe header.pointee.recorder_namespace == Spool.pidNamespace ? header.pointee.recorder_start : 0
  }

  private static let pidNamespace = rlt_pid_namespace()

  /// The process that drains the spool, 0 = none.
  package var recorderID: Int32 { unsafe Int32(bitPattern: header.pointee.recorder_pid) }
}
