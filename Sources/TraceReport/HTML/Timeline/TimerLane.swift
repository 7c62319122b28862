import TraceAnalysis
import TraceReplay

/// What became of the due points of one timer class: sums in equal bins of time over the whole span, and single marks.
struct TimerLane: ~Copyable {
  /// Of the points that came due here.
  struct Bin {
    var fired: UInt32 = 0
    var skipped: UInt32 = 0
    var withdrawn: UInt32 = 0
    var pending: UInt32 = 0
    var worst: UInt64 = 0
    /// Lateness of the fires, by `Cause.rawValue`.
    var lateness = CauseAmounts()
  }

  let timer: Int
  private(set) var time: TimeBins
  /// `time.count` of them.
  private let store: UnsafeMutablePointer<Bin>
  var bins: UnsafeBufferPointer<Bin> { UnsafeBufferPointer(start: store, count: time.count) }
  /// Of each bin the points by what held when they came due, where that is known.
  private let causes: UnsafeMutablePointer<UInt32>
  var detail: DetailLane<PointMark>
  /// The longest time that a fire was late, or that points were skipped in a row.
  private(set) var worst: Range<UInt64>?
  /// The same by cause, `Cause.rawValue`.
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

  /// Points by what held when they came due, of each bin.
  func count(of cause: Int) -> [UInt64] { (0..<time.count).map { UInt64(causes[$0 * 8 + cause]) } }

  /// How bad it was, as a time: how late a fire came, or how long points were skipped.
  @discardableResult
  @inline(__always)
  mutating func add(_ record: PointRecord) -> UInt64 {
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

  /// A fire whose due point nobody knows.
  @inline(__always)
  mutating func add(fireAt moment: UInt64, mode: UInt8) {
    store[time.index(moment)].fired &+= 1
    detail.add(
      PointMark(
        due: moment, lastDue: moment, end: moment, outcome: PointMark.firedUnknown,
        cause: PointMark.unknownCause, mode: mode, count: 1))
  }

  /// Of a late fire what took most of its lateness, else what held at the due point; 255 = nobody knows.
  private func mainCause(_ record: PointRecord) -> UInt8 {
    guard let cause = record.cause else { return PointMark.unknownCause }
    let times = record.causes
    let known = times[cause.rawValue]
    guard record.outcome == .fired, known < record.lateness &- known else { return UInt8(cause.rawValue) }
    let most = times.max()
    return UInt8(times.indices.first { times[$0] == most && most > 0 } ?? cause.rawValue)
  }

  @inline(__always)
  private mutating func count(_ record: PointRecord, _ moment: UInt64, _ lastDue: UInt64) {
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
    if let cause = record.cause { causes[bin &* 8 &+ cause.rawValue] &+= 1 }
  }

  /// Points that were skipped in a row stand at equal distances.
  private mutating func spread(_ record: PointRecord, _ first: UInt64, _ last: UInt64) {
    let distance = record.count > 1 ? Double(last &- first) / Double(record.count &- 1) : 0
    var done: UInt64 = 0
    for bin in time.index(first)...time.index(last) {
      let edge = time.start &+ UInt64(bin + 1) &* time.width
      // Those before the bin's end.
      let until =
        edge > last || distance == 0
        ? record.count : min(record.count, UInt64((Double(edge &- first) / distance).rounded(.up)))
      let here = UInt32(clamping: until &- min(done, until))
      store[bin].skipped &+= here
      if let cause = record.cause { causes[bin &* 8 &+ cause.rawValue] &+= here }
      done = max(done, until)
    }
  }
}
