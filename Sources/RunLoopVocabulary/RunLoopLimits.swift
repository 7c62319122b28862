/// Numbers of CFRunLoop.
public enum RunLoopLimits {
  /// The longest interval of a timer, and the longest time limit of a run, in seconds: what is longer is taken for this,
  /// and of a run for "no limit".
  public static let longestSeconds = 504_911_232.0
}
