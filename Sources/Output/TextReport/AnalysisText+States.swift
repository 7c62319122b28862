import TraceAnalysis
import TraceTables

extension AnalysisText {
  /// Returns the sections of the results that a state splits.
  func split() -> [String] {
    guard let split = analysis.split, let state = split.values.first?.state else { return [] }
    let name = elided(state, limit: 30)
    let limit = 2 * AnalysisText.shown
    return section("Values of the state \(name)", table(StateTables.values, split.values, limit: limit))
      + section("Modes, by \(name)", table(StateTables.modes, split.modes, limit: limit))
      + section("Timers, by \(name)", table(StateTables.timers, split.timers, limit: limit))
      + section("Frame sources, by \(name)", table(StateTables.frames, split.frames, limit: limit))
      + section("Callouts, by \(name)", table(StateTables.callouts, split.callouts, limit: limit))
  }
}
