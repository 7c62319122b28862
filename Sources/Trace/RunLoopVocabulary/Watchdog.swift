/// The limits after which iOS ends a program: 20 s to launch, 10 s to resume or to go to the background, 6 s to quit.
/// In other phases iOS sets no limit; 10 s is the time after which people give up.
public enum Watchdog {
  public static let limitNs: UInt64 = 10_000_000_000
  public static let limitsNs: [LifePhase: UInt64] = [
    .launching: 20_000_000_000, .foreground: 10_000_000_000, .inactive: 10_000_000_000,
    .background: 10_000_000_000, .terminating: 6_000_000_000,
  ]
}
