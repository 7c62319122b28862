/// The busy interval under way on a thread, and how its time went over the trace.
struct BusyInProgress: ~Copyable {
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
  /// Suspended since the last run ended: part of the interval if another run follows.
  private var suspendedOutside: UInt64 = 0
  private var suspendedOutsideFrom: UInt64 = 0
  private var isAfterWait = false
  private(set) var isKnown = false
  /// An interval of before the window is under way.
  private var isCut = false
  /// Where the window began, plus what the interval was suspended.
  private var cutStart: UInt64 = 0
  private var cutLength: UInt64 = 0
  var isUncertain = false
  /// When the outermost run ended last.
  var lastExit: UInt64 = 0
  /// The last BeforeWaiting.low.
  var beforeWaiting: UInt64 = 0
  private(set) var series: BusySeries
  var tally: SpanTally

  init(lane: Int, threshold: UInt64, _ scale: TimeScale, callouts: CalloutTable, detectors: DetectorLab) {
    self.lane = lane
    tally = SpanTally(lane: lane, shares: callouts.busyShares)
    self.threshold = max(threshold, 1)
    self.detectors = detectors
    hangFrom = scale.units(atLeastNs: BusyClass.hangNs)
    listened = min(self.threshold, detectors.shortestBusy)
    series = BusySeries()
  }

  /// Over which span the series is to go.
  mutating func spanSeries(from: UInt64, to: UInt64) { series.span(from: from, to: to) }

  @inline(__always)
  mutating func begin(
    _ time: UInt64, _ mode: UInt8, _ cell: UnsafeMutablePointer<ModeCell>, afterWait: Bool
  ) {
    series.turn(toBusy: true, at: time)
    if isCut { endCut(lastExit) }
    start = time
    suspended = 0
    self.mode = mode
    self.cell = cell
    outside = 0
    suspendedOutside = 0
    isAfterWait = afterWait
    isKnown = true
    isUncertain = false
    tally.begin()
  }

  /// A run begins while the interval of the one before has not ended.
  mutating func goOn(_ time: UInt64) {
    if suspendedOutside > 0 { goOnAfterSuspension() }
    outside &+= time &- lastExit
  }

  @inline(never)
  private mutating func goOnAfterSuspension() {
    series.keepPause()
    if suspended == 0 { suspendedFrom = suspendedOutsideFrom }
    suspended &+= suspendedOutside
    start &+= suspendedOutside
    lastExit &+= suspendedOutside
    suspendedOutside = 0
  }

  @inline(__always)
  mutating func end(_ time: UInt64, _ books: Books) {
    series.turn(toBusy: false, at: time)
    if isCut { endCut(time) }
    guard isKnown else { return }
    let length = time &- start
    cell?.pointee.busy.record(length, hangFrom: hangFrom)
    if length &+ suspended >= listened { list(time, beforeWaiting: beforeWaiting, isOpen: false, books) }
    isKnown = false
  }

  mutating func suspend(from: UInt64, to: UInt64, isInRun: Bool) {
    let length = to &- from
    guard isInRun || !isKnown else {
      // Whether the thread is busy since its last run ended is known when the next one begins.
      if suspendedOutside == 0 {
        suspendedOutsideFrom = from
        series.pause(at: lastExit)
      }
      series.skip(from: from, to: to)
      suspendedOutside &+= length
      return
    }
    series.skip(from: from, to: to)
    if suspended == 0 { suspendedFrom = from }
    start &+= length
    suspended &+= length
    lastExit &+= length
    beforeWaiting &+= length
    if isCut { cutStart &+= length }
  }

  @inline(never)
  private mutating func endCut(_ time: UInt64) {
    cutLength = max(time, cutStart) &- cutStart
    isCut = false
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

  mutating func beginWindow(_ time: UInt64, isInRun: Bool) {
    isCut = (isKnown || isCut) && isInRun
    cutStart = time
    cutLength = 0
    isKnown = false
    suspendedOutside = 0
    series.beginWindow()
  }

  /// Adds up what is open at the end of the span.
  mutating func finish(_ time: UInt64, isInRun: Bool, _ books: Books) {
    if suspendedOutside > 0 { series.dropPause() }
    // Outside runs nothing says that the thread was busy after the last one.
    let end = isInRun ? time : lastExit
    series.finish(at: end)
    if isInRun, isKnown || isCut {
      let since = isCut ? cutStart : start
      books.held.atEnd.append(FoundEdge(lane: lane, mode: mode, length: max(end, since) &- since))
    }
    if isCut { endCut(end) }
    if cutLength > 0 { books.held.atStart.append(FoundEdge(lane: lane, mode: mode, length: cutLength)) }
    guard isKnown else { return }
    guard end > start else { return }
    cell?.pointee.busy.record(end &- start, hangFrom: hangFrom)
    if end &- start &+ suspended >= listened { list(end, beforeWaiting: end, isOpen: isInRun, books) }
  }
}
