/// The busy interval in progress on a thread, and the thread's busy and waiting time over the trace.
///
/// The interval ends where the loop has nothing left to do: at a wait, or at the end of a poll run
/// (docs/reference/numbers.md). Stall monitors see only waits, so they receive the time between two waits, including any poll
/// runs (`BetweenWaits`).
struct BusyInProgress: ~Copyable {
  private let lane: Int
  private let threshold: Length
  private let hangFrom: Length
  /// The shortest interval, suspension included, that is listed or that a monitor receives.
  let listened: Length
  private let detectors: DetectorRunner
  /// The start of the interval, moved forward by its suspended time.
  private var start: Moment = .origin
  private var suspended: Length = .zero
  private var suspendedFrom: Moment = .origin
  private var mode: ModeID = .outside
  private var cell: RowAddress<ModeCell>?
  private var outside: Length = .zero
  /// The longest stretch of `outside`.
  private var longestOutside: Length = .zero
  /// Set after a poll run ended a busy interval between two waits. The monitors receive the whole time between the
  /// waits at the next wait.
  private var betweenWaits: BetweenWaits?
  /// The suspension since the last run ended. It becomes part of the interval if another run follows.
  private var suspendedOutside: Length = .zero
  private var suspendedOutsideFrom: Moment = .origin
  private var isAfterWait = false
  private(set) var isKnown = false
  /// Whether the interval in progress began before the window.
  private var isCut = false
  /// When the window began, plus the interval's suspended time.
  private var cutStart: Moment = .origin
  private var cutLength: Length = .zero
  var isUncertain = false
  /// The due points of timers that passed in the interval.
  var duePoints: UInt64 = 0
  var following: FollowingWait
  /// When the outermost run last ended.
  var lastExit: Moment = .origin
  /// The last BeforeWaiting.low.
  var beforeWaiting: Moment = .origin
  private(set) var series: BusySeries
  var tally: SpanTally

  init(lane: Int, threshold: Length, _ scale: TimeScale, callouts: CalloutTable, detectors: DetectorRunner) {
    self.lane = lane
    tally = SpanTally(lane: lane, shares: callouts.busyShares)
    self.threshold = max(threshold, .unit)
    self.detectors = detectors
    hangFrom = scale.length(atLeastNs: BusyClass.hangNs)
    listened = min(self.threshold, detectors.shortestBusy)
    following = FollowingWait(lane: lane)
    series = BusySeries()
  }

  /// Sets the span of the series.
  mutating func spanSeries(from: Moment, to: Moment) { series.span(from: from, to: to) }

  @inline(__always)
  mutating func begin(
    _ time: Moment, _ mode: ModeID, _ cell: RowAddress<ModeCell>, afterWait: Bool
  ) {
    series.turn(toBusy: true, at: time)
    if isCut { endCut(lastExit) }
    restart(time, mode, cell, afterWait: afterWait)
  }

  /// Begins an empty interval.
  @inline(__always)
  private mutating func restart(
    _ time: Moment, _ mode: ModeID, _ cell: RowAddress<ModeCell>, afterWait: Bool
  ) {
    start = time
    suspended = .zero
    self.mode = mode
    self.cell = cell
    outside = .zero
    longestOutside = .zero
    suspendedOutside = .zero
    duePoints = 0
    isAfterWait = afterWait
    isKnown = true
    isUncertain = false
    tally.begin()
  }

  /// Continues the interval: another run begins, and the previous one did not end the interval.
  mutating func resume(_ time: Moment) {
    if suspendedOutside > .zero { goOnAfterSuspension() }
    let stretch = time &- lastExit
    outside &+= stretch
    longestOutside = max(longestOutside, stretch)
  }

  /// Ends the interval with a poll run: the loop has served what was ready, and its caller continues. The following
  /// time belongs to `mode`.
  @inline(never)
  mutating func look(_ time: Moment, _ mode: ModeID, _ cell: RowAddress<ModeCell>, _ books: Books) {
    let wasKnown = isKnown
    if isCut { endCut(time) }
    if wasKnown {
      record(time &- start)
      if isLong(time) { list(time, beforeWaiting: beforeWaiting, isOpen: false, toMonitors: false, books) }
      var watched =
        betweenWaits
        ?? BetweenWaits(start: start &- suspended, isAfterWait: isAfterWait, suspendedFrom: suspendedFrom)
      watched.add(suspended, from: suspendedFrom)
      betweenWaits = watched
    } else {
      // The interval began before the window.
      series.turn(toBusy: true, at: time)
    }
    restart(time, mode, cell, afterWait: false)
  }

