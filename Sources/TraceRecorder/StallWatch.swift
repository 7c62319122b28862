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
  /// So long in one activity is too long, by the phase of the app's life, and else `limitNs`: what a watchdog ends a
  /// program for. The stack is sampled at that moment, and shortly before. 0 = there is no limit.
  public var limitsNs = Watchdog.limitsNs
  public var limitNs = Watchdog.limitNs

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

  /// The limit in each phase, from before the first mark on.
  package var limitOfPhase: [UInt64] { [limitNs] + LifePhase.allCases.map { limitsNs[$0] ?? limitNs } }

  var options: rlt_sentinel_options {
    var options = rlt_sentinel_options()
    options.beat_ns = beatNs
    options.threshold_ns = thresholdNs
    options.signal = signal
    unsafe withUnsafeMutableBytes(of: &options.limits_ns) { limits in
      unsafe limitOfPhase.withUnsafeBytes { unsafe limits.copyMemory(from: $0) }
    }
    return options
  }
}
