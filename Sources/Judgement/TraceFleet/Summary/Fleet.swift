import RunLoopVocabulary

/// Summaries of many recordings, merged by some of their keys. Memory grows with the number of distinct keys and names, not
/// with the number of summaries.
package struct Fleet: Sendable {
  /// The keys by which summaries are grouped; all others are dropped.
  package let keys: [String]
  /// By the values of `keys`; a key that a summary lacks is empty.
  package private(set) var groups: [[String]: SessionSummary] = [:]
  private var ids: Set<String> = []
  /// The number of summaries of a trace that was already added.
  package private(set) var repeated: UInt64 = 0
  /// The number of lines that were left out because they are not summaries.
  package private(set) var rejected: UInt64 = 0
  /// The number of sessions with losses. Only their `recordings` row is added.
  package private(set) var lossy: UInt64 = 0

  package init(keys: [String]) { self.keys = keys }

  /// Adds a summary. A further summary of the same trace is counted but not added.
  package mutating func add(_ summary: SessionSummary) {
    if let id = summary.id, !ids.insert(id).inserted {
      repeated += 1
      return
    }
    var summary = summary
    summary.measureCallouts()
    lossy = lossy.saturated(adding: summary.sum(.recordings, "lossy_sessions"))
    let values = keys.map { summary.keys[$0] ?? "" }
    if groups[values] == nil {
      let known = zip(keys, values).filter { !$0.1.isEmpty }
      groups[values] = .empty(Dictionary(uniqueKeysWithValues: known.map { ($0.0, $0.1) }))
    }
    groups[values]?.merge(summary)
  }

  /// Counts a line that is not a summary.
  package mutating func reject() { rejected += 1 }

  package var sessions: UInt64 { groups.values.reduce(0) { $0.saturated(adding: $1.sessions) } }

  /// Returns the groups by some of the keys, in the order of their values.
  package func ordered(by kept: [String]) -> [(values: [String], summary: SessionSummary)] {
    merged(by: kept).map { (values: $0.key, summary: $0.value) }.ordered {
      $0.values.lexicographicallyPrecedes($1.values)
    }
  }

  /// Returns the groups that satisfy the condition, merged by some of the keys.
  package func merged(
    by kept: [String], where isWanted: ([String: String]) -> Bool = { _ in true }
  ) -> [[String]: SessionSummary] {
    var result: [[String]: SessionSummary] = [:]
    for (_, summary) in groups where isWanted(summary.keys) {
      let values = kept.map { summary.keys[$0] ?? "" }
      result[values, default: .empty(summary.keys.filter { kept.contains($0.key) })].merge(summary)
    }
    return result
  }
}
