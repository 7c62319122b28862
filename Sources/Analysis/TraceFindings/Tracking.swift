import TraceResults

/// The time of the modes that run while a finger is on the screen.
enum Tracking {
  /// Returns the tracking time of one thread, or of all threads.
  static func timeNs(_ analysis: Analysis, thread: UInt32? = nil) -> UInt64 {
    analysis.modes.filter { ModeName.isTracking($0.mode) && (thread ?? $0.thread) == $0.thread }
      .map(\.timeNs).saturatedSum
  }

  /// Returns the sum of the times in tracking modes.
  static func partNs(_ byMode: [(mode: String, ns: UInt64)]) -> UInt64 {
    byMode.filter { ModeName.isTracking($0.mode) }.map(\.ns).saturatedSum
  }
}
