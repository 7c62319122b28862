import Foundation
import TestSupport
import Testing
import TraceAnalysis
import TraceReplay
import TraceFormat
import TraceReport

/// The pages name what is printed.
@Suite struct DocumentationTests {
  @Test(arguments: FindingRule.allCases)
  func everyRuleHasASection(rule: FindingRule) throws {
    #expect(try ProjectFiles.text("docs/findings.md").contains("\n## \(rule.rawValue)\n"))
  }

  @Test(arguments: DetectorRule.allCases)
  func everyDetectorIsDescribed(rule: DetectorRule) throws {
    #expect(try ProjectFiles.text("docs/analysis.md").contains("`\(rule.rawValue)`"))
  }

  @Test(arguments: ["leave-and-return", "background-task-cycle", "detect-suspended", "timer-starvation"])
  func everyKeyIsDefined(sample: String) throws {
    let page = try ProjectFiles.text("docs/analysis.md")
    var options = AnalysisOptions()
    options.replay.detectors = DetectorRule.allCases
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
