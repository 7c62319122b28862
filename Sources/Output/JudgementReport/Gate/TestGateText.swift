import ReportWriting
import TraceAnalysis
import TraceGate

/// Writes the results of a gate as text for people, one line for each test.
package struct TestGateText {
  private let tests: [TestGate]
  private let style: TextStyle

  package init(_ tests: [TestGate], style: TextStyle) {
    self.tests = tests
    self.style = style
  }

  /// Returns the lines. `budget` is the YAML of the built-in budget if the user gave none.
  package func lines(builtInBudget budget: String? = nil) -> [String] {
    GateText.introduction(budget, style)
      + tests.map { GateText.mark($0.outcome, style) + "\($0.title): \($0.account)" }
      + [Self.summary(tests)]
  }

  /// Returns one line with the number of tests that pass, are broken or are undecided.
  static func summary(_ tests: [TestGate]) -> String {
    func count(_ outcome: Gate.Outcome) -> Int { tests.count { $0.outcome == outcome } }
    let parts = [(count(.broken), "broken"), (count(.undecided), "undecided")].filter { $0.0 > 0 }
    let passed = "\(count(.pass)) of \(tests.count) \(tests.count == 1 ? "test passes" : "tests pass")"
    return ([passed] + parts.map { "\($0.0) \($0.1)" }).joined(separator: ", ")
  }
}

extension TestGate {
  var title: String { test.map { harmless($0, limit: GateEntry.longest) } ?? "the whole trace" }

  /// Why a test is undecided if `isOpen`.
  static let open = "the recording ended before the test did"

  /// The rules that do not hold, or their number if all hold.
  fileprivate var account: String {
    let others = gate.entries.filter { $0.outcome != .pass }
    let open = isOpen ? [Self.open] : []
    guard !others.isEmpty || isOpen else { return gate.summary }
    return (others.map { "\($0.heading): \($0.account)" } + open).joined(separator: "; ")
  }
}
