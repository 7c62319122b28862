/// CFRunLoop's rule for the next fire date of a repeating timer.
@usableFromInline package enum TimerGrid {
  /// Returns the first of the points `point + k * interval`, k = 1, 2 …, after `now`, the time at the end of the
  /// callout.
  ///
  /// `interval` must not be 0. O(1).
  @inlinable
  package static func next<Time: FixedWidthInteger>(
    after now: Time, from point: Time, _ interval: Time
  ) -> Time {
    guard point <= now else { return point &+ interval }
    return point &+ ((now &- point) / interval &+ 1) &* interval
  }
}
