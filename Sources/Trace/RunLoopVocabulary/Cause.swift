/// The reasons why a timer does not fire at a due point, in the order of the ledger of lateness. The first one
/// that holds applies.
public enum Cause: Int, Sendable, Named {
  /// The process did not run, according to recorded evidence.
  case suspended
  /// Events were lost, or the recording does not show the cause.
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
  /// The rest: the loop was waiting or about to wait, and the wake-up came late.
  case scheduler

  /// The causes of missed points that the program can avoid. They count alike when a timer is judged.
  package static let ofProgram: [Cause] = [.wrongMode, .busy, .ownCallout, .notRunning]

  /// The name in tables, such as `wrong_mode`.
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

/// Amounts, indexed by `Cause.rawValue`. A test fails when there are more causes than elements.
@usableFromInline package typealias CauseAmounts = SIMD8<UInt64>
