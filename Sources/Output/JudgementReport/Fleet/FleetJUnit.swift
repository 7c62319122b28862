import EmbeddedFiles
import ReportWriting
import TraceFleet
import TraceResults

/// Writes a comparison of builds as JUnit XML: a test case for each question and regression, a failure for a regression,
/// an error for too few sessions.
package enum FleetJUnit {
  package static func xml(_ judgement: FleetJudgement) throws -> String {
    let rows = judgement.rows.filter { $0.question.decides && ($0.stratum.isEmpty || $0.outcome == .worse) }
    let context: [String: Any] = [
      "suite": Hint.fleet, "tests": rows.count, "failures": rows.count { $0.outcome == .worse },
      "errors": rows.count { $0.outcome == .tooFew },
      "cases": rows.map {
        [
          "file": "fleet", "name": harmless($0.title, limit: 200), "account": account($0),
          "broken": $0.outcome == .worse,
          "undecided": $0.outcome == .tooFew,
        ] as [String: Any]
      },
    ]
    return try Markup.render(context, EmbeddedFile.text("junit.mustache"))
  }

  static func account(_ row: FleetJudgement.Row) -> String {
    row.change
      + (row.differenceText.isEmpty ? "" : " (difference \(row.differenceText))") + ", p \(row.test.pText), "
      + "\(row.test.baseSessions) and \(row.test.newSessions) sessions"
  }
}