  @inline(never)
  private mutating func goOnAfterSuspension() {
    series.keepPause()
    if suspended == .zero { suspendedFrom = suspendedOutsideFrom }
    suspended &+= suspendedOutside
    start &+= suspendedOutside
    lastExit &+= suspendedOutside
    suspendedOutside = .zero
  }

  @inline(__always)
  mutating func end(_ time: Moment, _ books: Books) {
    series.turn(toBusy: false, at: time)
    if isCut { endCut(time) }
    guard isKnown else { return }
    record(time &- start)
    if isLong(time) {
      list(time, beforeWaiting: beforeWaiting, isOpen: false, toMonitors: betweenWaits == nil, books)
      following.noteListed()
    }
    if betweenWaits != nil { endBetweenWaits(time, books) }
    if following.isOn { following.endPass(from: start &- suspended, to: time, tally, books) }
    isKnown = false
  }

  /// Ends the interval at `time`, where the run of an event loop ends. Later time belongs to no interval.
  mutating func leave(_ time: Moment, _ books: Books) {
    if isCut { endCut(time) }
    if isKnown {
      record(time.since(start))
      following.leave(from: start &- suspended, books)
    }
    following.forget()
    series.finish(at: time)
    isKnown = false
    betweenWaits = nil
    suspendedOutside = .zero
  }

  /// Books the length of the interval. Only certain hangs count.
  @inline(__always)
  private mutating func record(_ length: Length) {
    var hang = length
    if length >= hangFrom, outside > .zero || isUncertain {
      hang = isUncertain ? .zero : length.asHang(outside: outside)
    }
    cell?.pointee.busy.record(length, hang: hang, hangFrom: hangFrom)
  }

  /// Ends an interval at `time` that began after a wait and is too short to list. The next one, in the same mode,
  /// begins at `next`. The caller restarts the tally.
  @inline(__always)
  mutating func pause(from time: Moment, to next: Moment) {
    record(time &- start)
    series.pause(from: time, to: next)
    start = next
  }

  /// Ends `number` intervals that began after a wait and are too short to list: each ends at `from`, and the next
  /// one, in the same mode, begins at `to`. `waiting` is the total time in between. `lengths` is used as a buffer.
  /// The caller restarts the tally.
  @inline(__always)
  mutating func pause(
    _ lengths: inout BucketedLengths, _ number: Int, from: (Int) -> Moment, to: (Int) -> Moment,
    waiting: Length
  ) {
    guard number > 0 else { return }
    var begin = start
    lengths.take(number) { i in
      defer { begin = to(i) }
      return from(i) &- begin
    }
    cell?.pointee.busy.record(lengths, hangFrom: hangFrom)
    series.pause(number, from: from, to: to, waiting: waiting)
    start = begin
  }

  /// Returns whether the interval would be listed or passed to a monitor if it ended at `time`.
  @inline(__always)
  func isLong(_ time: Moment) -> Bool { isKnown && time &- start &+ suspended >= listened }

  mutating func suspend(from: Moment, to: Moment, isInRun: Bool) {
    let length = to &- from
    guard isInRun || !isKnown else {
      // Whether the thread was busy since its last run is known only when the next run begins.
      if suspendedOutside == .zero {
        suspendedOutsideFrom = from
        series.pause(at: lastExit)
      }
      series.skip(from: from, to: to)
      suspendedOutside &+= length
      return
    }
    series.skip(from: from, to: to)
    if suspended == .zero { suspendedFrom = from }
    start &+= length
    suspended &+= length
    lastExit &+= length
    beforeWaiting &+= length
    if isCut { cutStart &+= length }
  }

  @inline(never)
  private mutating func endCut(_ time: Moment) {
    cutLength = time.since(cutStart)
    isCut = false
  }

