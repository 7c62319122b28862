import Foundation
import TestSupport
import Testing
import TraceGate

/// docs/reference/commands/gate.md describes all parts of a rule.
@Suite struct GatePageTests {
  @Test func everyWordIsDescribed() throws {
    let page = try ProjectFiles.text("docs/reference/commands/gate.md")
    for metric in Metric.allCases {
      let row = page.split(separator: "\n").first { $0.hasPrefix("| `\(metric.name)`") }
      let line = try #require(row.map(String.init), "no row for \(metric.name)")
      for selector in metric.selectors {
        #expect(line.contains("`\(selector.rawValue)`"), "\(metric): \(selector)")
      }
      for aggregate in metric.aggregates where metric.aggregates.count < Aggregate.allCases.count {
        #expect(line.contains("`\(aggregate.rawValue)`"), "\(metric): \(aggregate)")
      }
    }
    for aggregate in Aggregate.allCases { #expect(page.contains("`\(aggregate.rawValue)`")) }
    for selector in Selector.allCases { #expect(page.contains("| `\(selector.rawValue)` |")) }
    for comparison in GateRule.Comparison.allCases { #expect(page.contains("`\(comparison.rawValue)`")) }
  }

  /// The rules in the examples must be valid.
  @Test func examplesAreRules() throws {
    let page = try ProjectFiles.text("docs/reference/commands/gate.md")
    var rules: [String] = []
    for line in page.split(separator: "\n") {
      var rest = line[...]
      while let begin = rest.range(of: "--rule '"), let end = rest[begin.upperBound...].firstIndex(of: "'") {
        rules.append(String(rest[begin.upperBound..<end]))
        rest = rest[end...]
      }
    }
    #expect(rules.count >= 5)
    for rule in rules { #expect(throws: Never.self, "\(rule)") { try RuleParser.parse(rule) } }
  }
}
