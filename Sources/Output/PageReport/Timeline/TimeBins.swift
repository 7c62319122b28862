/// Equal parts of a span of time. The last one may extend beyond the span.
struct TimeBins {
  let start: UInt64
  let width: UInt64
  let count: Int
  private var last = 0
  private var lastStart: UInt64

  init(from start: UInt64, to end: UInt64, atMost limit: Int) {
    self.start = start
    lastStart = start
    let length = max(end &- start, 1)
    // Rounded up without a sum that could overflow: a trace that is refused later may have any times.
    width = (length &- 1) / UInt64(limit) &+ 1
    count = Int((length &- 1) / width) &+ 1
  }

  /// Returns the bin of a moment. A moment outside the span belongs to the bin at that end.
  @inline(__always)
  mutating func index(_ time: UInt64) -> Int {
    // It is usually the bin of the previous moment. A division would cost more than the rest of a mark.
    if time &- lastStart < width { return last }
    return find(time)
  }

  private mutating func find(_ time: UInt64) -> Int {
    let bin = time <= start ? 0 : Int(truncatingIfNeeded: min((time &- start) / width, UInt64(count &- 1)))
    last = bin
    lastStart = start &+ UInt64(bin) &* width
    return bin
  }

  /// Returns the bin that contains the whole span of time; nil if there is none.
  mutating func onlyIndex(_ from: UInt64, _ to: UInt64) -> Int? {
    let bin = index(from)
    return from >= lastStart && to >= from && to &- lastStart < width ? bin : nil
  }

  /// Calls `body` with each bin that a span of time overlaps, and the length of the overlap.
  @inline(__always)
  mutating func split(_ from: UInt64, _ to: UInt64, _ body: (Int, UInt64) -> Void) {
    var time = max(from, start)
    guard to > time else { return }
    var bin = index(time)
    while bin &+ 1 < count {
      let edge = start &+ UInt64(bin &+ 1) &* width
      if to <= edge { break }
      body(bin, edge &- time)
      time = edge
      bin &+= 1
    }
    body(bin, to &- time)
  }
}
