// All of XCTest's API that budgets use is in this file.
#if canImport(XCTest)
import RunLoopTrace
import XCTest

/// Runs `body`, and fails the test if the run loop of the calling thread breaks a rule while `body` runs.
///
/// ```swift
/// func testFeed() throws {
///   try assertRunLoop("max(busy) < 100ms") { RunLoop.current.run(until: Date(timeIntervalSinceNow: 1)) }
/// }
/// ```
///
/// Rules use the language of `rltrace gate`; without rules, its default budget applies. A rule that cannot be decided
/// fails the test, with the reason. The failure names the file with the trace. Throws what `body` throws.
public func assertRunLoop(
  _ rules: String..., file: StaticString = #filePath, line: UInt = #line, function: String = #function,
  _ body: () throws -> Void
) throws {
  try assertRunLoop(rules, file, line, function) { _ in try body() }
}

/// Does the same for a body that makes timers, sources and blocks with names, through the tracer. Rules may then name
/// them: `skipped(timer=refresh) == 0`.
public func assertRunLoop(
  _ rules: String..., file: StaticString = #filePath, line: UInt = #line, function: String = #function,
  _ body: (RunLoopTracer) throws -> Void
) throws {
  try assertRunLoop(rules, file, line, function, body)
}

private func assertRunLoop(
  _ texts: [String], _ file: StaticString, _ line: UInt, _ test: String,
  _ body: (RunLoopTracer) throws -> Void
) throws {
  let rules = BudgetRules(texts)
  for mistake in rules.mistakes { XCTFail(mistake, file: file, line: line) }
  let run: BudgetRun
  do throws(RecordingError) {
    run = try BudgetRun(test, rules)
  } catch {
    return XCTFail("undecided: \(error)", file: file, line: line)
  }
  defer {
    let verdict = run.end()
    if !verdict.failures.isEmpty {
      let trace = verdict.trace.isEmpty ? nil : TraceFile.write(verdict.trace, test: test)
      XCTFail((verdict.failures + [trace].compactMap(\.self)).joined(separator: "\n"), file: file, line: line)
    }
  }
  try body(run.tracer)
}
#endif
