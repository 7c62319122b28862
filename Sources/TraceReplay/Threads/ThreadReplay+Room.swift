/// Room for runs and callouts, as many as a thread turns out to need.
extension ThreadReplay {
  static let firstRoom = 4

  /// For one more run.
  mutating func widenFrames() { frames.widen(to: 2 * frames.capacity) }

  /// For one more open callout. False when there are as many as are followed.
  @inline(never)
  mutating func widenCallouts() -> Bool {
    guard calloutRoom < AnalysisLimits.openCallouts else { return false }
    calloutRoom = min(2 * calloutRoom, AnalysisLimits.openCallouts)
    callouts.widen(to: calloutRoom)
    return true
  }
}
