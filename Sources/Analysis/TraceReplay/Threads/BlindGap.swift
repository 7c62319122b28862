/// The gap that a monitor of the common modes sees while other modes run. It sees none of their activities, so the
/// gap that began with its last activity continues, waits included.
struct BlindGap {
  /// Whether an unobserved mode has run since the last activity that the monitor saw.
  private(set) var isUnderWay = false
  private var start: Moment = .origin
  private var suspended: Length = .zero
  private var phase = Phase.outside
  private var mode: ModeID = .outside
  /// The callout that started the run.
  private var callout: SpanCallout?

  /// Begins with the gap in progress. While the thread waits, the gap is unknown.
  mutating func begin(_ gap: GapInProgress, starter: SpanCallout?) {
    isUnderWay = true
    // The monitor does not watch for the end of a wait.
    phase = gap.isKnown ? gap.phase : .waiting
    start = gap.rawStart
    suspended = gap.suspended
    mode = gap.mode
    callout = starter
  }

  mutating func suspend(_ length: Length) { suspended &+= length }
  mutating func forget() { isUnderWay = false }

  /// Ends the gap at the next activity that the monitor sees.
  mutating func end(_ time: Moment, lane: Int, _ detectors: DetectorRunner) {
    isUnderWay = false
    guard phase == .beforeSources || phase == .afterWaiting, time > start else { return }
    detectors.seenGap(
      FoundGap(
        lane: lane, start: start, end: time, suspended: min(suspended, time &- start), phase: phase,
        mode: mode,
        callouts: callout.map { [$0] } ?? [], calloutCount: 0, explained: .zero, isOpen: false,
        isUncertain: false
      ))
  }
}
