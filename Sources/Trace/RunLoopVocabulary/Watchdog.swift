/// The limits after which iOS ends a program: 20 s to launch, 10 s to resume or to go to the background, 6 s to quit.
/// In other phases iOS sets no limit; 10 s is the time after which people give up.
package enum Watchdog {
  package static let limitNs: UInt64 = 10_000_000_000
  package static let limitsNs: [LifePhase: UInt64] = [
    .launching: 20_000_000_000, .foreground: 10_000_000_000, .inactive: 10_000_000_000,
    .background: 10_000_000_000, .terminating: 6_000_000_000,
  ]
  /// The time of one background task, from iOS 7 on. Later versions of iOS often give less.
  package static let backgroundTaskNs: UInt64 = 180_000_000_000
  /// The time of all background tasks of one stay in the background. Before iOS 7, it was the only limit.
  package static let backgroundTotalNs: UInt64 = 600_000_000_000
  /// The two tiers of field practice: the loop stutters from 3 s on, and is frozen from 10 s on.
  package static let stutterNs: UInt64 = 3_000_000_000
  package static let freezeNs: UInt64 = 10_000_000_000
}
