/// The marks of one lane: all of them while they are few, else those of the beginning, the end, and around what was
/// worst. In bounded memory.
///
/// The newest marks are always in a ring. Something bad puts a snapshot of it aside a little later, so that what came
/// before and after is in it; of the snapshots the worst few stay.
struct DetailLane<Mark> {
  /// Marks in a row, none missing between them.
  struct Window {
    var score: UInt64
    /// The number of the first, counted from the lane's first mark.
    var first: UInt64
    var marks: [Mark]
    var end: UInt64 { first &+ UInt64(marks.count) }
  }

  private let capacity: Int
  private let worstKept: Int
  private var ring: [Mark] = []
  private(set) var count: UInt64 = 0
  /// Everything so far; nil once the lane had to forget.
  private(set) var whole: [Mark]? = []
  private var beginning: [Mark] = []
  private var worst: [Window] = []
  /// Below this nothing is put aside.
  private var leastScore: UInt64 = 0
  private var pendingScore: UInt64 = 0
  private var pendingUntil: UInt64 = 0

  /// `capacity`: marks of a window.
  init(capacity: Int, worstKept: Int) {
    self.capacity = capacity
    self.worstKept = worstKept
  }

  mutating func add(_ mark: Mark) {
    if ring.count < capacity { ring.append(mark) } else { ring[Int(count % UInt64(capacity))] = mark }
    whole?.append(mark)
    count &+= 1
    if pendingScore > 0, count >= pendingUntil { putAside() }
  }

  /// Something as bad as `score` has just been added.
  @inline(__always)
  mutating func mark(asBadAs score: UInt64) {
    guard score > leastScore else { return }
    if pendingScore == 0 { pendingUntil = count &+ UInt64(capacity / 4) }
    pendingScore = max(pendingScore, score)
  }

  /// Keeps windows only from here on.
  mutating func forgetWhole() {
    guard let all = whole else { return }
    beginning = Array(all.prefix(capacity))
    whole = nil
  }

  private mutating func putAside() {
    worst.append(newest(score: pendingScore))
    pendingScore = 0
    guard worst.count > worstKept else { return }
    let least = worst.indices.min { worst[$0].score < worst[$1].score }!
    worst.remove(at: least)
    leastScore = worst.map(\.score).min() ?? 0
  }

  private func newest(score: UInt64) -> Window {
    let oldest = count > UInt64(capacity) ? Int(count % UInt64(capacity)) : 0
    return Window(
      score: score, first: count &- UInt64(ring.count), marks: Array(ring[oldest...] + ring[..<oldest]))
  }

  /// What is kept, in order and without doubles, the worst first to claim a place among `limit` marks.
  func windows(limit: Int) -> [Window] {
    if let whole, whole.count <= limit { return [Window(score: .max, first: 0, marks: whole)] }
    var lane = self
    lane.forgetWhole()
    if lane.pendingScore > 0 { lane.putAside() }
    let ends = [
      Window(score: .max, first: 0, marks: lane.beginning), newest(score: .max),
    ]
    var left = limit
    var kept: [Window] = []
    for window in (lane.worst + ends).sorted(by: { $0.score > $1.score }) where window.marks.count <= left {
      kept.append(window)
      left -= window.marks.count
    }
    return joined(kept.sorted { $0.first < $1.first })
  }

  /// Windows that overlap or touch become one.
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
