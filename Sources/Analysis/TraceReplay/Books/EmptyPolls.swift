import RunLoopVocabulary

/// Runs that returned at once and served nothing. Many such runs are polling.
///
/// A run counts whether or not it waited: with a time limit of a microsecond, that depends on the machine. The number
/// of runs in a tenth of a second decides. A loop that draws 60 frames a second therefore does not poll. A busy
/// machine that rarely schedules the thread makes no difference.
package struct EmptyPolls {
  struct Limits {
    /// A run that took less time returned at once.
    let longest: Length
    let window: Length

    init(_ scale: TimeScale) {
      longest = scale.length(atLeastNs: PollRates.longestNs)
      window = max(scale.length(ns: EmptyPolls.windowNs), .unit)
    }
  }

  private static let windowNs: UInt64 = 100_000_000
  /// The numbers of empty polls in one window that count as polling, and as polling without a pause.
  private static let many = PollRates.perSecond.warning * Double(windowNs) / 1e9
  private static let veryMany = PollRates.perSecond.error * Double(windowNs) / 1e9

  /// The total number of empty polls.
  package private(set) var count: UInt64 = 0
  /// The time of windows with many empty polls, and the number of runs in them.
  private var time = Length.zero
  private var inTime: UInt64 = 0
  /// The part of `time` in windows with very many.
  private var fastTime = Length.zero
  private var start = Moment.never
  private var end = Moment.origin
  /// The current window, and the number of runs in it.
  private var windowStart = Moment.never
  private var windowEnd = Moment.origin
  private var last = Moment.origin
  private var inWindow: UInt64 = 0
  /// The row of the callout that starts the runs, -1 = none. If there are several, the row of the first.
  package private(set) var caller: Int32 = -1
  package private(set) var hasSeveralCallers = false

  mutating func add(from begin: Moment, to time: Moment, caller: Int32, _ limits: Limits) {
    if count == 0 { self.caller = caller }
    if caller != self.caller { hasSeveralCallers = true }
    count &+= 1
    if inWindow == 0 || time > windowEnd {
      // A window lasts until the next run, unless a pause comes before it.
      close(until: begin > windowEnd &+ limits.window ? windowEnd : max(begin, windowEnd))
      windowStart = begin
      windowEnd = begin &+ limits.window
      inWindow = 0
    }
    inWindow &+= 1
    last = time
  }

  private mutating func close(until time: Moment) {
    guard inWindow > 0 else { return }
    let length = time.since(windowStart)
    // The number of runs in the time of one window.
    let share = Double(windowEnd.since(windowStart).rawValue) / Double(max(length.rawValue, 1))
    let rate = Double(inWindow) * min(share, 1)
    guard rate >= EmptyPolls.many else { return }
    self.time &+= length
    inTime &+= inWindow
    if rate >= EmptyPolls.veryMany { fastTime &+= length }
    start = min(start, windowStart)
    end = max(end, time)
  }

  /// The runs in windows with many empty polls; nil = no polling. These windows lie between `start` and `end` and
  /// last `time` together, `fastTime` with very many.
  package var polling: (count: UInt64, time: Length, fastTime: Length, start: Moment, end: Moment)? {
    var all = self
    all.close(until: last)
    return all.inTime > 0 ? (all.inTime, all.time, all.fastTime, all.start, all.end) : nil
  }
}
