/// What gaps are held against, by the phase of the app's life that they begin in.
public struct Profile: Sendable, Equatable {
  public var name: String
  /// In phases that `limits` does not name, nanoseconds.
  public var limitNs: UInt64
  public var limits: [LifePhase: UInt64]
  /// Gaps from here on are listed, nanoseconds.
  public var listedFromNs: UInt64
  /// The system ends a program that is over its limit: the share of the limit used is of interest.
  public var isWatchdog: Bool
  /// What all background tasks of one stay in the background may take together, nanoseconds; nil = no limit.
  public var backgroundTotalNs: UInt64?
  /// How long an app may run in the background without a task or service, after it went there, nanoseconds.
  public var backgroundGraceNs: UInt64?
  /// Names of timers that are meant to wait while another mode runs.
  public var deferrable: Set<String> = []

  public init(
    name: String, limitNs: UInt64, limits: [LifePhase: UInt64] = [:], listedFromNs: UInt64? = nil,
    isWatchdog: Bool = false, backgroundTotalNs: UInt64? = nil, backgroundGraceNs: UInt64? = nil
  ) {
    self.name = name
    self.limitNs = limitNs
    self.limits = limits
    self.listedFromNs = listedFromNs ?? limitNs
    self.isWatchdog = isWatchdog
    self.backgroundTotalNs = backgroundTotalNs
    self.backgroundGraceNs = backgroundGraceNs
  }

  /// The limit in a phase; nil = before the first mark.
  public func limit(in phase: LifePhase?) -> UInt64 { phase.flatMap { limits[$0] } ?? limitNs }

  /// A touch should be answered within a tenth of a second.
  public static let interactive = Profile(name: "interactive", limitNs: 100_000_000)
  /// What iOS allows before it ends a program; beside the budget of each task, ten minutes of background work in one stay;
  /// and some five seconds before an app without a task is suspended.
  public static let watchdog = Profile(
    name: "watchdog", limitNs: Watchdog.limitNs, limits: Watchdog.limitsNs, listedFromNs: BusyClass.hangNs,
    isWatchdog: true, backgroundTotalNs: 600_000_000_000, backgroundGraceNs: 5_000_000_000)
  /// What is advised for a monitor in the field: well below the system's limits.
  public static let monitor = Profile(
    name: "monitor", limitNs: 3_000_000_000, limits: [.launching: 10_000_000_000])
  public static let monitor1s = Profile(name: "monitor-1s", limitNs: 1_000_000_000)
  public static let monitor3s = Profile(name: "monitor-3s", limitNs: 3_000_000_000)

  public static let named = [interactive, watchdog, monitor, monitor1s, monitor3s]
}
