import RunLoopVocabulary

/// A comparison of two builds of a fleet, or of any other two values of keys.
///
/// One number for each session answers a question; events of one session are not independent. Each question is tested over
/// the whole fleet, for each value of a stratum's key, and in each stratum. All these tests together allow 5 % false
/// discoveries, so a regression of one system or of one callout is found by itself.
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
    /// The mode, timer, callout or queue; empty = the session.
    package var subject: String
    /// The part of the fleet by its keys; empty = the whole fleet.
    package var stratum: [(key: String, value: String)]
    package var test: StratifiedTest
    package var outcome: Outcome
  }

  package let base: [String: String]
  package let new: [String: String]
  /// The keys of the strata.
  package let strata: [String]
  /// Each question over the whole fleet, followed by its parts with enough sessions.
  package private(set) var rows: [Row] = []

  /// A difference is relevant if it is at least this share of the base.
  package static let relevantShare = 0.05

  /// Whether no question that decides has enough sessions.
  package var isUndecided: Bool { !rows.contains { $0.question.decides && $0.outcome != .tooFew } }

  package var regressions: [Row] {
    rows.filter { $0.outcome == .worse && $0.question.decides }
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
    FleetJudgement.addAbsentCallouts(to: &values, places)
    let subjects = Question.allCases.flatMap { question in
      values.keys.filter { $0.question == question }.ordered { $0.name < $1.name }
    }
    let groups = FleetJudgement.groups(places, strata)
    rows = judged(
      subjects.flatMap { subject in
        groups.map { group in
          let sides = group.places.compactMap { values[subject]?[$0] }
          return (subject, group.stratum, StratifiedTest(sides))
        }
      })
  }

  private typealias Group = (stratum: [(String, String)], places: [[String]])

  /// Returns the whole fleet, the strata with one key in common, and each stratum. Groups of equal strata occur once.
  private static func groups(_ places: [[String]], _ strata: [String]) -> [Group] {
    var groups: [Group] = [([], places)]
    for (number, key) in strata.enumerated() {
      for value in Set(places.map { $0[number] }).ordered() {
        groups.append(([(key, value)], places.filter { $0[number] == value }))
      }
    }
    if strata.count > 1 { groups += places.map { (Array(zip(strata, $0)), [$0]) } }
    var known: Set<[[String]]> = []
    return groups.filter { known.insert($0.places).inserted }
  }

  /// Gives sessions without a callout the share 0 if their callouts are known. A callout of few sessions is left out.
  private static func addAbsentCallouts(to values: inout [Subject: [[String]: Sides]], _ places: [[String]]) {
    let known = values.removeValue(forKey: Subject(question: .shareOfCallout, name: "")) ?? [:]
    func sessions(_ values: SessionValues) -> UInt64 { values.map(\.count).saturatedSum }
    func filled(_ values: SessionValues, of all: SessionValues) -> SessionValues {
      let absent = sessions(all) &- min(sessions(all), sessions(values))
      return absent > 0 ? [(value: 0, count: absent)] + values : values
    }
    for subject in values.keys where subject.question == .shareOfCallout {
      let found = values.removeValue(forKey: subject) ?? [:]
      let all = found.values.map { sessions($0.base).saturated(adding: sessions($0.new)) }.saturatedSum
      guard all >= StratifiedTest.fewestSessions else { continue }
      values[subject] = known.mapValues { _ in ([], []) }.merging(found) { $1 }
      for (place, sides) in known {
        let own = found[place] ?? ([], [])
        values[subject]?[place] = (filled(own.base, of: sides.base), filled(own.new, of: sides.new))
      }
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

  /// Judges tests together. Keeps only the parts of the fleet that have enough sessions. Tests whose sessions all
  /// have the same value cannot find anything, so they are not counted.
  private func judged(_ tests: [Test]) -> [Row] {
    let tests = tests.filter { $0.stratum.isEmpty || !$0.test.isTooFew }
    let tested = tests.indices.filter { !tests[$0].test.isTooFew && tests[$0].test.hasVariance }
    let discoveries = FalseDiscoveries.discoveries(tested.map { tests[$0].test.pValue })
    var rows = tests.map { subject, stratum, test in
      Row(
        question: subject.question, subject: subject.name,
        stratum: stratum.map { (key: $0.0, value: $0.1) }, test: test,
        outcome: test.isTooFew ? .tooFew : .same)
    }
    for (place, isDiscovery) in zip(tested, discoveries) where isDiscovery {
      rows[place].outcome = FleetJudgement.outcome(rows[place])
    }
    return rows
  }

  /// Returns the outcome of a discovery.
  private static func outcome(_ row: Row) -> Outcome {
    let test = row.test
    let difference = test.newMean - test.baseMean
    let relevant = max(row.question.relevant, relevantShare * min(test.baseMean, test.newMean))
    guard abs(difference) >= relevant else { return .minor }
    return difference > 0 ? .worse : .better
  }
}

extension FleetJudgement {
  /// The clearest regression, and the callout or timer that changed for the worse in the same part of the fleet. That
  /// part, or the whole fleet, is where the question changed most clearly.
  package var clearest: (regression: Row, culprit: Row?)? {
    func clearest(_ rows: [Row]) -> Row? {
      rows.reduce(nil) { best, row in best.map { $0.test.score >= row.test.score } ?? false ? best : row }
    }
    let worse = regressions
    guard let first = clearest(worse.filter { !$0.question.namesCulprit }) ?? clearest(worse) else {
      return nil
    }
    let there = worse.filter { $0.question.namesCulprit && $0.stratum.elementsEqual(first.stratum, by: ==) }
    return (first, first.question.namesCulprit ? nil : clearest(there))
  }
}
