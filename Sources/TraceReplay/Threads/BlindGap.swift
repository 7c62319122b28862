/// What a monitor that observes the common modes makes of a mode that is not common: it sees none of its activities, so
/// the gap that began with the last one it saw goes on, waits included.
struct BlindGap {
  /// A mode that it does not see has run since the last activity that it saw.
  private(set) var isUnderWay = false
  private var start: Moment = .origin
  private var suspended: Length = .zero
  private var phase = Phase.outside
  private var mode: ModeID = .outside
  /// The callout that started the run.
  private var callout: SpanCallout?

  /// `gap`: the one under way, nil while the thread waits.
  mutating func begin(_ gap: GapInProgress, starter: SpanCallout?) {
    isUnderWay = true
    // Nothing watches for the end of a wait.
    phase = gap.isKnown ? gap.phase : .waiting
    start = gap.rawStart
    suspended = gap.suspended
    mode = gap.mode
    callout = starter
  }

  mutating func suspend(_ length: Length) { suspended &+= length }
  mutating func forget() { isUnderWay = false }

  /// The next activity that it sees.
  mutating func end(_ time: Moment, lane: Int, _ detectors: DetectorLab) {
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
