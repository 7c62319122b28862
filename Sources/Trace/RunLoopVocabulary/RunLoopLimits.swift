/// Constants of CFRunLoop.
package enum RunLoopLimits {
  /// The longest interval of a timer and the longest time limit of a run, in seconds. Longer intervals count as this
  /// one, and longer time limits as "no limit".
  package static let longestSeconds = 504_911_232.0
}
