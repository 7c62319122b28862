import TraceFormat

/// The options for the results that a replay keeps.
package struct ReplayOptions: Sendable {
  /// The shortest gap that is listed, in nanoseconds.
  package var gapThresholdNs = BusyClass.hangNs
  /// Whether gaps are listed from the length at which the recorder sampled stacks, if that is shorter.
  package var listsSampledGaps = false
  /// The shortest busy interval that is listed, in nanoseconds (Apple's smallest class).
  package var busyThresholdNs = BusyClass.briefUnresponsiveness.fromNs
  /// Whether a pass and a busy interval that are open when the span begins count in it, with their whole length.
  /// Otherwise they are left out. Spans that follow each other then lose none: each counts where it ends.
  package var countsOpenAtStart = false
  /// The stall monitors to run over the trace.
  package var detectors = Detector.standard
  /// Whether to keep the distributions of durations and of event loops' passes by callout, some 40 kB each. Passes of
  /// event loops are then not replayed in batches.
  package var keepsCalloutDurations = false
  /// Whether any repeating timer may be a frame source, not only those that look like one.
  package var followsAllFrames = false
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

  package init() {}

  /// Lists gaps of this length and above; nil = the usual length, or the length from which the recording has stacks.
  package mutating func listGaps(fromNs thresholdNs: UInt64?) {
    gapThresholdNs = thresholdNs ?? gapThresholdNs
    listsSampledGaps = thresholdNs == nil
  }

  /// Returns the length from which gaps of a trace are listed, in nanoseconds.
  package func listedGapNs(of reader: TraceReader) -> UInt64 {
    guard listsSampledGaps, let sampled = reader.info.first(where: { $0.key == InfoEntry.stallThreshold })
    else { return gapThresholdNs }
    return min(gapThresholdNs, max(UInt64(sampled.value) ?? .max, Self.shortestSampledNs))
  }

  /// The recorder accepts no shorter interval between samples.
  private static let shortestSampledNs: UInt64 = 1_000_000
}
