/// The busy interval under way on a thread, and how its time went over the trace.
struct BusyInProgress {
  private let lane: Int
  private let threshold: UInt64
  private let hangFrom: UInt64
  /// The shortest interval, suspension included, that anybody wants to hear of.
  private let listened: UInt64
  private let detectors: DetectorLab
  /// When it began, plus what it was suspended.
  private var start: UInt64 = 0
  private var suspended: UInt64 = 0
  private var suspendedFrom: UInt64 = 0
  private var mode: UInt8 = 0
  private var cell: UnsafeMutablePointer<ModeCell>?
  private var outside: UInt64 = 0
  private var isAfterWait = false
  private(set) var isKnown = false
  var isUncertain = false
  /// When the outermost run ended last.
  var lastExit: UInt64 = 0
  /// The last BeforeWaiting.low.
  var beforeWaiting: UInt64 = 0
  private(set) var series: BusySeries
  var tally: SpanTally

  init(lane: Int, threshold: UInt64, unitNs: UInt64, callouts: CalloutTable, detectors: DetectorLab) {
    self.lane = lane
    tally = SpanTally(lane: lane, shares: callouts.busyShares)
    self.threshold = max(threshold, 1)
    self.detectors = detectors
    hangFrom = AnalysisLimits.hangNs / unitNs
    listened = min(self.threshold, detectors.shortestBusy)
    series = BusySeries()
  }

  func deallocate() { series.deallocate() }

  /// Over which span the series is to go.
  mutating func spanSeries(from: UInt64, to: UInt64) { series.span(from: from, to: to) }

  @inline(__always)
  mutating func begin(
    _ time: UInt64, _ mode: UInt8, _ cell: UnsafeMutablePointer<ModeCell>, afterWait: Bool
  ) {
    series.turn(toBusy: true, at: time)
    start = time
    suspended = 0
    self.mode = mode
    self.cell = cell
    outside = 0
    isAfterWait = afterWait
    isKnown = true
    isUncertain = false
    tally.begin()
  }

  /// A run begins while the interval of the one before has not ended.
  mutating func goOn(_ time: UInt64) { outside &+= time &- lastExit }

  @inline(__always)
  mutating func end(_ time: UInt64, _ books: Books) {
    series.turn(toBusy: false, at: time)
    guard isKnown else { return }
    let length = time &- start
    cell?.pointee.busy.record(length, hangFrom: hangFrom)
    if length &+ suspended >= listened { list(time, beforeWaiting: beforeWaiting, isOpen: false, books) }
    isKnown = false
  }

  mutating func suspend(from: UInt64, to: UInt64) {
    let length = to &- from
    series.skip(from: from, to: to)
    if suspended == 0 { suspendedFrom = from }
    start &+= length
    suspended &+= length
    lastExit &+= length
    beforeWaiting &+= length
  }

  @inline(never)
  private func list(_ time: UInt64, beforeWaiting: UInt64, isOpen: Bool, _ books: Books) {
    let found = FoundBusy(
      lane: lane, start: start &- suspended, end: time, suspended: suspended, suspendedFrom: suspendedFrom,
      mode: mode, outside: outside, callouts: tally.longest(books.callouts), calloutCount: tally.count,
      explained: tally.explained, beforeWaiting: beforeWaiting, isAfterWait: isAfterWait, isOpen: isOpen,
      isUncertain: isUncertain)
    if found.length >= threshold { books.held.add(found) }
    detectors.busy(found)
  }

  mutating func beginWindow() {
    isKnown = false
    series.beginWindow()
  }

  /// Adds up what is open at the end of the span.
  mutating func finish(_ time: UInt64, isInRun: Bool, _ books: Books) {
    series.finish(at: isInRun ? time : lastExit)
    guard isKnown else { return }
    // Outside runs nothing says that the thread was busy after the last one.
    let end = isInRun ? time : lastExit
    guard end > start else { return }
    cell?.pointee.busy.record(end &- start, hangFrom: hangFrom)
    if end &- start &+ suspended >= listened { list(end, beforeWaiting: end, isOpen: isInRun, books) }
  }
}