  @inline(never)
  private func list(
    _ time: Moment, beforeWaiting: Moment, isOpen: Bool, toMonitors: Bool, _ books: Books
  ) {
    let found = FoundBusy(
      lane: lane, start: start &- suspended, end: time, suspended: suspended, suspendedFrom: suspendedFrom,
      mode: mode, outside: outside, longestOutside: longestOutside, callouts: tally.longest(books.callouts),
      calloutCount: tally.count, explained: tally.explained, beforeWaiting: beforeWaiting,
      isAfterWait: isAfterWait, isOpen: isOpen, isUncertain: isUncertain, duePoints: duePoints)
    if found.length >= threshold { books.held.add(found) }
    if toMonitors { detectors.busy(found) }
  }

  /// Ends the time between two waits: the thread waits, or the span ends. The monitors receive the whole time since
  /// the last wait.
  @inline(never)
  private mutating func endBetweenWaits(_ time: Moment, _ books: Books) {
    guard var watched = betweenWaits else { return }
    betweenWaits = nil
    watched.add(suspended, from: suspendedFrom)
    detectors.busy(
      FoundBusy(
        lane: lane, start: watched.start, end: time, suspended: watched.suspended,
        suspendedFrom: watched.suspendedFrom, mode: mode, outside: .zero, longestOutside: .zero, callouts: [],
        calloutCount: 0, explained: .zero, beforeWaiting: beforeWaiting, isAfterWait: watched.isAfterWait,
        isOpen: false, isUncertain: false))
  }

  mutating func beginWindow(_ time: Moment, isInRun: Bool, countsOpen: Bool) {
    let counts = countsOpen && isKnown && isInRun
    isCut = (isKnown || isCut) && isInRun && !counts
    cutStart = time
    cutLength = .zero
    isKnown = counts
    // The callouts before the window are forgotten.
    if counts { tally.begin() }
    betweenWaits = nil
    suspendedOutside = .zero
    following.forget()
    series.beginWindow(time)
  }

  /// Books the interval that is still open at the end of the span.
  mutating func finish(_ time: Moment, isInRun: Bool, _ books: Books) {
    if isInRun, isKnown || isCut {
      let since = isCut ? cutStart : start
      books.held.atEnd.append((lane, mode, time.since(since)))
    }
    stop(time, isInRun: isInRun, isOpen: isInRun, books)
    if cutLength > .zero { books.held.atStart.append((lane, mode, cutLength)) }
  }

  /// Ends the interval where events were lost. Nothing is known about the time from there to the next interval.
  mutating func lose(_ time: Moment, isInRun: Bool, _ books: Books) {
    isUncertain = true
    stop(time, isInRun: isInRun, isOpen: false, books)
    isKnown = false
    suspendedOutside = .zero
    following.forget()
  }

  private mutating func stop(_ time: Moment, isInRun: Bool, isOpen: Bool, _ books: Books) {
    if suspendedOutside > .zero { series.dropPause() }
    // Outside runs, nothing shows that the thread was busy after the last one.
    let end = isInRun ? time : lastExit
    series.finish(at: end)
    if isCut { endCut(end) }
    guard isKnown else { return }
    if following.isOn { following.endPass(from: start &- suspended, to: end, tally, books) }
    if end > start {
      record(end &- start)
      if isLong(end) {
        list(end, beforeWaiting: end, isOpen: isOpen, toMonitors: betweenWaits == nil, books)
      }
    }
    if betweenWaits != nil {
      beforeWaiting = end
      endBetweenWaits(end, books)
    }
  }
}

/// The time between two waits, up to the last poll run in it.
private struct BetweenWaits {
  let start: Moment
  let isAfterWait: Bool
  private(set) var suspended = Length.zero
  /// When the first suspension in that time began.
  private(set) var suspendedFrom: Moment

  init(start: Moment, isAfterWait: Bool, suspendedFrom: Moment) {
    (self.start, self.isAfterWait, self.suspendedFrom) = (start, isAfterWait, suspendedFrom)
  }

  mutating func add(_ length: Length, from: Moment) {
    guard length > .zero else { return }
    if suspended == .zero { suspendedFrom = from }
    suspended &+= length
  }
}
