/// The marks of one lane: all of them while they are few, otherwise those at the beginning, at the end, and around
/// the worst moments. Memory is bounded.
///
/// A ring holds the newest marks. A bad mark causes a copy of the ring a little later, so that the copy holds the
/// marks before and after it. Only the copies with the worst marks are kept.
///
/// A mark arrives for every few events of a trace, so the ring is plain memory.
struct DetailLane<Mark: BitwiseCopyable>: ~Copyable {
  /// Consecutive marks without gaps.
  struct Window {
    var score: UInt64
    /// The number of the first mark, counted from the lane's first one.
    var first: UInt64
    var marks: [Mark]
    var end: UInt64 { first &+ UInt64(marks.count) }
  }

  /// The number of marks in the ring, a power of two.
  private let capacity: Int
  private let worstKept: Int
  private let ring: UnsafeMutablePointer<Mark>
  private(set) var count: UInt64 = 0
  /// All marks so far; nil once the lane keeps windows only.
  private(set) var whole: [Mark]? = []
  private var isWhole = true
  private var beginning: [Mark] = []
  private var worst: [Window] = []
  /// Marks with at most this score cause no copy.
  private var leastScore: UInt64 = 0
  private var pendingScore: UInt64 = 0
  /// The count at which a copy is due; `.max` = none is due.
  private var wakeAt = UInt64.max

  /// Creates a lane. `capacity` is the number of marks in a window, rounded up to a power of two.
  init(capacity: Int, worstKept: Int) {
    self.capacity = 1 << (Int.bitWidth - max(capacity - 1, 1).leadingZeroBitCount)
    self.worstKept = worstKept
    ring = .allocate(capacity: self.capacity)
  }

  deinit { ring.deallocate() }

  @inline(__always)
  private func slot(_ number: UInt64) -> UnsafeMutablePointer<Mark> {
    ring + Int(truncatingIfNeeded: number & UInt64(truncatingIfNeeded: capacity &- 1))
  }

  @inline(__always)
  mutating func add(_ mark: Mark) {
    slot(count).initialize(to: mark)
    count &+= 1
    if isWhole { whole?.append(mark) }
    if count >= wakeAt { putAside() }
  }

  // MARK: Marks that are created later

  /// Returns whether the next `more` marks would only go to the ring.
  func keepsOnlyInRing(_ more: Int) -> Bool { !isWhole && count &+ UInt64(more) < wakeAt }

  /// Whether the next mark causes a copy of the ring.
  @inline(__always)
  var looksBehindNext: Bool { count &+ 1 >= wakeAt }

  /// The number of the oldest mark in the ring.
  var firstInRing: UInt64 { count &- min(count, UInt64(capacity)) }

  /// Reserves places for marks that are set before the ring is read.
  mutating func leaveRoom(_ marks: Int) { count &+= UInt64(marks) }

  func setInRing(_ mark: Mark, at number: UInt64) {
    if number >= firstInRing { slot(number).initialize(to: mark) }
  }

  // MARK: Windows

  /// Returns whether marks with this score deserve a window.
  func isWorthWindow(_ score: UInt64) -> Bool { score > leastScore }

  /// Notes that a mark with this score was just added.
  @inline(__always)
  mutating func mark(asBadAs score: UInt64) {
    guard isWorthWindow(score) else { return }
    if pendingScore == 0 { wakeAt = count &+ UInt64(capacity / 4) }
    pendingScore = max(pendingScore, score)
  }

  /// Keeps only windows from now on.
  mutating func forgetWhole() {
    guard let all = whole else { return }
    beginning = Array(all.prefix(capacity))
    whole = nil
    isWhole = false
  }

  private mutating func putAside() {
    worst.append(newest(score: pendingScore))
    pendingScore = 0
    wakeAt = .max
    guard worst.count > worstKept else { return }
    let least = worst.indices.min { worst[$0].score < worst[$1].score }!
    worst.remove(at: least)
    leastScore = worst.map(\.score).min() ?? 0
  }

  private func newest(score: UInt64) -> Window {
    let first = firstInRing
    let kept = count &- first
    // fits: the capacity is a constant power of two
    let begin = Int(first & UInt64(capacity - 1)), untilEnd = min(Int(kept), capacity - begin)
    var marks = Array(UnsafeBufferPointer(start: ring + begin, count: untilEnd))
    marks += UnsafeBufferPointer(start: ring, count: Int(kept) - untilEnd)
    return Window(score: score, first: first, marks: marks)
  }

  /// Returns the kept marks in order and without duplicates. The windows with the worst marks are first to get a
  /// place among `limit` marks.
  func windows(limit: Int) -> [Window] {
    if let whole, whole.count <= limit { return [Window(score: .max, first: 0, marks: whole)] }
    var found = worst
    if pendingScore > 0 { found.append(newest(score: pendingScore)) }
    found.append(Window(score: .max, first: 0, marks: whole.map { Array($0.prefix(capacity)) } ?? beginning))
    found.append(newest(score: .max))
    var left = limit
    var kept: [Window] = []
    for window in found.ordered(by: { $0.score > $1.score }) where window.marks.count <= left {
      kept.append(window)
      left -= window.marks.count
    }
    return joined(kept.ordered { $0.first < $1.first })
  }

  /// Joins windows that overlap or touch.
  private func joined(_ windows: [Window]) -> [Window] {
    var out: [Window] = []
    for window in windows {
      if let last = out.last, window.first <= last.end {
        let new = window.end > last.end ? Int(window.end - last.end) : 0
        out[out.count - 1].marks += window.marks.suffix(new)
        out[out.count - 1].score = max(last.score, window.score)
      } else {
        out.append(window)
      }
    }
    return out
  }
}
