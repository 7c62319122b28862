import ReportWriting
import TraceAnalysis
import TraceGate
import TraceTables

/// Writes the results of a gate for each test as JSON. docs/reference/commands/gate.md defines each key.
package enum TestGateJSON {
  /// `isBuiltInBudget`: no rule was given, so the built-in ones apply.
  package typealias Document = (tests: [TestGate], file: String, isBuiltInBudget: Bool)

  package static let document = JSONDocument<Document>(
    "rltrace.gate-tests/1", "result of checking rules against each test of a recorded test run"
  ) {
    Column("file", "file name as given") { $0.file }
    Column("outcome", "pass, broken or undecided") { $0.tests.outcome.rawValue }
    Column("built_in_budget", "whether no rule was given, so that the built-in budget applies") {
      $0.isBuiltInBudget
    }
    Column.rows(tests) { $0.tests }
  }

  private static let tests = ResultTable<TestGate>("tests", "tests, in order of their start times") {
    Column("test", "name of the test; null = the whole trace, because it holds no test") { $0.test }
    Column("outcome", "pass, broken or undecided") { $0.outcome.rawValue }
    Column("start_ns", "start of the test, since the trace's origin") { $0.startNs }
    Column("duration_ns", "length of the test") { $0.durationNs }
    Column("open", "whether the recording ended before the test did") { $0.isOpen }
    Column.rows(GateJSON.rules) { $0.gate.results }
  }
}
