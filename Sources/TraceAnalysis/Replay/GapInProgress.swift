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
  private var suspended: UInt64 = 0
  private(set) var phase = Phase.outside
  private var mode: UInt8 = 0
  var isKnown = false
  /// Events were lost in it, or the recorder itself was late.
  var isUncertain = false
  private var tally = GapCalloutTally()

  init(lane: Int, threshold: UInt64, detectors: DetectorLab) {
    self.lane = lane
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
    tally.clear()
  }

  @inline(__always)
  mutating func add(_ callout: OpenCallout, until time: UInt64) {
    tally.add(
      kind: callout.kind, object: callout.object,
      duration: time &- (callout.begin > start ? callout.begin : start), threshold: listened)
  }

  mutating func suspend(_ length: UInt64) {
    start &+= length
    suspended &+= length
  }

  @inline(__always)
  func isLong(_ time: UInt64) -> Bool { isKnown && time &- start &+ suspended >= listened }

  /// The callout that held it longest, as object and begin's kind.
  func list(_ time: UInt64, isOutside: Bool, isOpen: Bool, _ held: HeldSpans) {
    let found = FoundGap(
      lane: lane, start: start &- suspended, end: time, suspended: suspended, phase: phase,
      mode: isOutside ? 0 : mode, callouts: tally, isOpen: isOpen, isUncertain: isUncertain)
    if found.length >= threshold { held.add(found) }
    if !isOutside { detectors.gap(found) }
  }
}
