import TraceFormat

/// The gap under way on a thread. A gap that a suspension lies in is as long as it was without.
struct GapInProgress {
  private let lane: Int
  private let threshold: UInt64
  /// The shortest gap, suspension included, that anybody wants to hear of.
  private let listened: UInt64
  private let detectors: DetectorLab
  /// When it began, plus what it was suspended.
  private var start: UInt64 = 0
  private(set) var suspended: UInt64 = 0
  private(set) var phase = Phase.outside
  var rawStart: UInt64 { start &- suspended }
  private(set) var mode: UInt8 = 0
  var isKnown = false
  /// Events were lost in it, or the recorder itself was late.
  var isUncertain = false
  private(set) var tally: SpanTally
  /// Since when the activity's observers run in it, plus what they were suspended, and what was explained by then.
  private var observedSince: UInt64 = 0
  private var explainedBefore: UInt64 = 0

  init(lane: Int, threshold: UInt64, callouts: CalloutTable, detectors: DetectorLab) {
    self.lane = lane
    tally = SpanTally(lane: lane, shares: callouts.gapShares)
    self.threshold = max(threshold, 1)
    self.detectors = detectors
    listened = min(self.threshold, detectors.shortestGap)
  }

  @inline(__always)
  mutating func begin(_ phase: Phase, _ mode: UInt8, _ time: UInt64) {
    start = time
    suspended = 0
    self.phase = phase
    self.mode = mode
    isKnown = true
    isUncertain = false
    tally.begin()
  }

  /// The part that lies in the gap of what began at `begin` and lasts until `time`.
  @inline(__always)
  func part(since begin: UInt64, until time: UInt64) -> UInt64 { time &- (begin > start ? begin : start) }

  @inline(__always)
  mutating func add(_ callout: OpenCallout, time: UInt64, selfTime: UInt64, isOuter: Bool) {
    tally.add(
      row: callout.row, object: callout.object, time: time, selfTime: selfTime, isNew: true, isOuter: isOuter)
  }

  /// Observers of an activity run from here on.
  @inline(__always)
  mutating func beginObserving(_ time: UInt64) {
    observedSince = time
    explainedBefore = tally.explained
  }

  /// Returns how long they ran, callouts left out.
  @inline(__always)
  mutating func endObserving(_ phase: Phase, _ time: UInt64) -> UInt64 {
    let span = part(since: observedSince, until: time)
    let called = tally.explained &- explainedBefore
    guard span > called else { return 0 }
    tally.observed(phase, span &- called)
    return span &- called
  }

  /// Its run has ended: what follows is the run's around it, of mode 0 outside any.
  mutating func leave(to mode: UInt8) { self.mode = mode }

  mutating func suspend(_ length: UInt64) {
    start &+= length
    observedSince &+= length
    suspended &+= length
  }

  @inline(__always)
  func isLong(_ time: UInt64) -> Bool { isKnown && time &- start &+ suspended >= listened }

  /// `isSeen`: a monitor that observes the common modes saw both its ends.
  func list(_ time: UInt64, isOutside: Bool, isOpen: Bool, isSeen: Bool, _ books: Books) {
    let found = FoundGap(
      lane: lane, start: start &- suspended, end: time, suspended: suspended, phase: phase,
      mode: isOutside ? 0 : mode, callouts: tally.longest(books.callouts),
      calloutCount: tally.count, explained: tally.explained, isOpen: isOpen, isUncertain: isUncertain)
    if found.length >= threshold { books.held.add(found) }
    if !isOutside { detectors.gap(found, isSeen: isSeen) }
  }
}
