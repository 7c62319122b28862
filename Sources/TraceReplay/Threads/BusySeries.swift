/// How busy a thread was over time: equal bins of the analyzed span.
///
/// Time counts where the thread changes between busy and waiting, so a change costs one bin mostly.
struct BusySeries: ~Copyable {
  static let bins = 120

  /// Busy, then waiting; made when the thread first runs a loop.
  private var times: UnsafeMutablePointer<UInt64>?
  private var from: UInt64 = 0
  private var width: UInt64 = 1
  /// The bin that time was booked to last: no division while it goes on.
  private var bin = 0
  private var binStart = UInt64.max
  private var binEnd: UInt64 = 0
  private var since: UInt64 = 0
  private var state = State.outside

  private enum State { case outside, busy, waiting }

  /// The times as of when the thread ended its last run, while it is not known whether another follows.
  private var atPause: [UInt64] = []

  deinit { times?.deallocate() }

  mutating func span(from: UInt64, to: UInt64) {
    self.from = from
    width = max(1, (to - min(from, to)) / UInt64(BusySeries.bins) + 1)
    binStart = .max
    binEnd = 0
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
    let row = times + (state == .busy ? 0 : BusySeries.bins)
    if since >= binStart, time <= binEnd {
      row[bin] &+= time &- since
    } else {
      spread(row, until: time)
    }
  }

  @inline(never)
  private mutating func spread(_ row: UnsafeMutablePointer<UInt64>, until time: UInt64) {
    var at = since
    while at < time {
      enterBin(of: at)
      let end = min(time, binEnd)
      guard end > at else { return }
      row[bin] &+= end &- at
      at = end
    }
  }

  /// What comes before the first bin belongs to it, what comes after the last one to that.
  private mutating func enterBin(of time: UInt64) {
    bin = time <= from ? 0 : min(Int((time &- from) / width), BusySeries.bins - 1)
    binStart = bin == 0 ? 0 : from &+ UInt64(bin) &* width
    binEnd = bin == BusySeries.bins - 1 ? .max : from &+ UInt64(bin + 1) &* width
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

  /// The thread ended its last run at `time`, was suspended since, and may not be busy any more.
  mutating func pause(at time: UInt64) {
    flush(time)
    since = max(since, time)
    atPause =
      times.map { Array(UnsafeBufferPointer(start: $0, count: 2 * BusySeries.bins)) }
      ?? Array(repeating: 0, count: 2 * BusySeries.bins)
  }

  /// It went on.
  mutating func keepPause() { atPause = [] }

  /// It did not: what was added since counts to nothing.
  mutating func dropPause() {
    if let times, !atPause.isEmpty { times.update(from: atPause, count: atPause.count) }
    atPause = []
    state = .outside
  }

  /// What is under way belongs to the time before.
  mutating func beginWindow() {
    times?.update(repeating: 0, count: 2 * BusySeries.bins)
    atPause = []
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
