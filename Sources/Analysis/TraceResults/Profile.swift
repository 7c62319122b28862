/// The limits for gaps, by the phase of the app's life in which they begin.
public struct Profile: Sendable, Equatable {
  package var name: String
  /// The limit in phases that `limits` does not name, nanoseconds.
  package var limitNs: UInt64
  package var limits: [LifePhase: UInt64]
  /// The length from which a gap below its limit is a stutter, nanoseconds; nil = no gap is.
  package var stutterNs: UInt64?
  /// The length from which gaps are listed, nanoseconds.
  package var listedFromNs: UInt64
  /// Whether the system ends a program that exceeds its limit. If so, reports show the share of the limit that was
  /// used.
  package var isWatchdog: Bool
  /// The time of one background task, nanoseconds; nil = no limit.
  package var backgroundTaskNs: UInt64?
  /// The total time of all background tasks of one stay in the background, nanoseconds; nil = no limit.
  package var backgroundTotalNs: UInt64?
  /// How long an app may run in the background without a task or service after it went there, nanoseconds.
  package var backgroundGraceNs: UInt64?
  /// Names of timers that are meant to wait while another mode runs.
  package var deferrable: Set<String> = []

  /// Creates a profile. Without `listedFromNs`, gaps are listed from `limitNs` on.
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

  /// Returns the limit in a phase; nil = before the first mark.
  package func limit(in phase: LifePhase?) -> UInt64 { phase.flatMap { limits[$0] } ?? limitNs }

  /// An app should answer a touch within a tenth of a second.
  public static let interactive = Profile(name: "interactive", limitNs: 100_000_000)
  /// The limits after which iOS ends a program, from iOS 7 on. They include three minutes for each background task and
  /// ten minutes for all tasks of one stay, and about five seconds before an app without a task is suspended.
  public static let watchdog = iOS("watchdog", backgroundTaskNs: Watchdog.backgroundTaskNs)
  /// The usual advice for a monitor in the field: well below the system's limits.
  public static let monitor = Profile(
    name: "monitor", limitNs: 3_000_000_000, limits: [.launching: 10_000_000_000])
  package static let monitor1s = Profile(name: "monitor-1s", limitNs: 1_000_000_000)
  package static let monitor3s = Profile(name: "monitor-3s", limitNs: 3_000_000_000)

  /// Two tiers of field practice: a stutter and a freeze.
  package static let stutter: Profile = {
    var profile = Profile(name: "stutter", limitNs: Watchdog.freezeNs, listedFromNs: Watchdog.stutterNs)
    profile.stutterNs = Watchdog.stutterNs
    return profile
  }()
  /// The limits before iOS 7: a background task had the ten minutes of all tasks.
  package static let watchdogIOS6 = iOS("watchdog-ios6", backgroundTaskNs: nil)

  package static let named = [interactive, watchdog, monitor, monitor1s, monitor3s, stutter, watchdogIOS6]

  private static func iOS(_ name: String, backgroundTaskNs: UInt64?) -> Profile {
    var profile = Profile(
      name: name, limitNs: Watchdog.limitNs, limits: Watchdog.limitsNs, listedFromNs: BusyClass.hangNs,
      isWatchdog: true, backgroundTotalNs: Watchdog.backgroundTotalNs, backgroundGraceNs: 5_000_000_000)
    profile.backgroundTaskNs = backgroundTaskNs
    return profile
  }
}
