import TraceAnalysis

extension TimerResult {
  /// Whether any fire was late or a point was skipped.
  package var wasLate: Bool { ledger.map { $0.latenessNs.sum > 0 || $0.skipped > 0 } ?? false }
}

extension [TimerResult] {
  /// The indices sorted by most skipped points, then by most fires, then by name.
  package var mostStarvedFirst: [Int] {
    // A result is large and its name is computed, so the sort uses keys.
    let keys = map { ($0.ledger?.skipped ?? 0, $0.fired, $0.name) }
    return indices.ordered { (keys[$0].0, keys[$0].1, keys[$1].2) > (keys[$1].0, keys[$1].1, keys[$0].2) }
  }
}
