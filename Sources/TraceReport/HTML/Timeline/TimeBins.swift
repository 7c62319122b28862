/// Equal parts of a span of time. The last may reach beyond the span.
struct TimeBins {
  let start: UInt64
  let width: UInt64
  let count: Int

  init(from start: UInt64, to end: UInt64, atMost limit: Int) {
    self.start = start
    let length = max(end &- start, 1)
    width = (length &+ UInt64(limit) &- 1) / UInt64(limit)
    count = Int((length &+ width &- 1) / width)
  }

  /// The bin of a moment; one outside the span belongs to its end.
  @inline(__always)
  func index(_ time: UInt64) -> Int {
    time <= start ? 0 : Int(truncatingIfNeeded: min((time &- start) / width, UInt64(count &- 1)))
  }

  /// Calls `body` with each bin that a span of time has part in, and that part.
  @inline(__always)
  func split(_ from: UInt64, _ to: UInt64, _ body: (Int, UInt64) -> Void) {
    var time = max(from, start)
    guard to > time else { return }
    var bin = index(time)
    let last = index(to &- 1)
    while bin < last {
      let edge = start &+ UInt64(bin &+ 1) &* width
      body(bin, edge &- time)
      time = edge
      bin &+= 1
    }
    body(last, to &- time)
  }
}
