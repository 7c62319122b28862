import RunLoopVocabulary

/// Larger inputs are refused, with the line at which they became too large.
public enum BacktraceLimits {
  public static let bytes = 1 << 24
  public static let lines = 1 << 18
  public static let threads = 1 << 13
  /// Of all threads, as they are written.
  public static let calls = 1 << 18
  public static let frames = 1 << 16
  /// Of the stacks that the trees of all judged threads are unfolded into.
  public static let unfolded = 1 << 20
  public static let deepestTree = 4096
  public static let jsonValues = 1 << 18
  public static let deepestJSON = 1 << 14
  /// Of samples or of anything else.
  public static let count: UInt64 = 1_000_000_000_000
  /// Lines that one frame of a debugger may be broken into.
  public static let brokenLines = 64

  /// All of them.
  public static let all = [
    refused("bytes", bytes, "bytes of text"),
    refused("lines", lines, "lines"),
    refused("threads", threads, "threads"),
    refused("calls", calls, "calls of all threads, as they are written"),
    refused("frames", frames, "frames that differ"),
    refused("unfolded", unfolded, "frames of all stacks that the judged threads' calls are unfolded into"),
    refused("deepestTree", deepestTree, "calls inside each other"),
    refused("jsonValues", jsonValues, "values of JSON"),
    refused("deepestJSON", deepestJSON, "values of JSON inside each other"),
    refused("count", count, "samples of a call"),
    Limit(
      "brokenLines", brokenLines, of: "lines that a debugger breaks a frame into",
      beyond: "taken for no frame"),
  ]

  private static func refused(_ name: String, _ value: some BinaryInteger, _ of: String) -> Limit {
    Limit(name, value, of: of, beyond: "the text is refused")
  }
}
