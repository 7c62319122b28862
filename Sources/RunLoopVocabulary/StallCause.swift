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
  /// Waiting for a lock or a queue that another thread holds, perhaps for ever.
  case lock
  /// Waiting for what other threads have yet to do: to signal a semaphore, to leave a group, to end.
  case wait
  /// Waiting for the answer of another process of the same machine.
  case ipc
  /// Sleeping for a time that the program chose.
  case sleep
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
    case .wait: "waiting for other threads"
    case .ipc: "synchronous IPC"
    case .sleep: "sleeping"
    case .suspended: "suspended"
    case .unknown: "unknown"
    }
  }
}
