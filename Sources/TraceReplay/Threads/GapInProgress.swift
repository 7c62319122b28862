import TraceFormat

/// The gap under way on a thread. A gap that a suspension lies in is as long as it was without.
struct GapInProgress {
  private let lane: Int
  private let threshold: Length
  /// The shortest gap, suspension included, that anybody wants to hear of.
  let listened: Length
  private let detectors: DetectorLab
  /// When it began, plus what it was suspended.
  private var start: Moment = .origin
  /// Open callouts take time of the gap from this moment on. The observers at a nested run's Exit took the time before
  /// it.
  private var shared: Moment = .origin
  private(set) var suspended: Length = .zero
  private(set) var phase = Phase.outside
  var rawStart: Moment { start &- suspended }
  private(set) var mode: ModeID = .outside
  var isKnown = false
  /// Events were lost in it, or the recorder itself was late.
  var isUncertain = false
  private(set) var tally: SpanTally
  /// Since when the activity's observers run in it, plus what they were suspended, and what was explained by then.
  private var observedSince: Moment = .origin
  private var explainedBefore: Length = .zero

  init(lane: Int, threshold: Length, callouts: CalloutTable, detectors: DetectorLab) {
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

  /// The part that lies in the gap of what began at `begin` and lasts until `time`.
  @inline(__always)
  func part(since begin: Moment, until time: Moment) -> Length { time &- (begin > shared ? begin : shared) }

  /// A nested run is left. Callouts that go on took none of the gap's time so far.
  mutating func goOn(_ time: Moment) { shared = time }

  @inline(__always)
  mutating func observed(_ phase: Phase, _ time: Length) { tally.observed(phase, time) }

  @inline(__always)
  mutating func add(row: Int32, object: ObjectID, time: Length, selfTime: Length, isOuter: Bool) {
    tally.add(row: row, object: object, time: time, selfTime: selfTime, isNew: true, isOuter: isOuter)
  }

  /// Observers of an activity run from here on.
  @inline(__always)
  mutating func beginObserving(_ time: Moment) {
    observedSince = time
    explainedBefore = tally.explained
  }

  /// Returns how long they ran, callouts left out.
  @inline(__always)
  mutating func endObserving(_ phase: Phase, _ time: Moment) -> Length {
    let span = part(since: observedSince, until: time)
    let called = tally.explained &- explainedBefore
    guard span > called else { return .zero }
    tally.observed(phase, span &- called)
    return span &- called
  }

  /// Its run has ended: what follows is the run's around it, of mode `outside` outside any.
  mutating func leave(to mode: ModeID) { self.mode = mode }

  mutating func suspend(_ length: Length) {
    start &+= length
    shared &+= length
    observedSince &+= length
    suspended &+= length
  }

  @inline(__always)
  func isLong(_ time: Moment) -> Bool { isKnown && time &- start &+ suspended >= listened }

  /// Whether anybody would want to hear of one.
  @inline(__always)
  func wouldBeLong(from start: Moment, to time: Moment) -> Bool { time &- start >= listened }

  /// `isSeen`: a monitor that observes the common modes saw both its ends.
  func list(_ time: Moment, isOutside: Bool, isOpen: Bool, isSeen: Bool, _ books: Books) {
    let found = FoundGap(
      lane: lane, start: start &- suspended, end: time, suspended: suspended, phase: phase,
      mode: isOutside ? .outside : mode, callouts: tally.longest(books.callouts),
      calloutCount: tally.count, explained: tally.explained, isOpen: isOpen, isUncertain: isUncertain)
    if found.length >= threshold { books.held.gaps.add(found) }
    if !isOutside { detectors.gap(found, isSeen: isSeen) }
  }
}
