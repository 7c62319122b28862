/// What replay keeps of what it finds.
public struct ReplayOptions: Sendable {
  /// Gaps of this length and above are listed, nanoseconds.
  public var gapThresholdNs = BusyClass.hangNs
  /// Busy intervals of this length and above are listed, nanoseconds (Apple's smallest class).
  public var busyThresholdNs = BusyClass.briefUnresponsiveness.fromNs
  /// Stall monitors to run over the trace.
  public var detectors = Detector.standard
  /// Keep the distribution of each callout's durations, some 40 kB per name.
  public var keepsCalloutDurations = false
  /// Whether blocks are decoded on a second thread; nil = where that helps. The results are the same.
  package var decodesAhead: Bool?
  /// Decoded events in hand at most. The results are the same.
  package var openEvents = AnalysisLimits.openEvents
  /// Whether plain passes are replayed at once, not event by event. The results are the same.
  package var replaysPasses = true
  /// Of any trace; more for larger ones.
  package var steps = AnalysisLimits.stepsOfAnyTrace
  /// Called with the number of steps once the replay is finished.
  package var noteSteps: (@Sendable (Int) -> Void)?

  public init() {}
}
