/// Runs that returned at once and had served nothing: somebody polls where they are many.
///
/// A run counts whether it waited for a moment or not: which of the two happens to one that is given a microsecond depends on
/// the machine. What counts is how many there are in a tenth of a second, so a loop that draws 240 frames a second is
/// none, and a busy machine, on which the thread often has to stand back, makes no difference.
package struct EmptyPolls {
  struct Limits {
    /// A run that took less returned at once.
    let longest: Length
    let window: Length

    init(_ scale: TimeScale) {
      longest = scale.length(atLeastNs: 2_000_000)
      window = max(scale.length(ns: 100_000_000), .unit)
    }
  }

  /// In one window: 500 in a second.
  private static let many: UInt64 = 50

  /// All of them.
  package private(set) var count: UInt64 = 0
  /// Of windows with many: their time, and the runs in them.
  private var time = Length.zero
  private var inTime: UInt64 = 0
  private var start = Moment.never
  private var end = Moment.origin
  /// The window under way, and those in it.
  private var windowStart = Moment.never
  private var windowEnd = Moment.origin
  private var last = Moment.origin
  private var inWindow: UInt64 = 0
  /// Row of the callout that they are called in, -1 = none; of several, the first one's.
  package private(set) var caller: Int32 = -1
  package private(set) var hasSeveralCallers = false

  mutating func add(from begin: Moment, to time: Moment, caller: Int32, _ limits: Limits) {
    if count == 0 { self.caller = caller }
    if caller != self.caller { hasSeveralCallers = true }
    count &+= 1
    if inWindow == 0 || time > windowEnd {
      close(until: windowEnd)
      windowStart = begin
      windowEnd = begin &+ limits.window
      inWindow = 0
    }
    inWindow &+= 1
    last = time
  }

  private mutating func close(until time: Moment) {
    guard inWindow >= EmptyPolls.many else { return }
    self.time &+= time.since(windowStart)
    inTime &+= inWindow
    start = min(start, windowStart)
    end = max(end, time)
  }

  /// The polling, nil where there was none: so many runs in the windows that have many, which lie between `start` and `end`
  /// and make `time` together.
  package var polling: (count: UInt64, time: Length, start: Moment, end: Moment)? {
    var all = self
    all.close(until: last)
    return all.inTime > 0 ? (all.inTime, all.time, all.start, all.end) : nil
  }
}
