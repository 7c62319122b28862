import Foundation
import TestSupport
import Testing

/// `rltrace gate --per-test`: rules for each test of a recorded test run.
@Suite struct GatePerTestTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Two tests at the same time: the callout of `parse()` is short, that of `draw()` long.
  private static var tests: HandTrace {
    HandTrace(
      main: """
        100 interval.begin #10 name=4
        110 Entry.low m1 #1
        120 BeforeTimers.low m1 #1
        125 BeforeSources.low m1 #1
        130 timer.begin m1 #5
        140 timer.end #5
        190 Exit.low m1 #1
        200 interval.end #10
        """,
      worker: """
        50 interval.begin #11 name=6
        60 Entry.low m1 #2
        70 BeforeTimers.low m1 #2
        75 BeforeSources.low m1 #2
        80 timer.begin m1 #6
        480 timer.end #6
        490 Exit.low m1 #2
        500 interval.end #11
        """)
  }

  private func file(_ trace: HandTrace) throws -> String {
    let text = trace.text().replacing("\"parse\"", with: "\"test parse()\"")
      .replacing("\"draw\"", with: "\"test draw()\"")
    try Data(assembleTrace(text)).write(to: URL(fileURLWithPath: folder.file("suite.rltrace")))
    return folder.file("suite.rltrace")
  }

  private func gate(_ trace: HandTrace, _ options: String...) throws -> Program.Result {
    try Program.rltrace.run(["gate", try file(trace), "--per-test"] + options)
  }

  @Test func judgesEachTestByItself() throws {
    let broken = try gate(Self.tests, "--rule", "max(callout) < 300us")
    #expect(broken.status == 1 && broken.errors.isEmpty, "\(broken.errors)")
    #expect(
      broken.output == """
        BROKEN     draw(): max(callout) < 300us: 400 µs
        pass       parse(): 1 of 1 rule holds
        1 of 2 tests pass, 1 broken

        """, "\(broken.output)")
    #expect(try gate(Self.tests, "--rule", "max(callout) < 500us").status == 0)
  }

  /// A test that the recording shows only in part has not passed.
  @Test func anOpenTestIsUndecided() throws {
    let open = HandTrace(
      main: Self.tests.main.replacing("200 interval.end #10", with: ""), worker: Self.tests.worker)
    let result = try gate(open, "--rule", "max(callout) < 500us")
    #expect(result.status == 2)
    #expect(
      result.output.contains("undecided  parse(): the recording ended before the test did\n"),
      "\(result.output)")
  }

  @Test func json() throws {
    let result = try gate(Self.tests, "--rule", "max(callout) < 300us", "--format", "json")
    #expect(result.status == 1)
    let document = try JSONValues(result.output).root
    #expect(
      document["schema"] as? String == "rltrace.gate-tests/1" && document["outcome"] as? String == "broken")
    let tests = try #require(document["tests"] as? [[String: Any]])
    #expect(tests.map { $0["test"] as? String } == ["draw()", "parse()"])
    #expect(tests.map { $0["outcome"] as? String } == ["broken", "pass"])
    #expect(tests.map { $0["start_ns"] as? Int } == [50_000, 100_000])
    #expect(tests.map { $0["duration_ns"] as? Int } == [450_000, 100_000])
    let rules = try #require(tests[0]["rules"] as? [[String: Any]])
    #expect(rules.map { $0["measured"] as? [String: Double] } == [["low": 400_000, "high": 400_000]])
  }

  @Test func annotationsNameTheTest() throws {
    let result = try gate(Self.tests, "--rule", "max(callout) < 300us", "--format", "github")
    #expect(result.status == 1)
    #expect(
      result.output.hasPrefix(
        "::error title=draw()%3A max(callout) < 300us::max(callout) < 300us: 400 µs"), "\(result.output)")
    #expect(
      result.output.hasSuffix("\n::notice title=rltrace gate::1 of 2 tests pass, 1 broken\n"),
      "\(result.output)")
  }

  @Test func withoutTestsTheWholeTraceIsJudged() throws {
    let trace = SampleTraces.virtual("starvation-default-only")
    let result = try Program.rltrace.run([
      "gate", trace, "--per-test", "--rule", "skipped(timer=refresh) == 0",
    ])
    #expect(result.status == 1 && result.errorLines.count == 1)
    #expect(result.errors.contains("holds no test with a budget"), "\(result.errors)")
    #expect(
      result.output == """
        BROKEN     the whole trace: skipped(timer=refresh) == 0: 199
        0 of 1 test passes, 1 broken

        """, "\(result.output)")
  }

  @Test(arguments: [
    (["--per-test", "--baseline", "b.rltrace"], "--baseline"), (["--per-test", "--from", "1s"], "--from"),
    (["--per-test", "--junit", "x.xml"], "--junit"),
    (["--per-test", "--format", "markdown"], "text, json, github or gitlab"),
    (["--per-test", "--print-budget"], "a trace"), (["--per-test", "--suggest", "a", "b", "c"], "a trace"),
    (["--print-budget", "--junit", "x.xml"], "a trace"),
  ])
  func refusesWhatItWouldIgnore(options: [String], word: String) throws {
    let result = try Program.rltrace.run(["gate", SampleTraces.virtual("modes")] + options)
    #expect(result.status == 64 && result.output.isEmpty && result.errors.contains(word), "\(result.errors)")
  }
}
