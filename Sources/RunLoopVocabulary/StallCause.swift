/// What held a thread for so long that people saw it.
public enum StallCause: String, Sendable, Named {
  /// Views that are laid out and drawn, text that is set.
  case drawing
  /// Waiting for a socket, or for a request over one.
  case network
  /// Waiting for files.
  case disk
  /// Computing.
  case cpu
  /// Waiting for what another thread holds or owes, perhaps for ever.
  case lock
  /// Waiting for the answer of another process of the same machine.
  case ipc
  /// The process did not run.
  case suspended
  /// No rule says.
  case unknown

  public var name: String { rawValue }

  public var words: String {
    switch self {
    case .drawing: "drawing and layout"
    case .network: "synchronous network"
    case .disk: "disk I/O"
    case .cpu: "CPU"
    case .lock: "lock or deadlock"
    case .ipc: "synchronous IPC"
    case .suspended: "suspended"
    case .unknown: "unknown"
    }
  }
}
