import Foundation
import TestSupport
import Testing

/// The built-in budget for traces without rules, and the rules in the README.
@Suite struct GateBudgetTests {
  private func gate(_ arguments: String...) throws -> Program.Result {
    try Program.rltrace.run(["gate"] + arguments)
  }

  /// Returns the rules R in the README's lines `rltrace gate … --rule 'R'`.
  private func readmeRules() throws -> [String] {
    let lines = try ProjectFiles.text("README.md").split(separator: "\n").filter {
      $0.contains("rltrace gate")
    }
    return lines.flatMap { line in line.matches(of: /--rule '([^']+)'/).map { String($0.1) } }
  }

  /// A loop that serves one event after another without a wait does not respond. It hangs although no gap is long.
  @Test func aPollLoopIsAHang() throws {
    let trace = SampleTraces.virtual("detect-poll-loop")
    #expect(try gate(trace).status == 1)
    let rules = try readmeRules()
    #expect(!rules.isEmpty)
    for rule in rules { #expect(try gate(trace, "--rule", rule).status == 1, "\(rule)") }
    #expect(
      try gate(trace, "--rule", "max(busy) < 250ms").output.contains("BROKEN     max(busy) < 250ms: 4.0"))
  }

  @Test(arguments: ["detect-idle", "starvation-common", "location-cached", "added-timer", "pass-anatomy"])
  func quietTracesPass(sample: String) throws {
    let result = try gate(SampleTraces.virtual(sample))
    #expect(result.status == 0, "\(result.output)")
    for rule in try readmeRules() {
      #expect(try gate(SampleTraces.virtual(sample), "--rule", rule).status == 0, "\(rule)")
    }
  }

  /// The gate prints the budget that it applied, in a form that can be copied and changed. The page shows the same.
  @Test func theBudgetIsPrinted() throws {
    let printed = try gate("--print-budget")
    #expect(printed.status == 0 && printed.output.hasPrefix("rules:\n"))
    let trace = SampleTraces.virtual("detect-poll-loop")
    let text = try gate(trace)
    for line in printed.output.split(separator: "\n") { #expect(text.output.contains(line), "\(line)") }
    let folder = try TemporaryFolder()
    try printed.output.write(toFile: folder.file("budget.yaml"), atomically: true, encoding: .utf8)
    let own = try gate(trace, "--budget", folder.file("budget.yaml"))
    #expect(own.status == text.status && text.output.hasSuffix(own.output))
    let page = try ProjectFiles.text("docs/reference/commands/gate.md")
    for line in printed.output.split(separator: "\n") { #expect(page.contains("    \(line)\n"), "\(line)") }
    let json = try gate(trace, "--format", "json").output
    let document = try JSONValues(json).root
    #expect(document["built_in_budget"] as? Bool == true && (document["rules"] as? [Any])?.count == 4)
  }

  /// --print-budget refuses other arguments.
  @Test(arguments: [
    ["a.rltrace"], ["--junit", "a.xml"], ["--baseline", "a.rltrace"], ["--format", "json"], ["--from", "1"],
    ["--profile", "watchdog"],
  ])
  func printBudgetAlone(others: [String]) throws {
    let result = try Program.rltrace.run(["gate", "--print-budget"] + others)
    #expect(result.status == 64 && result.errors.contains("--print-budget"), "\(result.errors)")
  }

  /// A trace in which no run loop ran is undecided for the built-in budget and any rule, in every form.
  @Test func nothingToJudge() throws {
    let folder = try TemporaryFolder()
    let silent = folder.file("silent.rltrace")
    try Data(assembleTrace(HandTrace(main: "10 mark name=9\n500000 mark name=9").text()))
      .write(to: URL(fileURLWithPath: silent))
    let empty = [SampleTraces.virtual("stall-in-timer"), "--from", "100"]
    for trace in [[silent], empty] {
      for rules in [
        [], ["--rule", "findings() == 0"], ["--rule", "max(busy) < 1h"], ["--rule", "polls() == 0"],
      ] {
        for format in ["text", "json", "markdown"] {
          let result = try Program.rltrace.run(["gate"] + trace + rules + ["--format", format])
          #expect(result.status == 2, "\(trace) \(rules): \(result.output)\(result.errors)")
          #expect(
            ["no run loop ran", "the span begins at 100"].contains { result.output.contains($0) },
            "\(result.output)")
        }
      }
    }
    // A window in which a loop ran is judged by its contents.
    #expect(try gate(SampleTraces.virtual("detect-poll-loop"), "--to", "0.2").status == 0)
    #expect(try gate(SampleTraces.virtual("modes"), "--from", "2", "--to", "1").status == 64)
  }
}
