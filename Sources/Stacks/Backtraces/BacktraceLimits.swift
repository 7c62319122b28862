/// Limits on texts with stacks. Larger inputs are refused, with the line at which they exceed a limit.
package enum BacktraceLimits {
  /// Bytes of text. Beyond: text refused.
  package static let bytes = 1 << 24
  /// Lines. Beyond: text refused.
  package static let lines = 1 << 18
  /// Threads. Beyond: text refused.
  package static let threads = 1 << 13
  /// Calls of all threads, as written. Beyond: text refused.
  package static let calls = 1 << 18
  /// Different frames. Beyond: text refused.
  package static let frames = 1 << 16
  /// Frames of all stacks of the judged threads. Beyond: text refused. A tree of calls unfolds into the stacks of its
  /// leaves.
  package static let unfolded = 1 << 20
  /// Nested calls. Beyond: text refused.
  package static let deepestTree = 4096
  /// JSON values. Beyond: text refused.
  package static let jsonValues = 1 << 18
  /// Nested JSON values. Beyond: text refused.
  package static let deepestJSON = 1 << 14
  /// Samples of a call. Beyond: text refused.
  package static let count: UInt64 = 1_000_000_000_000
  /// Facts that a report states. Beyond: left out.
  package static let facts = 256
  /// Lines of one frame. Beyond: not read as a frame.
  package static let brokenLines = 64
}
