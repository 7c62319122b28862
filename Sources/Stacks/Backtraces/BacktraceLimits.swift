import RunLoopVocabulary

/// Limits on texts with stacks. Larger inputs are refused, with the line at which they exceed a limit.
package enum BacktraceLimits {
  package static let bytes = 1 << 24
  package static let lines = 1 << 18
  package static let threads = 1 << 13
  /// Calls of all threads, as written.
  package static let calls = 1 << 18
  package static let frames = 1 << 16
  /// Frames of all stacks that the trees of the judged threads unfold into.
  package static let unfolded = 1 << 20
  package static let deepestTree = 4096
  package static let jsonValues = 1 << 18
  package static let deepestJSON = 1 << 14
  /// The largest number of samples.
  package static let count: UInt64 = 1_000_000_000_000
  /// Facts that a report states, and notes on what is missing from it.
  package static let facts = 256
  /// Lines over which a debugger may break one frame.
  package static let brokenLines = 64

  package static let all = [
    Limit("bytes", bytes, of: "bytes of text", refusing: "text"),
    Limit("lines", lines, of: "lines", refusing: "text"),
    Limit("threads", threads, of: "threads", refusing: "text"),
    Limit("calls", calls, of: "calls of all threads, as written", refusing: "text"),
    Limit("frames", frames, of: "different frames", refusing: "text"),
    Limit(
      "unfolded", unfolded, of: "frames of all stacks of the judged threads",
      refusing: "text"),
    Limit("deepestTree", deepestTree, of: "nested calls", refusing: "text"),
    Limit("jsonValues", jsonValues, of: "JSON values", refusing: "text"),
    Limit("deepestJSON", deepestJSON, of: "nested JSON values", refusing: "text"),
    Limit("count", count, of: "samples of a call", refusing: "text"),
    Limit("facts", facts, of: "facts that a report states", beyond: "left out"),
    Limit(
      "brokenLines", brokenLines, of: "lines of one frame",
      beyond: "not read as a frame"),
  ]
}
