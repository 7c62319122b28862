import TraceFormat

/// The gap in progress on a thread. Suspension does not count in its length.
struct GapInProgress {
  private let lane: Int
  private let threshold: Length
  /// The shortest gap, suspension included, that is listed or that a monitor receives.
  let listened: Length
  private let detectors: DetectorRunner
  /// When the gap began, plus its suspended time.
  private var start: Moment = .origin
  /// The moment from which open callouts have a share in the gap. The time before it went to the observers of a nested
  /// run's Exit.
  private var shared: Moment = .origin
  private(set) var suspended: Length = .zero
  private(set) var phase = Phase.outside
  var rawStart: Moment { start &- suspended }
  private(set) var mode: ModeID = .outside
  var isKnown = false
  /// Events were lost in the gap, or the recorder itself was late.
  var isUncertain = false
  private(set) var tally: SpanTally
  /// When the activity's observers began in the gap, plus their suspended time; and how much of the gap was explained
  /// by then.
  private var observedSince: Moment = .origin
  private var explainedBefore: Length = .zero

  init(lane: Int, threshold: Length, callouts: CalloutTable, detectors: DetectorRunner) {
    self.lane = lane
    tally = SpanTally(lane: lane, shares: callouts.gapShares)
    self.threshold = max(threshold, .unit)
    self.detectors = detectors
    listened = min(self.threshold, detectors.shortestGap)
  }

  @inline(__always)
  mutating func begin(_ phase: Phase, _ mode: ModeID, _ time: Moment) {
    start = time
    shared = time
    suspended = .zero
    self.phase = phase
    self.mode = mode
    isKnown = true
    isUncertain = false
    tally.begin()
  }

  /// Returns how much of something that began at `begin` and lasts until `time` lies in the gap.
  @inline(__always)
  func part(since begin: Moment, until time: Moment) -> Length { time &- (begin > shared ? begin : shared) }

  /// Continues after a nested run. Callouts that are still open have no share in the gap so far.
  mutating func resume(_ time: Moment) { shared = time }

  @inline(__always)
  mutating func observed(_ phase: Phase, _ time: Length) { tally.observed(phase, time) }

  @inline(__always)
  mutating func add(row: Int32, object: ObjectID, time: Length, selfTime: Length, isOuter: Bool) {
    tally.add(row: row, object: object, time: time, selfTime: selfTime, isNew: true, isOuter: isOuter)
  }

  /// Notes that the observers of an activity begin.
  @inline(__always)
  mutating func beginObserving(_ time: Moment) {
    observedSince = time
    explainedBefore = tally.explained
  }

  /// Notes that the observers end. Returns their time, not counting callouts.
  @inline(__always)
  mutating func endObserving(_ phase: Phase, _ time: Moment) -> Length {
    let span = part(since: observedSince, until: time)
    let called = tally.explained &- explainedBefore
    guard span > called else { return .zero }
    tally.observed(phase, span &- called)
    return span &- called
  }

  /// Notes that the run of the gap has ended. The rest belongs to the surrounding run's mode, or to `outside` if there
  /// is none.
  mutating func leave(to mode: ModeID) { self.mode = mode }

  mutating func suspend(_ length: Length) {
    start &+= length
    shared &+= length
    observedSince &+= length
    suspended &+= length
  }

  @inline(__always)
  func isLong(_ time: Moment) -> Bool { isKnown && time &- start &+ suspended >= listened }

  /// Returns whether a gap from `start` to `time` would be listed or passed to a monitor.
  @inline(__always)
  func wouldBeLong(from start: Moment, to time: Moment) -> Bool { time &- start >= listened }

  /// Lists the gap. `isSeen`: a monitor that observes the common modes saw both its ends. `duePoints`: those that passed
  /// since the last wait.
  func list(
    _ time: Moment, isOutside: Bool, isOpen: Bool, isSeen: Bool, duePoints: UInt64, _ books: Books
  ) {
    let found = FoundGap(
      lane: lane, start: start &- suspended, end: time, suspended: suspended, phase: phase,
      mode: isOutside ? .outside : mode, callouts: tally.longest(books.callouts),
      calloutCount: tally.count, explained: tally.explained, isOpen: isOpen, isUncertain: isUncertain,
      duePoints: duePoints)
    if found.length >= threshold { books.held.add(found) }
    if !isOutside { detectors.gap(found, isSeen: isSeen) }
  }
}
