/// How busy a thread was over time: equal bins of the analyzed span.
///
/// Time counts where the thread changes between busy and waiting, so a change costs one bin mostly.
package struct BusySeries: ~Copyable {
  static let bins = 120

  /// A part of the span: the thread's time in it.
  package typealias Bin = (start: Moment, busy: Length, waiting: Length)

  /// Busy, then waiting; made when the thread first runs a loop.
  private var times = Rows<Length>()
  private var from: Moment = .origin
  private var width = Length.unit
  /// The bin that time was booked to last: no division while it goes on.
  private var bin = 0
  private var binStart = Moment.never
  private var binEnd: Moment = .origin
  private var since: Moment = .origin
  private var state = State.outside

  private enum State { case outside, busy, waiting }

  /// The times as of when the thread ended its last run, while it is not known whether another follows.
  private var atPause: [Length] = []

  mutating func span(from: Moment, to: Moment) {
    self.from = from
    width = to.since(from) / UInt64(BusySeries.bins) &+ .unit
    binStart = .never
    binEnd = .origin
  }

  @inline(__always)
  mutating func turn(toBusy: Bool, at time: Moment) {
    flush(time)
    since = time
    state = toBusy ? .busy : .waiting
  }

  /// Busy until `time`, then waiting until `next`.
  @inline(__always)
  mutating func pause(from time: Moment, to next: Moment) {
    if since >= binStart, next <= binEnd, state == .busy, time > since, next >= time {
      times[bin] &+= time &- since
      times[BusySeries.bins &+ bin] &+= next &- time
      since = next
    } else {
      pauseAnywhere(from: time, to: next)
    }
  }

  /// As often: busy until each `from`, then waiting until each `to`, which is `waiting` all in all.
  @inline(__always)
  mutating func pause(_ number: Int, from: (Int) -> Moment, to: (Int) -> Moment, waiting: Length) {
    let end = to(number &- 1)
    if since >= binStart, end <= binEnd, state == .busy {
      times[bin] &+= end &- since &- waiting
      times[BusySeries.bins &+ bin] &+= waiting
      since = end
    } else {
      for i in 0..<number { pause(from: from(i), to: to(i)) }
    }
  }

  @inline(never)
  private mutating func pauseAnywhere(from time: Moment, to next: Moment) {
    turn(toBusy: false, at: time)
    turn(toBusy: true, at: next)
  }

  @inline(__always)
  private mutating func flush(_ time: Moment) {
    guard state != .outside, time > since else { return }
    if times.isMissing { allocate() }
    let first = state == .busy ? 0 : BusySeries.bins
    if since >= binStart, time <= binEnd {
      times[first &+ bin] &+= time &- since
    } else {
      spread(from: first, until: time)
    }
  }

  @inline(never)
  private mutating func spread(from first: Int, until time: Moment) {
    var at = since
    while at < time {
      enterBin(of: at)
      let end = min(time, binEnd)
      guard end > at else { return }
      times[first &+ bin] &+= end &- at
      at = end
    }
  }

  /// What comes before the first bin belongs to it, what comes after the last one to that.
  private mutating func enterBin(of time: Moment) {
    bin = time <= from ? 0 : min(Int((time &- from) / width), BusySeries.bins - 1)
    binStart = bin == 0 ? .origin : from &+ width &* bin
    binEnd = bin == BusySeries.bins - 1 ? .never : from &+ width &* (bin + 1)
  }

  @inline(never)
  private mutating func allocate() { times = Rows(repeating: .zero, count: 2 * BusySeries.bins) }

  /// The thread did not run in between.
  mutating func skip(from: Moment, to: Moment) {
    flush(from)
    since = to
  }

  /// The thread ended its last run at `time`, was suspended since, and may not be busy any more.
  mutating func pause(at time: Moment) {
    flush(time)
    since = max(since, time)
    atPause = (0..<2 * BusySeries.bins).map { times.isMissing ? .zero : times[$0] }
  }

  /// It went on.
  mutating func keepPause() { atPause = [] }

  /// It did not: what was added since counts to nothing.
  mutating func dropPause() {
    if !times.isMissing { for (place, time) in atPause.enumerated() { times[place] = time } }
    atPause = []
    state = .outside
  }

  /// What is under way belongs to the time before.
  mutating func beginWindow() {
    times.reset(to: .zero)
    atPause = []
    state = .outside
  }

  mutating func finish(at time: Moment) {
    flush(time)
    state = .outside
  }

  /// The thread ran a loop.
  var isThere: Bool { !times.isMissing }

  /// Busy and waiting time of each bin, and where the bins begin; empty when the thread ran no loop.
  var rows: [Bin] {
    guard !times.isMissing else { return [] }
    return (0..<BusySeries.bins).map {
      (from &+ width &* $0, times[$0], times[BusySeries.bins + $0])
    }
  }
}
