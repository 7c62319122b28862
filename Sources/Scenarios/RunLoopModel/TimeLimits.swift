/// How exactly the runs of a loop keep their time limits, where a due point lies at a limit.
package struct TimeLimits: Sendable {
  package enum End: Sendable {
    /// At the limit.
    case exact
    /// Before a due point that lies a little before the limit.
    case early
    /// After a due point that lies a little after the limit.
    case late
  }

  package var ends = End.exact
  /// The maximum distance between a due point and a limit, in nanoseconds; 0 = none.
  package var slackNs: UInt64 = 0

  package init(ends: End = .exact, slackNs: UInt64 = 0) {
    self.ends = ends
    self.slackNs = slackNs
  }
}
