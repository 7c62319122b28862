import RunLoopVocabulary

/// A comparison of two builds of a fleet, or of any other two values of keys.
///
/// One number for each session answers a question; events of one session are not independent. First each question is tested
/// over the whole fleet, within strata of the other keys. Only for discoveries, each stratum is tested by itself. Both levels
/// allow 5 % false discoveries.
public struct FleetJudgement: Sendable {
  public enum Outcome: String, Sendable, CaseIterable {
    case worse, better
    /// A discovery that is smaller than the smallest relevant difference.
    case minor
    case same
    case tooFew = "too_few"
  }

  public struct Row: Sendable {
    public var question: Question
    /// The mode or timer; empty = the session.
    public var subject: String
    /// The stratum by its keys; empty = the whole fleet.
    public var stratum: [(key: String, value: String)]
    public var test: StratifiedTest
    public var outcome: Outcome
  }

  public let base: [String: String]
  public let new: [String: String]
  /// The keys of the strata.
  public let strata: [String]
  /// The whole fleet, and below each discovery its strata.
  public private(set) var rows: [Row] = []

  /// A difference is relevant from this share of the base on.
  public static let relevantShare = 0.05

  /// Nothing can be said about a build: no question has enough sessions.
  public var isUndecided: Bool { !rows.contains { $0.question.decides && $0.outcome != .tooFew } }

  public var regressions: [Row] {
    rows.filter { $0.stratum.isEmpty && $0.outcome == .worse && $0.question.decides }
  }

  private typealias Subject = (question: Question, subject: String)
  private typealias Sides = (base: SessionValues, new: SessionValues)

  /// `fleet` must have the keys of `base`, `new` and `strata`.
  public init(_ fleet: Fleet, base: [String: String], new: [String: String], strata: [String]) {
    (self.base, self.new, self.strata) = (base, new, strata)
    let sides = [base, new].map { side in
      fleet.merged(by: strata) { keys in side.allSatisfy { keys[$0.key] == $0.value } }
    }
    let places = Set(sides[0].keys).intersection(sides[1].keys).sorted { $0.lexicographicallyPrecedes($1) }
    var subjects: [[String]: [[String]: Sides]] = [:]
    for place in places {
      for (number, side) in sides.enumerated() {
        guard let summary = side[place] else { continue }
        for (identity, row) in summary.rows(.measures) {
          let values = SummaryCells.ordered(row.cells[1])
          if number == 0 {
            subjects[identity, default: [:]][place, default: ([], [])].base = values
          } else {
            subjects[identity, default: [:]][place, default: ([], [])].new = values
          }
        }
      }
    }
    let questions = Question.allCases
    let order = subjects.keys.filter { Question(rawValue: $0[0]) != nil }.ordered {
      let (a, b) = (Question(rawValue: $0[0]), Question(rawValue: $1[0]))
      let (i, j) = (questions.firstIndex { $0 == a } ?? 0, questions.firstIndex { $0 == b } ?? 0)
      return i != j ? i < j : $0[1] < $1[1]
    }
    let whole = judged(
      order.map { identity in
        (identity, [], StratifiedTest(places.map { subjects[identity]?[$0] ?? ([], []) }))
      })
    let found = whole.filter { $0.outcome == .worse || $0.outcome == .better }
    let parts =
      strata.isEmpty
      ? []
      : judged(
        found.flatMap { row in
          let identity = [row.question.rawValue, row.subject]
          return places.compactMap { place in
            subjects[identity]?[place].map { sides in
              (identity, Array(zip(strata, place)), StratifiedTest([sides]))
            }
          }
        })
    for row in whole {
      rows.append(row)
      rows += parts.filter { $0.question == row.question && $0.subject == row.subject }
    }
  }

  /// Judges tests together.
  private func judged(
    _ tests: [(identity: [String], stratum: [(String, String)], test: StratifiedTest)]
  ) -> [Row] {
    let enough = tests.indices.filter { !tests[$0].test.isTooFew }
    let discoveries = FalseDiscoveries.discoveries(enough.map { tests[$0].test.pValue })
    var outcomes = Array(repeating: Outcome.tooFew, count: tests.count)
    for (place, isDiscovery) in zip(enough, discoveries) {
      let test = tests[place].test
      guard let question = Question(rawValue: tests[place].identity[0]) else { continue }
      let difference = test.newMean - test.baseMean
      let relevant = max(question.relevant, FleetJudgement.relevantShare * min(test.baseMean, test.newMean))
      outcomes[place] =
        !isDiscovery
        ? .same
        // Ranks and means must agree on the direction.
        : abs(difference) < relevant || (difference > 0) != test.isNewLarger
          ? .minor : difference > 0 ? .worse : .better
    }
    return tests.indices.compactMap { place in
      guard let question = Question(rawValue: tests[place].identity[0]) else { return nil }
      return Row(
        question: question, subject: tests[place].identity[1],
        stratum: tests[place].stratum.map { (key: $0.0, value: $0.1) }, test: tests[place].test,
        outcome: outcomes[place])
    }
  }
}
