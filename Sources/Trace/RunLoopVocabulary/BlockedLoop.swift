/// When an event loop counts as blocked.
package enum BlockedLoop {
  /// A loop that slept or waited for something else than its descriptors, in nanoseconds.
  package static let waitingNs: UInt64 = 50_000_000
  /// A loop that computed, or whose cause is not known.
  package static let computingNs: UInt64 = 100_000_000
  /// Stacks of event loops are sampled in activities of this length and above, unless the user sets another one.
  package static let sampledNs: UInt64 = 40_000_000
}
