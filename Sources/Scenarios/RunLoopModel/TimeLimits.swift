/// How the runs of a loop treat a due point at their time limit.
package struct TimeLimits: Sendable {
  package enum Ends: Sendable {
    /// Serve the due points up to the limit.
    case exact
    /// Do not serve a due point that lies a little before the limit.
    case early
    /// Serve a due point that lies a little after the limit.
    case late
  }

  package var ends = Ends.exact
  /// The maximum distance between a due point and a limit, in nanoseconds; 0 = none.
  package var slackNs: UInt64 = 0

  package init(ends: Ends = .exact, slackNs: UInt64 = 0) {
    self.ends = ends
    self.slackNs = slackNs
  }
}
