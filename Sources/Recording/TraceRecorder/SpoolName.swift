/// The names of the traces and spools of a recording.
package enum SpoolName {
  package static let spoolSuffix = ".spool"
  package static let traceSuffix = ".rltrace"
  /// The suffix of the unfinished trace of a killed recorder, while that trace is being recovered.
  package static let begunSuffix = ".begun"

  /// Returns the path of the spool beside a trace: NAME.rltrace.spool, even if the trace has no suffix.
  package static func path(trace: String) -> String {
    (trace.hasSuffix(traceSuffix) ? trace : trace + traceSuffix) + spoolSuffix
  }

  /// Returns the trace that a spool belongs to, or nil if the spool does not have a spool's name.
  package static func trace(spool: String) -> String? {
    spool.hasSuffix(traceSuffix + spoolSuffix) ? String(spool.dropLast(spoolSuffix.count)) : nil
  }

  /// Returns the trace of another process of a recording: NAME.PID.rltrace, and NAME.PID-2.rltrace if it executed
  /// another program.
  package static func trace(_ root: String, process: Int32, number: Int) -> String {
    "\(stem(root)).\(process)\(number > 1 ? "-\(number)" : "")\(traceSuffix)"
  }

  /// Returns the name of a trace without `.rltrace`. The names of the recording's other files begin with it.
  package static func stem(_ trace: String) -> String {
    trace.hasSuffix(traceSuffix) ? String(trace.dropLast(traceSuffix.count)) : trace
  }
}
