/// Larger inputs are refused, with the line at which they became too large.
public enum BacktraceLimits {
  public static let bytes = 64 << 20
  public static let lines = 2_000_000
  public static let threads = 65_536
  /// Of all threads, as they are written.
  public static let frames = 1_000_000
  /// Of the stacks that the trees of one thread are unfolded into.
  public static let unfolded = 1_000_000
  public static let deepestTree = 4096
  public static let jsonValues = 3_000_000
  public static let deepestJSON = 16_384
  /// Of samples or of anything else.
  public static let count: UInt64 = 1_000_000_000_000
  /// Lines that one frame of a debugger may be broken into.
  public static let brokenLines = 64
}
