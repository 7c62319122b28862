import Scenario

/// A countdown while its scenario is played, as the program keeps it.
///
/// On return, the timer fires once for all points that came due meanwhile. So the fires that it lost are the intervals
/// since its last fire, without one.
struct RunningCountdown {
  let item: Scenario.Countdown
  private let everyNs: Int64
  /// The number that it shows, in nanoseconds.
  private var leftNs: Int64
  /// When the timer last fired, by the program's clock. Moved forward by the lost fires that were subtracted.
  private var lastNs: Int64

  /// `nowNs`: the time of the program's clock.
  init(_ item: Scenario.Countdown, nowNs: Int64) {
    self.item = item
    everyNs = Int64(clamping: max(item.everyNs, 1))
    leftNs = Int64(clamping: item.fromNs)
    lastNs = nowNs
  }

  /// Counts a fire. Returns whether the countdown is over.
  mutating func fire(nowNs: Int64) -> Bool {
    leftNs &-= everyNs
    lastNs = nowNs
    return leftNs <= 0
  }

  /// Subtracts the lost fires at a notification of the return. If the clock was set back, that adds fires.
  mutating func correct(nowNs: Int64) {
    let intervals = (nowNs &- lastNs) / everyNs
    let lostNs = (intervals > 0 ? intervals - 1 : intervals) &* everyNs
    leftNs &-= lostNs
    if !item.correctsEachTime { lastNs &+= lostNs }
  }
}
