import CRLTraceShims
import TraceRecorder

/// Why a program's recording holds nothing.
enum NoRunReason {
  static func text(command: String, _ spool: Spool) -> String {
    if !spool.hasSeen(Int(RLT_SEEN_PROCESS)) {
      return "the preloaded library did not get into \(command)"
    }
    if !spool.hasSeen(Int(RLT_SEEN_FOUNDATION)) {
      return "\(command) does not use CFRunLoop (it never loaded Foundation)"
    }
    return "\(command) has CFRunLoop and never ran one (dispatchMain() and an async main do not)"
  }
}
