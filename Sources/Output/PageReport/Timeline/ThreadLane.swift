import TraceAnalysis
import TraceFacts
import TraceReplay

/// The activity of a thread: sums in equal bins of time over the whole span, and individual marks.
struct ThreadLane: ~Copyable {
  /// The number of columns for modes. Further modes share the last one.
  static let modeColumns = 8

  struct Bin {
    /// The time of outermost callouts in the bin.
    var callouts: UInt64 = 0
    /// The numbers of complete passes, and of callouts that began in the bin.
    var passes: UInt32 = 0
    var calloutCount: UInt32 = 0
    /// The longest time without a wait that ended in the bin.
    var worst: UInt64 = 0
  }

  /// The bins, `time.count` of them. This property comes first: with each write through it, Swift 6.3 reports to the
  /// thread sanitizer a write through the lane's first word, so that word must be an address.
  private let store: UnsafeMutablePointer<Bin>
  let thread: UInt32
  var time: TimeBins
  var bins: UnsafeBufferPointer<Bin> { UnsafeBufferPointer(start: store, count: time.count) }
  /// Mode ids, in the order of appearance.
  private(set) var modes: [UInt8] = []
  /// Whether the last of `modes` shares its column with further ones.
  private(set) var sharesLastMode = false
  private let columnOfMode: UnsafeMutablePointer<UInt8>
  /// For each bin, the time by `Phase.rawValue`, then the time by column of `modes`.
  private let times: UnsafeMutablePointer<UInt64>
  private static let timeColumns = phases + modeColumns
  private static let phases = Phase.allCases.count
  var detail: DetailLane<SpanMark>
  private(set) var passes: UInt64 = 0
  var later = PendingMarks()
  var phaseDepth: UInt8 = 0
  /// When the thread last became busy.
  var busySince: UInt64 = .max

  init(thread: UInt32, from: UInt64, to: UInt64, _ limits: TimelineLimits) {
    self.thread = thread
    time = TimeBins(from: from, to: to, atMost: limits.threadBins)
    store = .allocate(capacity: time.count)
    store.initialize(repeating: Bin(), count: time.count)
    times = .allocate(capacity: time.count * Self.timeColumns)
    times.initialize(repeating: 0, count: time.count * Self.timeColumns)
    columnOfMode = .allocate(capacity: 256)
    columnOfMode.initialize(repeating: 255, count: 256)
    detail = DetailLane(capacity: limits.threadWindow, worstKept: 12)
  }

  deinit {
    store.deallocate()
    times.deallocate()
    columnOfMode.deallocate()
  }

  /// Returns the time in a phase, by `Phase.rawValue`, for each bin.
  func time(phase: Int) -> [UInt64] { (0..<time.count).map { times[$0 * Self.timeColumns + phase] } }
  /// Returns the time in a column of `modes`, for each bin.
  func time(mode: Int) -> [UInt64] { time(phase: Self.phases + mode) }

  @inline(__always)
  mutating func phase(_ record: PhaseFact) {
    let column = Self.phases + Int(self.column(of: record.mode))
    let phase = record.phase.rawValue
    let times = times
    time.split(record.start, record.end) {
      let bin = times + $0 &* Self.timeColumns
      bin[phase] &+= $1
      bin[column] &+= $1
    }
    phaseDepth = UInt8(clamping: record.depth)
    keep(
      SpanMark(
        start: record.start, end: record.end, what: .phase(record.phase), mode: record.mode, depth: phaseDepth
      ))
    if record.phase == .waiting {
      endBusy(at: record.start)
      busySince = record.end
    } else if busySince == .max {
      busySince = record.start
    }
  }

  @inline(__always)
  mutating func pass(_ record: PassFact) {
    passes &+= 1
    store[time.index(record.start)].passes &+= 1
    keep(
      SpanMark(
        start: record.start, end: record.end, what: .pass, mode: record.mode, depth: phaseDepth))
  }

  @inline(__always)
  mutating func callout(_ record: CalloutFact) {
    let store = store
    store[time.index(record.start)].calloutCount &+= 1
    if record.depth == 0 {
      time.split(record.start, record.end) { store[$0].callouts &+= $1 }
    }
    keep(
      SpanMark(
        start: record.start, end: record.end,
        what: .callout(kind: record.kind, name: record.name, object: record.object),
        mode: record.mode, depth: UInt8(clamping: record.depth)))
  }

  /// Adds a slice of work to the lane of a queue. `row`: where it overlaps no other slice; nil = only in the sums.
  mutating func slice(_ record: CalloutFact, row: Int?) {
    let store = store
    store[time.index(record.start)].calloutCount &+= 1
    time.split(record.start, record.end) { store[$0].callouts &+= $1 }
    guard let row else { return }
    keep(
      SpanMark(
        start: record.start, end: record.end,
        what: .callout(kind: record.kind, name: record.name, object: record.object),
        mode: record.mode, depth: UInt8(clamping: row)))
  }

  @inline(__always)
  private mutating func keep(_ mark: SpanMark) {
    if detail.looksBehindNext { makeMarks() }
    detail.add(mark)
  }

  // MARK: Many at once, in one bin

  func add(_ took: UInt64, phase: Phase, _ bin: Int) {
    times[bin &* Self.timeColumns &+ phase.rawValue] &+= took
  }

  mutating func add(_ took: UInt64, mode: UInt8, _ bin: Int) {
    times[bin &* Self.timeColumns &+ Self.phases &+ Int(column(of: mode))] &+= took
  }

  mutating func count(passes number: Int, _ bin: Int) {
    passes &+= UInt64(number)
    store[bin].passes &+= UInt32(truncatingIfNeeded: number)
  }

  func count(callouts number: Int, time: UInt64, _ bin: Int) {
    store[bin].calloutCount &+= UInt32(truncatingIfNeeded: number)
    store[bin].callouts &+= time
  }

  /// Notes a time without a wait that does not deserve a window.
  func ended(_ length: UInt64, _ bin: Int) { store[bin].worst = max(store[bin].worst, length) }

  // MARK: The end

  /// Ends the span.
  mutating func finish(at end: UInt64) {
    makeMarks()
    endBusy(at: end)
  }

  private mutating func endBusy(at end: UInt64) {
    guard busySince != .max, end > busySince else { return }
    let length = end &- busySince
    let bin = time.index(end)
    store[bin].worst = max(store[bin].worst, length)
    detail.mark(asBadAs: length)
  }

  @inline(__always)
  private mutating func column(of mode: UInt8) -> UInt8 {
    let column = columnOfMode[Int(mode)]
    return column != 255 ? column : newColumn(of: mode)
  }

  private mutating func newColumn(of mode: UInt8) -> UInt8 {
    let column = UInt8(clamping: min(modes.count, Self.modeColumns - 1))
    columnOfMode[Int(mode)] = column
    if modes.count < Self.modeColumns { modes.append(mode) } else { sharesLastMode = true }
    return column
  }
}
