/// The hangs of a trace or mode: busy intervals of at least 250 ms, each with the length that counts for a hang.
package struct HangTimes: Sendable, Equatable {
  package var count: UInt64 = 0
  /// 0 if there are no hangs.
  package var longestNs: UInt64 = 0
  package var timeNs: UInt64 = 0
  /// The number of intervals that may be shorter than they seem. They are in none of the other numbers.
  package var uncertain: UInt64 = 0

  func adding(_ other: HangTimes) -> HangTimes {
    HangTimes(
      count: count &+ other.count, longestNs: max(longestNs, other.longestNs),
      timeNs: timeNs.saturated(adding: other.timeNs), uncertain: uncertain &+ other.uncertain)
  }
}

/// The hangs of both traces: the longest one and their total. Their number is compared as a count.
package struct ComparedHangs: Sendable {
  package var base: HangTimes
  package var new: HangTimes
  /// The difference between the longest hangs.
  package var longest: Difference
  /// The difference between the total times.
  package var sum: Difference

  package var difference: Difference { max(longest, sum) }
}
