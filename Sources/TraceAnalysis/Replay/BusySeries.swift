/// How busy a thread was over time: equal bins of the analyzed span.
///
/// Time counts where the thread changes between busy and waiting, so a change costs one bin mostly.
struct BusySeries {
  static let bins = 120

  /// Busy, then waiting; made when the thread first runs a loop.
  private var times: UnsafeMutablePointer<UInt64>?
  private var from: UInt64 = 0
  private var width: UInt64 = 1
  private var since: UInt64 = 0
  private var state = State.outside

  private enum State { case outside, busy, waiting }

  func deallocate() { times?.deallocate() }

  mutating func span(from: UInt64, to: UInt64) {
    self.from = from
    width = max(1, (to - min(from, to)) / UInt64(BusySeries.bins) + 1)
  }

  @inline(__always)
  mutating func turn(toBusy: Bool, at time: UInt64) {
    flush(time)
    since = time
    state = toBusy ? .busy : .waiting
  }

  @inline(__always)
  private mutating func flush(_ time: UInt64) {
    guard state != .outside, time > since else { return }
    let times = times ?? allocate()
    let offset = state == .busy ? 0 : BusySeries.bins
    let first = bin(since)
    if first == bin(time) {
      times[offset &+ first] &+= time &- since
    } else {
      spread(times + offset, until: time)
    }
  }

  private func bin(_ time: UInt64) -> Int {
    time <= from ? 0 : min(Int((time &- from) / width), BusySeries.bins - 1)
  }

  private func spread(_ row: UnsafeMutablePointer<UInt64>, until time: UInt64) {
    var at = since
    while at < time {
      let bin = bin(at)
      let end = bin == BusySeries.bins - 1 ? time : min(time, from &+ UInt64(bin + 1) &* width)
      guard end > at else { return }
      row[bin] &+= end &- at
      at = end
    }
  }

  private mutating func allocate() -> UnsafeMutablePointer<UInt64> {
    // SAFETY: indexed by `bin`, below `bins`, in two rows.
    let made = UnsafeMutablePointer<UInt64>.allocate(capacity: 2 * BusySeries.bins)
    made.initialize(repeating: 0, count: 2 * BusySeries.bins)
    times = made
    return made
  }

  /// The thread did not run in between.
  mutating func skip(from: UInt64, to: UInt64) {
    flush(from)
    since = to
  }

  /// What is under way belongs to the time before.
  mutating func beginWindow() {
    times?.update(repeating: 0, count: 2 * BusySeries.bins)
    state = .outside
  }

  mutating func finish(at time: UInt64) {
    flush(time)
    state = .outside
  }

  /// Busy and waiting time of each bin, and where the bins begin; empty when the thread ran no loop.
  var rows: [(start: UInt64, busy: UInt64, waiting: UInt64)] {
    guard let times else { return [] }
    return (0..<BusySeries.bins).map {
      (from &+ UInt64($0) &* width, times[$0], times[BusySeries.bins + $0])
    }
  }
}
