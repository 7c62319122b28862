import TestSupport
import Testing
import TraceAnalysis
import TraceReplay

/// The documentation must list the rules and detectors that exist.
@Suite struct DocumentationTests {
  /// The page has a table of the rules, and a section for each that begins with its title.
  @Test func theRulesAreThoseOfThePage() throws {
    let page = try ProjectFiles.text("docs/reference/findings.md")
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| [RL") }.map { row in
      row.split(separator: "|", omittingEmptySubsequences: false).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
    }
    let described = rows.map { [$0[1], $0[3], $0[4]] }
    let rules = FindingRules.all
    #expect(
      described
        == rules.map { rule in
          let id = rule.id.rawValue
          let needs = FindingRule.Need.allCases.filter(rule.needs.contains).map(\.rawValue)
          return ["[\(id)](#\(id.lowercased()))", rule.title, needs.joined(separator: ", ")]
        })
    let ids = rules.map(\.id)
    #expect(ids == Set(ids).sorted() && ids.allSatisfy { FindingRules.rule($0)?.id == $0 })
    let sections = page.split(separator: "\n## ").dropFirst().map { $0.split(separator: "\n").prefix(2) }
    #expect(
      sections.map { $0.joined(separator: "\n") }
        == rules.map {
          "\($0.id.rawValue)\n**\($0.title.prefix(1).uppercased())\($0.title.dropFirst()).**"
        })
  }

  /// The page shows the table by which findings are judged, as it is declared.
  @Test func theSeveritiesAreThoseOfThePage() throws {
    let page = try ProjectFiles.text("docs/reference/findings.md")
    let section = try #require(
      page.split(separator: "\n### ").first { $0.hasPrefix("How severity is decided") })
    let rows = section.split(separator: "\n").drop { !$0.hasPrefix("| what |") }.dropFirst(2)
      .prefix { $0.hasPrefix("|") }
    #expect(rows.map(String.init) == SeverityTable.rows.map(\.line))
    #expect(SeverityTable.rows.flatMap(\.rules).allSatisfy { FindingRules.rule($0) != nil })
  }

  /// The table lists each detector once, in order, with its source. The page of the command contains their names.
  @Test func theDetectorsAreThoseOfThePages() throws {
    let page = try ProjectFiles.text("docs/reference/numbers.md")
    let section = try #require(page.split(separator: "\n## ").first { $0.hasPrefix("`detectors` and") })
    let rows = section.split(separator: "\n").drop { !$0.hasPrefix("| name |") }.dropFirst(2)
      .prefix { $0.hasPrefix("|") }
    let described = rows.flatMap { row -> [[String]] in
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      return cells[0].split(separator: ", ").map { [String($0), cells[1]] }
    }
    #expect(described == Detector.all.map { ["`\($0.name)`", $0.source] })
    let command = try ProjectFiles.text("docs/reference/commands/analyze.md")
    for detector in Detector.all { #expect(command.contains("`\(detector.name)`")) }
  }
}
