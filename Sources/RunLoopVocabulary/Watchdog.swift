/// What iOS allows before it ends a program: 20 s to launch, 10 s to come back or to leave, 6 s to quit. Elsewhere it sets no
/// limit, and 10 s are after which people give up.
public enum Watchdog {
  public static let limitNs: UInt64 = 10_000_000_000
  public static let limitsNs: [LifePhase: UInt64] = [
    .launching: 20_000_000_000, .foreground: 10_000_000_000, .inactive: 10_000_000_000,
    .background: 10_000_000_000, .terminating: 6_000_000_000,
  ]
}
