/// The busy and waiting time of a thread over the analyzed span, in equal bins.
///
/// Time is booked when the thread changes between busy and waiting, so a change usually updates only one bin.
package struct BusySeries: ~Copyable {
  static let bins = 120

  /// A part of the span with the thread's time in it.
  package typealias Bin = (start: Moment, busy: Length, waiting: Length)

  /// The busy times, then the waiting times. Allocated when the thread first runs a loop.
  private var times = Rows<Length>()
  private var from: Moment = .origin
  private var width = Length.unit
  /// The bin that was booked last, so that time in the same bin needs no division.
  private var bin = 0
  private var binStart = Moment.never
  private var binEnd: Moment = .origin
  private var since: Moment = .origin
  private var state = State.outside

  private enum State { case outside, busy, waiting }

  /// A copy of `times` from the end of the last run; empty once it is known whether another run follows.
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

  /// Books busy time until `time`, then waiting until `next`.
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

  /// Books `number` changes: busy until each `from`, then waiting until each `to`. `waiting` is the total waiting
  /// time.
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

  /// Moves to the bin that contains a time. Earlier times count in the first bin, later ones in the last.
  private mutating func enterBin(of time: Moment) {
    bin = time <= from ? 0 : min(Int((time &- from) / width), BusySeries.bins - 1)
    binStart = bin == 0 ? .origin : from &+ width &* bin
    binEnd = bin == BusySeries.bins - 1 ? .never : from &+ width &* (bin + 1)
  }

  @inline(never)
  private mutating func allocate() { times = Rows(repeating: .zero, count: 2 * BusySeries.bins) }

  /// Skips a suspension.
  mutating func skip(from: Moment, to: Moment) {
    flush(from)
    since = to
  }

  /// Notes a suspension after the thread's last run, which ended at `time`. The thread may no longer be busy.
  mutating func pause(at time: Moment) {
    flush(time)
    since = max(since, time)
    atPause = (0..<2 * BusySeries.bins).map { times.isMissing ? .zero : times[$0] }
  }

  /// Keeps the time since the pause: another run followed.
  mutating func keepPause() { atPause = [] }

  /// Drops the time since the pause: no other run followed.
  mutating func dropPause() {
    if !times.isMissing { for (place, time) in atPause.enumerated() { times[place] = time } }
    atPause = []
    state = .outside
  }

  /// Forgets all times before `time`. A wait in progress goes on; a busy interval belongs to the time before.
  mutating func beginWindow(_ time: Moment) {
    times.reset(to: .zero)
    atPause = []
    since = max(since, time)
    if state == .busy { state = .outside }
  }

  mutating func finish(at time: Moment) {
    flush(time)
    state = .outside
  }

  /// Whether the thread ran a loop.
  var isThere: Bool { !times.isMissing }

  /// The start, the busy time and the waiting time of each bin; empty if the thread ran no loop.
  var rows: [Bin] {
    guard !times.isMissing else { return [] }
    return (0..<BusySeries.bins).map {
      (from &+ width &* $0, times[$0], times[BusySeries.bins + $0])
    }
  }
}
