import Foundation
import TestSupport
import Testing

/// `rltrace explain`, run as a user runs it.
@Suite struct ExplainCommandTests {
  private func explain(_ arguments: String...) throws -> Program.Result {
    try Program.rltrace.run(["explain"] + arguments)
  }

  @Test func aFinding() throws {
    let result = try explain("rl004")
    #expect(result.status == 0 && result.errors.isEmpty)
    let lines = result.output.split(separator: "\n")
    #expect(lines.first == "RL004: timer skips fires while long callouts run")
    #expect(lines.dropFirst().first == "  Severity: error, warning, info. Needs: due points.")
    #expect(lines.contains { $0.hasPrefix("  * What to change. ") } && lines.allSatisfy { $0.count <= 100 })
    #expect(
      !result.output.contains("**") && !result.output.contains("](") && !result.output.contains("RL005"))
  }

  @Test(arguments: [
    (["hang"], "hang\n  a busy interval: microhang from 250 ms"),
    (["Due", "point"], "due point\n  A due point is a moment"),
    (["exit"], "Exit\n  start and end of a run\n"),
    (["tracking modes"], "tracking modes\n  Tracking modes have"),
    (["activity"], "\n    BeforeTimers: begins a pass."), (["blamed function"], "The blamed function is"),
  ])
  func aTerm(words: [String], text: String) throws {
    let result = try Program.rltrace.run(["explain"] + words)
    #expect(result.status == 0 && result.output.contains(text), "\(result)")
    #expect(!result.output.contains("](") && !result.output.contains("|"))
  }

  /// Each finding of the page and each term of the glossary is listed and has an explanation.
  @Test func allOfThem() throws {
    let list = try explain("--list")
    #expect(list.status == 0)
    let names = list.output.split(separator: "\n").map {
      $0.split(separator: "  ").first.map(String.init) ?? ""
    }
    .filter { $0 != "Findings" && $0 != "Terms" }
    let page = try ProjectFiles.text("docs/reference/findings.md")
    let rules = page.matches(of: /\n## (RL\d{3})\n/).map { String($0.1) }
    #expect(rules.count > 30 && Array(names.prefix(rules.count)) == rules)
    let glossary = try ProjectFiles.text("docs/reference/glossary.md")
    let headings = glossary.matches(of: /\n### ([^\n]+)\n/).map { $0.1.lowercased() }.filter {
      !$0.hasPrefix("other terms")
    }
    #expect(headings.count > 10 && headings.allSatisfy(names.contains), "\(headings)")
    for term in ["hang", "lateness", "source0", "verdict", "wait", "capture level"] {
      #expect(names.contains(term), "\(term)")
    }
    for name in names {
      let result = try explain(name)
      #expect(result.status == 0 && result.output.split(separator: "\n").count > 1, "\(name): \(result)")
    }
  }

  @Test(arguments: [
    (["hangs"], "no finding or term 'hangs'; did you mean 'hang'?; see `rltrace explain --list`"),
    (["microhang"], "the word occurs in the explanation of 'hang'"),
    (["RL999"], "no finding or term 'RL999'"),
    (["x\u{1B}[2J"], "no finding or term"), ([], "give a finding or a term"),
    (["--list", "hang"], "--list takes no name"),
  ])
  func failures(words: [String], message: String) throws {
    let result = try Program.rltrace.run(["explain"] + words)
    #expect(result.status == 64 && result.output.isEmpty && result.errorLines.count == 1, "\(result)")
    #expect(result.errors.contains(message), "\(result.errors)")
    expectPlain(result.errors)
  }

  @Test func helpPointsThere() throws {
    for arguments in [["help", "RL004"], ["RL004"]] {
      let result = try Program.rltrace.run(arguments)
      #expect(
        result.status == 64 && result.errors.contains("did you mean `rltrace explain RL004`?"),
        "\(result.errors)")
    }
    let help = try Program.rltrace.run(["--help"]).output
    #expect(help.contains("rltrace explain RL004") && !help.contains("docs/"))
    let examples = help.components(separatedBy: "Examples:").last?.split(separator: "\n").prefix(3)
      .map { $0.trimmingCharacters(in: .whitespaces) }
    #expect(
      examples == [
        "rltrace record ./MyProgram", "rltrace analyze MyProgram.rltrace",
        "rltrace record -- ./MyProgram --fast && rltrace compare",
      ])
  }
}
