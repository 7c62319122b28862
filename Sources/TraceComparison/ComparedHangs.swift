/// The hangs of a trace or mode: busy intervals of at least 250 ms, each with the length that counts for a hang.
public struct HangTimes: Sendable, Equatable {
  public var count: UInt64 = 0
  /// 0 if there are no hangs.
  public var longestNs: UInt64 = 0
  public var timeNs: UInt64 = 0
  /// The number of intervals that may be shorter than they seem. They are in none of the other numbers.
  public var uncertain: UInt64 = 0

  func adding(_ other: HangTimes) -> HangTimes {
    HangTimes(
      count: count &+ other.count, longestNs: max(longestNs, other.longestNs),
      timeNs: timeNs.saturated(adding: other.timeNs), uncertain: uncertain &+ other.uncertain)
  }
}

/// The hangs of both traces: the longest one and their total. Their number is compared as a count.
public struct ComparedHangs: Sendable {
  public var base: HangTimes
  public var new: HangTimes
  /// The difference between the longest hangs.
  public var longest: Difference
  /// The difference between the total times.
  public var sum: Difference

  public var difference: Difference { max(longest, sum) }
}
