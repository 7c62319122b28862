/// Polls: runs that return at once and serve nothing.
package enum PollRates {
  /// The numbers of polls per second from which a loop polls.
  package static let perSecond = (error: 1000.0, warning: 100.0)
  /// A run that took less time returned at once, in nanoseconds.
  package static let longestNs: UInt64 = 2_000_000
}
