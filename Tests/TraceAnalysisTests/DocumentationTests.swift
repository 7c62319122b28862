import TestSupport
import Testing
import TraceAnalysis
import TraceReplay

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
}
