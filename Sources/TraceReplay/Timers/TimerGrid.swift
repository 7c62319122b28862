/// CFRunLoop's rule for the next fire date of a timer that repeats.
enum TimerGrid {
  /// The first of the points `point + k * interval`, k = 1, 2 …, behind `now`, as it is after the callout.
  ///
  /// `interval` is not 0. O(1).
  static func next<Time: FixedWidthInteger>(after now: Time, from point: Time, _ interval: Time) -> Time {
    guard point <= now else { return point &+ interval }
    return point &+ ((now &- point) / interval &+ 1) &* interval
  }
}
