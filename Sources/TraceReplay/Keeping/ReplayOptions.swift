/// The options for the results that a replay keeps.
public struct ReplayOptions: Sendable {
  /// The shortest gap that is listed, in nanoseconds.
  public var gapThresholdNs = BusyClass.hangNs
  /// The shortest busy interval that is listed, in nanoseconds (Apple's smallest class).
  public var busyThresholdNs = BusyClass.briefUnresponsiveness.fromNs
  /// The stall monitors to run over the trace.
  public var detectors = Detector.standard
  /// Whether to keep the distribution of each callout's durations, some 40 kB per name.
  public var keepsCalloutDurations = false
  /// Whether blocks are decoded on a second thread; nil = where that helps. The results are the same.
  package var decodesAhead: Bool?
  /// The maximum number of decoded events in memory. The results are the same.
  package var openEvents = AnalysisLimits.openEvents
  /// Whether plain passes are replayed in batches, not event by event. The results are the same.
  package var replaysPasses = true
  /// The number of steps that any trace may cost. Larger traces get more.
  package var steps = AnalysisLimits.stepsOfAnyTrace
  /// Called with the number of steps when the replay is finished.
  package var noteSteps: (@Sendable (Int) -> Void)?

  public init() {}
}
