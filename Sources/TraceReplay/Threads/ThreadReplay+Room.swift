/// Room for runs and callouts. It grows as a thread needs it.
extension ThreadReplay {
  static let firstRoom = 4

  /// Makes room for one more run.
  mutating func widenFrames() { frames.widen(to: 2 * frames.capacity) }

  /// Makes room for one more open callout. Returns false at the limit.
  @inline(never)
  mutating func widenCallouts() -> Bool {
    guard calloutRoom < AnalysisLimits.openCallouts else { return false }
    calloutRoom = min(2 * calloutRoom, AnalysisLimits.openCallouts)
    callouts.widen(to: calloutRoom)
    return true
  }
}
