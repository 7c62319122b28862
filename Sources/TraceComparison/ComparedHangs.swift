/// Busy intervals of 250 ms and more, each as long as it counts as a hang.
public struct HangTimes: Sendable, Equatable {
  public var count: UInt64 = 0
  /// 0 without any.
  public var longestNs: UInt64 = 0
  public var timeNs: UInt64 = 0
  /// Those that may be shorter than they seem: in none of the numbers above.
  public var uncertain: UInt64 = 0

  func adding(_ other: HangTimes) -> HangTimes {
    HangTimes(
      count: count &+ other.count, longestNs: max(longestNs, other.longestNs),
      timeNs: timeNs.saturated(adding: other.timeNs), uncertain: uncertain &+ other.uncertain)
  }
}

/// The hangs of both traces: how long the longest was, and all of them. Their number is a count.
public struct ComparedHangs: Sendable {
  public var base: HangTimes
  public var new: HangTimes
  /// Of the longest.
  public var longest: Difference
  /// Of the sum.
  public var sum: Difference

  public var difference: Difference { max(longest, sum) }
}
