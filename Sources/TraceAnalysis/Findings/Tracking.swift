import TraceFormat

/// Modes that run while a finger is on the screen: those whose name says so.
enum Tracking {
  static func includes(_ mode: String) -> Bool { mode.has("Tracking") }

  /// The time of such modes, of one thread or of all.
  static func timeNs(_ analysis: Analysis, thread: UInt32? = nil) -> UInt64 {
    analysis.modes.filter { includes($0.mode) && (thread ?? $0.thread) == $0.thread }
      .reduce(0) { $0 &+ $1.timeNs }
  }

  /// Their part of times by mode.
  static func partNs(_ byMode: [(mode: String, ns: UInt64)]) -> UInt64 {
    byMode.filter { includes($0.mode) }.reduce(0) { $0 &+ $1.ns }
  }
}
