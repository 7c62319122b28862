import Foundation
import TestSupport
import Testing
import TraceAnalysis
import TraceReplay
import TraceFormat
import TraceReport

/// The pages name what is printed.
@Suite struct DocumentationTests {
  /// The table, and a section for each with the title as its first words.
  @Test func theRulesAreThoseOfThePage() throws {
    let page = try ProjectFiles.text("docs/findings.md")
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

  /// The table has the monitors, each once and in order, and whose they are; the command's page has their names.
  @Test func theDetectorsAreThoseOfThePages() throws {
    let page = try ProjectFiles.text("docs/analysis.md")
    let section = try #require(page.split(separator: "\n## ").first { $0.hasPrefix("`detectors` and") })
    let rows = section.split(separator: "\n").drop { !$0.hasPrefix("| name |") }.dropFirst(2)
      .prefix { $0.hasPrefix("|") }
    let described = rows.flatMap { row -> [[String]] in
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      return cells[0].split(separator: ", ").map { [String($0), cells[1]] }
    }
    #expect(described == Detector.all.map { ["`\($0.name)`", $0.source] })
    let command = try ProjectFiles.text("docs/commands/analyze.md")
    for detector in Detector.all { #expect(command.contains("`\(detector.name)`")) }
  }

  @Test(arguments: ["leave-and-return", "background-task-cycle", "detect-suspended", "timer-starvation"])
  func everyKeyIsDefined(sample: String) throws {
    let page = try ProjectFiles.text("docs/analysis.md")
    var options = AnalysisOptions()
    options.replay.detectors = Detector.all
    options.profile = .watchdog
    let analysis = try TraceAnalyzer(
      openTrace(SampleTraces.bytes(virtual: sample)), options: options
    ).analyze()
    let json = try JSONSerialization.jsonObject(
      with: Data(AnalysisJSON.encode([(file: sample, analysis: analysis)]).utf8))
    var keys: Set<String> = []
    collect(json, into: &keys)
    #expect(keys.count > 100)
    for key in keys.sorted() { #expect(page.contains("`\(key)`"), "docs/analysis.md does not define \(key)") }
  }

  /// Keys that are names of their own: modes, phases, detectors, figures of a finding.
  private static let keyedByNames: Set<String> = [
    "overdue_by_mode_ns", "wrong_mode_by", "callout_ns_by_mode", "time_ns_by_mode", "phases_ns",
    "observers_ns", "silent_because", "figures",
  ]

  private func collect(_ value: Any, into keys: inout Set<String>) {
    if let object = value as? [String: Any] {
      for (key, inner) in object {
        keys.insert(key)
        if !Self.keyedByNames.contains(key) { collect(inner, into: &keys) }
      }
    } else if let list = value as? [Any] {
      for inner in list { collect(inner, into: &keys) }
    }
  }
}
