import EmbeddedFiles
import ReportWriting
import TraceAnalysis
import TraceGate

/// Writes the results of a gate as JUnit XML. Each rule is a test case, with a failure if it is broken and an error
/// if it is undecided.
package enum GateJUnit {
  package static func xml(_ gate: Gate, file: String) throws -> String {
    let entries = gate.entries
    let context: [String: Any] = [
      "suite": Hint.gate, "tests": entries.count, "failures": entries.count { $0.outcome == .broken },
      "errors": entries.count { $0.outcome == .undecided },
      "cases": entries.map {
        [
          "file": harmless(file, limit: 200), "name": $0.heading, "account": $0.message,
          "broken": $0.outcome == .broken, "undecided": $0.outcome == .undecided,
        ] as [String: Any]
      },
    ]
    return try Markup.render(context, EmbeddedFile.text("junit.mustache"))
  }
}
