import TraceResults
import RunLoopVocabulary

/// Time of the modes that run while a finger is on the screen.
enum Tracking {
  /// Of one thread, or of all.
  static func timeNs(_ analysis: Analysis, thread: UInt32? = nil) -> UInt64 {
    analysis.modes.filter { ModeName.isTracking($0.mode) && (thread ?? $0.thread) == $0.thread }
      .map(\.timeNs).saturatedSum
  }

  /// The part of times by mode.
  static func partNs(_ byMode: [(mode: String, ns: UInt64)]) -> UInt64 {
    byMode.filter { ModeName.isTracking($0.mode) }.map(\.ns).saturatedSum
  }
}
