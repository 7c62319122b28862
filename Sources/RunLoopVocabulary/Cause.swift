/// Why a due point found its timer not firing: the order is that of the ledger of lateness, the first that holds counts.
public enum Cause: Int, Sendable, Named {
  /// The process did not run, by recorded evidence.
  case suspended
  /// Events were lost, or the recording cannot tell.
  case unknown
  /// No run of the timer's loop was active on its thread.
  case notRunning
  /// The timer's own callout was on the stack.
  case ownCallout
  /// The innermost run's mode lacks the timer, whatever runs in it.
  case wrongMode
  /// A callout or observer was running.
  case busy
  /// Within the timer's tolerance.
  case tolerance
  /// The rest: the loop was waiting or about to, and the wake-up came late.
  case scheduler

  public var name: String {
    switch self {
    case .suspended: "suspended"
    case .unknown: "unknown"
    case .notRunning: "not_running"
    case .ownCallout: "own_callout"
    case .wrongMode: "wrong_mode"
    case .busy: "busy"
    case .tolerance: "tolerance"
    case .scheduler: "scheduler"
    }
  }
}

/// Amounts by `Cause.rawValue`. A test fails when a cause has no room in it.
public typealias CauseAmounts = SIMD8<UInt64>
