import TraceAnalysis
import TraceFacts
import TraceReplay

/// The outcome of the due points of one timer class: sums in equal bins of time over the whole span, and
/// individual marks.
struct TimerLane: ~Copyable {
  /// The points that came due in the bin.
  struct Bin {
    var fired: UInt32 = 0
    var skipped: UInt32 = 0
    var withdrawn: UInt32 = 0
    var pending: UInt32 = 0
    var worst: UInt64 = 0
    /// The lateness of the fires, by `Cause.rawValue`.
    var lateness = CauseAmounts()
  }

  let timer: Int
  private(set) var time: TimeBins
  /// The bins, `time.count` of them.
  private let store: UnsafeMutablePointer<Bin>
  var bins: UnsafeBufferPointer<Bin> { UnsafeBufferPointer(start: store, count: time.count) }
  /// For each bin, the number of skipped points by cause, as in the ledger.
  private let causes: UnsafeMutablePointer<UInt32>
  var detail: DetailLane<PointMark>
  /// The longest lateness of a fire, or the longest series of skipped points.
  private(set) var worst: Range<UInt64>?
  /// The longest period for each cause, by `Cause.rawValue`.
  private(set) var worstOfCause = [Range<UInt64>?](repeating: nil, count: Cause.allCases.count)

  init(timer: Int, _ time: TimeBins, window: Int) {
    self.timer = timer
    self.time = time
    store = .allocate(capacity: time.count)
    store.initialize(repeating: Bin(), count: time.count)
    causes = .allocate(capacity: time.count * 8)
    causes.initialize(repeating: 0, count: time.count * 8)
    detail = DetailLane(capacity: window, worstKept: 6)
  }

  deinit {
    store.deallocate()
    causes.deallocate()
  }

  /// Returns the number of skipped points with a cause, for each bin.
  func count(of cause: Int) -> [UInt64] { (0..<time.count).map { UInt64(causes[$0 * 8 + cause]) } }

  /// Adds a point. Returns its severity as a time: the lateness of a fire, or the length of a series of skipped
  /// points.
  @discardableResult
  @inline(__always)
  mutating func add(_ record: PointFact) -> UInt64 {
    guard let moment = record.due ?? record.end else { return 0 }
    let lastDue = max(record.lastDue ?? moment, moment)
    count(record, moment, lastDue)
    let cause = Int(mainCause(record))
    detail.add(
      PointMark(
        due: moment, lastDue: lastDue, end: record.end,
        outcome: record.due == nil ? PointMark.firedUnknown : record.outcome.rawValue,
        cause: UInt8(cause), mode: record.mode, count: record.count))
    let badness = record.outcome == .fired ? record.lateness : lastDue &- moment
    detail.mark(asBadAs: badness)
    if badness > UInt64(worst?.count ?? 0) { worst = moment..<moment &+ badness }
    if badness > 0, cause < worstOfCause.count, badness > UInt64(worstOfCause[cause]?.count ?? 0) {
      worstOfCause[cause] = moment..<moment &+ badness
    }
    return badness
  }

  /// Adds a fire without a known due point.
  @inline(__always)
  mutating func add(fireAt moment: UInt64, mode: UInt8) {
    store[time.index(moment)].fired &+= 1
    detail.add(
      PointMark(
        due: moment, lastDue: moment, end: moment, outcome: PointMark.firedUnknown,
        cause: PointMark.unknownCause, mode: mode, count: 1))
  }

  /// Returns the cause of most of a late fire's lateness, else the cause at the due point; 255 = not known.
  private func mainCause(_ record: PointFact) -> UInt8 {
    guard let cause = record.cause else { return PointMark.unknownCause }
    let times = record.causes
    let known = times[cause.rawValue]
    guard record.outcome == .fired, known < record.lateness &- known else { return UInt8(cause.rawValue) }
    let most = times.max()
    return UInt8(times.indices.first { times[$0] == most && most > 0 } ?? cause.rawValue)
  }

  @inline(__always)
  private mutating func count(_ record: PointFact, _ moment: UInt64, _ lastDue: UInt64) {
    let bin = time.index(moment)
    switch record.outcome {
    case .fired:
      store[bin].fired &+= 1
      store[bin].worst = max(store[bin].worst, record.lateness)
      store[bin].lateness &+= record.causes
    case .withdrawn: store[bin].withdrawn &+= UInt32(clamping: record.count)
    case .pending: store[bin].pending &+= UInt32(clamping: record.count)
    case .skipped: return spread(record, moment, lastDue)
    }
  }

  /// Spreads consecutive skipped points over the bins at equal distances.
  private mutating func spread(_ record: PointFact, _ first: UInt64, _ last: UInt64) {
    let distance = record.count > 1 ? Double(last &- first) / Double(record.count &- 1) : 0
    var done: UInt64 = 0
    for bin in time.index(first)...time.index(last) {
      let edge = time.start &+ UInt64(bin + 1) &* time.width
      // The number of points before the end of the bin.
      let until =
        edge > last || distance == 0
        ? record.count : min(record.count, UInt64(clamping: (Double(edge &- first) / distance).rounded(.up)))
      let here = UInt32(clamping: until &- min(done, until))
      store[bin].skipped &+= here
      if let cause = record.cause { causes[bin &* 8 &+ cause.rawValue] &+= here }
      done = max(done, until)
    }
  }
}
