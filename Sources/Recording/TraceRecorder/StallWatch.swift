import CRLTraceStacks
import RunLoopVocabulary

/// How a recording looks for stalled loops and samples the stacks of their threads.
public struct StallWatch: Sendable, Equatable {
  /// A loop that stays in one activity this long without waiting is stalled.
  public var thresholdNs: UInt64
  /// The interval between looks and between samples.
  package var beatNs: UInt64
  /// The signal that interrupts a running thread while its stack is copied. A signal that the program handles itself
  /// is not used. 0 = only sleeping threads are sampled.
  public var signal: Int32
  /// The time in one activity after which a watchdog ends a program, by the phase of the app's life, and `limitNs`
  /// for other phases. The stack is sampled at that moment and shortly before. 0 = no limit.
  package var limitsNs = Watchdog.limitsNs
  package var limitNs = Watchdog.limitNs

  /// The shortest stay that users notice, by Apple's classes.
  @usableFromInline package static let standardThresholdNs = BusyClass.briefUnresponsiveness.fromNs
  package static let standardBeatNs: UInt64 = 50_000_000
  private static let shortestBeatNs: UInt64 = 1_000_000
  /// SIGURG, which has no effect unless the program handles it.
  @usableFromInline package static let standardSignal = Int32(RLT_USUAL_STALL_SIGNAL)

  /// Creates a watch that looks twice in the shortest stall, and at least every `standardBeatNs`.
  public init(thresholdNs: UInt64 = standardThresholdNs, signal: Int32 = standardSignal) {
    self.thresholdNs = thresholdNs
    beatNs = min(StallWatch.standardBeatNs, max(thresholdNs / 2, StallWatch.shortestBeatNs))
    self.signal = signal
  }

  /// Creates a watch that samples each callout longer than `intervalNs`.
  package init(everyNs intervalNs: UInt64, signal: Int32 = standardSignal) {
    self.init(thresholdNs: intervalNs, signal: signal)
    beatNs = intervalNs
  }

  /// The limit in each phase. The first one applies before the first mark.
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
