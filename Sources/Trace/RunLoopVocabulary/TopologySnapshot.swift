/// The reasons why a recording stores the contents of a run loop.
package enum SnapshotReason: UInt64, Sendable, CaseIterable, Named {
  /// The loop's first run is about to begin.
  case start = 1
  /// The loop stays in one activity beyond the recording's threshold.
  case stall = 2
  /// A user asked for it while the program ran.
  case request = 3
  /// The program or the loop's thread ends, and the loop has items and never ran.
  case end = 4

  package var name: String {
    switch self {
    case .start: "start"
    case .stall: "stall"
    case .request: "request"
    case .end: "end"
    }
  }
}

/// The kinds of items in a run loop's modes.
package enum LoopItemKind: UInt64, Sendable, CaseIterable, Named {
  case source0 = 0
  case source1 = 1
  case observer = 2
  case timer = 3

  package var name: String {
    switch self {
    case .source0: "source0"
    case .source1: "source1"
    case .observer: "observer"
    case .timer: "timer"
    }
  }
}
