import CRLTraceStacks
import RunLoopVocabulary

/// How a recording looks for loops that stay where they are, and samples the stacks of their threads.
public struct StallWatch: Sendable, Equatable {
  /// So long in one activity, and not waiting, is a stall.
  public var thresholdNs: UInt64
  /// From look to look, and from sample to sample.
  public var beatNs: UInt64
  /// Interrupts a thread that runs, while its stack is copied; one that the program handles itself is left alone. 0 = only
  /// threads that sleep are sampled.
  public var signal: Int32

  public static let standardBeatNs: UInt64 = 50_000_000
  /// SIGURG, which does nothing where nobody handles it.
  public static let standardSignal = Int32(RLT_USUAL_STALL_SIGNAL)

  public init(
    thresholdNs: UInt64 = BusyClass.hangNs, beatNs: UInt64 = standardBeatNs, signal: Int32 = standardSignal
  ) {
    self.thresholdNs = thresholdNs
    self.beatNs = beatNs
    self.signal = signal
  }

  /// For each callout that is longer than `intervalNs`.
  public init(everyNs intervalNs: UInt64, signal: Int32 = standardSignal) {
    self.init(thresholdNs: intervalNs, beatNs: intervalNs, signal: signal)
  }

  var options: rlt_sentinel_options {
    rlt_sentinel_options(beat_ns: beatNs, threshold_ns: thresholdNs, signal: signal)
  }
}
