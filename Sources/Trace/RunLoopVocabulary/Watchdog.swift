/// The limits after which iOS ends a program: 20 s to launch, 10 s to resume or to go to the background, 6 s to quit.
/// In other phases iOS sets no limit; 10 s is the time after which people give up.
package enum Watchdog {
  package static let limitNs: UInt64 = 10_000_000_000
  package static let limitsNs: [LifePhase: UInt64] = [
    .launching: 20_000_000_000, .foreground: 10_000_000_000, .inactive: 10_000_000_000,
    .background: 10_000_000_000, .terminating: 6_000_000_000,
  ]
}
