/// How traces and spools of a recording are named.
public enum SpoolName {
  public static let spoolSuffix = ".spool"
  public static let traceSuffix = ".rltrace"
  /// Of what a killed recorder had written of a trace, while that is recovered.
  public static let begunSuffix = ".begun"

  /// The spool beside a trace: NAME.rltrace.spool, whatever the trace is called.
  public static func path(trace: String) -> String {
    (trace.hasSuffix(traceSuffix) ? trace : trace + traceSuffix) + spoolSuffix
  }

  /// The trace that a spool belongs to; nil when it is not named like one.
  public static func trace(spool: String) -> String? {
    spool.hasSuffix(traceSuffix + spoolSuffix) ? String(spool.dropLast(spoolSuffix.count)) : nil
  }

  /// The trace of another process of a recording: NAME.PID.rltrace, and NAME.PID-2.rltrace when it executed another program.
  public static func trace(_ root: String, process: Int32, number: Int) -> String {
    "\(stem(root)).\(process)\(number > 1 ? "-\(number)" : "")\(traceSuffix)"
  }

  /// The name of a trace without `.rltrace`: names of other files of the recording begin with it.
  public static func stem(_ trace: String) -> String {
    trace.hasSuffix(traceSuffix) ? String(trace.dropLast(traceSuffix.count)) : trace
  }
}
