/// The causes that hold a thread long enough for people to notice.
public enum StallCause: String, Sendable, Named {
  /// Layout and drawing of views and text.
  case drawing
  /// Waiting for a socket, or for a request over a socket.
  case network
  /// Waiting for files.
  case disk
  /// Computing.
  case cpu
  /// Waiting for a lock that another thread holds, possibly indefinitely.
  case lock
  /// Waiting until a dispatch queue has run the blocks before this one.
  case queue
  /// Waiting until other threads do something: signal a semaphore, leave a group, end.
  case wait
  /// Waiting for the answer of another process on the same machine.
  case ipc
  /// Sleeping for a time that the program chose.
  case sleep
  /// The process did not run.
  case suspended
  /// No rule gives a cause.
  case unknown

  package var name: String { rawValue }

  /// Whether the thread slept or waited, and did not compute.
  package var isWait: Bool {
    switch self {
    case .network, .disk, .lock, .queue, .wait, .ipc, .sleep: true
    case .drawing, .cpu, .suspended, .unknown: false
    }
  }

  /// The cause as part of a sentence.
  public var words: String {
    switch self {
    case .drawing: "drawing and layout"
    case .network: "synchronous network"
    case .disk: "disk I/O"
    case .cpu: "CPU"
    case .lock: "waiting for a lock"
    case .queue: "waiting for a dispatch queue"
    case .wait: "waiting for other threads"
    case .ipc: "synchronous IPC"
    case .sleep: "sleeping"
    case .suspended: "suspended"
    case .unknown: "unknown"
    }
  }
}
