import RunLoopVocabulary

/// A comparison of two builds of a fleet, or of any other two values of keys.
///
/// One number for each session answers a question; events of one session are not independent. First each question is
/// tested over the whole fleet, within strata of the other keys. Strata are tested individually only for discoveries.
/// Both levels allow 5 % false discoveries.
package struct FleetJudgement: Sendable {
  package enum Outcome: String, Sendable, CaseIterable {
    case worse, better
    /// A discovery that is smaller than the smallest relevant difference.
    case minor
    case same
    case tooFew = "too_few"
  }

  package struct Row: Sendable {
    package var question: Question
    /// The mode or timer; empty = the session.
    package var subject: String
    /// The stratum by its keys; empty = the whole fleet.
    package var stratum: [(key: String, value: String)]
    package var test: StratifiedTest
    package var outcome: Outcome
  }

  package let base: [String: String]
  package let new: [String: String]
  /// The keys of the strata.
  package let strata: [String]
  /// The whole fleet, and below each discovery its strata.
  package private(set) var rows: [Row] = []

  /// A difference is relevant if it is at least this share of the base.
  package static let relevantShare = 0.05

  /// Whether no question that decides has enough sessions.
  package var isUndecided: Bool { !rows.contains { $0.question.decides && $0.outcome != .tooFew } }

  package var regressions: [Row] {
    rows.filter { $0.stratum.isEmpty && $0.outcome == .worse && $0.question.decides }
  }

  /// A question about a session, a mode or a timer.
  private struct Subject: Hashable {
    var question: Question
    var name: String
  }

  private typealias Sides = (base: SessionValues, new: SessionValues)
  private typealias Test = (subject: Subject, stratum: [(String, String)], test: StratifiedTest)

  /// `fleet` must have the keys of `base`, `new` and `strata`.
  package init(_ fleet: Fleet, base: [String: String], new: [String: String], strata: [String]) {
    (self.base, self.new, self.strata) = (base, new, strata)
    func side(_ wanted: [String: String]) -> [[String]: SessionSummary] {
      fleet.merged(by: strata) { keys in wanted.allSatisfy { keys[$0.key] == $0.value } }
    }
    let (baseSide, newSide) = (side(base), side(new))
    let places = baseSide.keys.filter { newSide[$0] != nil }.sorted { $0.lexicographicallyPrecedes($1) }
    var values: [Subject: [[String]: Sides]] = [:]
    for place in places {
      for (subject, found) in FleetJudgement.values(baseSide[place]) {
        values[subject, default: [:]][place, default: ([], [])].base = found
      }
      for (subject, found) in FleetJudgement.values(newSide[place]) {
        values[subject, default: [:]][place, default: ([], [])].new = found
      }
    }
    let subjects = Question.allCases.flatMap { question in
      values.keys.filter { $0.question == question }.ordered { $0.name < $1.name }
    }
    let whole = judged(
      subjects.map { subject in
        (subject, [], StratifiedTest(places.compactMap { values[subject]?[$0] }))
      })
    let discoveries = whole.filter { $0.outcome == .worse || $0.outcome == .better }
    let parts =
      strata.isEmpty
      ? []
      : judged(
        discoveries.flatMap { row in
          let subject = Subject(question: row.question, name: row.subject)
          return places.compactMap { place in
            values[subject]?[place].map { (subject, Array(zip(strata, place)), StratifiedTest([$0])) }
          }
        })
    for row in whole {
      rows.append(row)
      rows += parts.filter { $0.question == row.question && $0.subject == row.subject }
    }
  }

  /// Returns the values of the sessions for each subject. Questions of a newer version are left out.
  private static func values(_ summary: SessionSummary?) -> [(Subject, SessionValues)] {
    guard let summary, let place = SummaryList.measures.place("values") else { return [] }
    return summary.rows(.measures).compactMap { identity, row in
      Question(rawValue: identity[0]).map {
        (Subject(question: $0, name: identity[1]), SummaryCells.ordered(row.cells[place]))
      }
    }
  }

  /// Judges tests together.
  private func judged(_ tests: [Test]) -> [Row] {
    let enough = tests.indices.filter { !tests[$0].test.isTooFew }
    let discoveries = FalseDiscoveries.discoveries(enough.map { tests[$0].test.pValue })
    var rows = tests.map { subject, stratum, test in
      Row(
        question: subject.question, subject: subject.name,
        stratum: stratum.map { (key: $0.0, value: $0.1) }, test: test, outcome: .tooFew)
    }
    for (place, isDiscovery) in zip(enough, discoveries) {
      rows[place].outcome = isDiscovery ? FleetJudgement.outcome(rows[place]) : .same
    }
    return rows
  }

  /// Returns the outcome of a discovery.
  private static func outcome(_ row: Row) -> Outcome {
    let test = row.test
    let difference = test.newMean - test.baseMean
    let relevant = max(row.question.relevant, relevantShare * min(test.baseMean, test.newMean))
    // Ranks and means must agree on the direction.
    guard abs(difference) >= relevant, (difference > 0) == test.isNewLarger else { return .minor }
    return difference > 0 ? .worse : .better
  }
}
