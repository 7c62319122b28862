import Foundation
import Scenario
import TestSupport
import Testing
import TraceAnalysis
import TraceReplay
import TraceFormat

/// The findings of each sample as text: SampleTraces/findings.txt. RLTRACE_UPDATE_GOLDEN=1 rewrites it; read it
/// before you commit.
@Suite struct SampleFindingsTests {
  private static let file = "SampleTraces/findings.txt"

  private static let samples: [String] = ["virtual", "real"].flatMap { folder in
    let path = ProjectFiles.root.appendingPathComponent("SampleTraces/\(folder)").path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.filter { $0.hasSuffix(".rltrace") }.sorted().map { "\(folder)/\($0.dropLast(8))" }
  }

  private static func analysis(_ sample: String) throws -> Analysis {
    let bytes = try ProjectFiles.bytes("SampleTraces/\(sample).rltrace")
    var options = AnalysisOptions()
    options.replay.detectors = Detector.all
    let analysis = try TraceAnalyzer(
      openTrace(bytes), options: options
    ).analyze()
    expectSumsToClose(analysis)
    return analysis
  }

  private static func lines(_ analysis: Analysis) -> [String] {
    var lines = analysis.findings.map { "  \($0.severity.name) \($0.rule.rawValue) \($0.text)" }
    let reports = analysis.detectors.filter { $0.count > 0 }.map { "\($0.name) \($0.count)" }
    lines.append("  monitors: \(reports.isEmpty ? "none reports" : reports.joined(separator: ", "))")
    return lines
  }

  @Test func findingsAreTheExpectedOnes() throws {
    var text = ""
    for sample in Self.samples {
      text += ([sample] + Self.lines(try Self.analysis(sample))).joined(separator: "\n") + "\n"
    }
    if ProcessInfo.processInfo.environment["RLTRACE_UPDATE_GOLDEN"] == "1" {
      try text.write(
        to: ProjectFiles.root.appendingPathComponent(Self.file), atomically: true, encoding: .utf8)
    }
    let expected = try String(decoding: ProjectFiles.bytes(Self.file), as: UTF8.self)
    for (found, wanted) in zip(text.split(separator: "\n"), expected.split(separator: "\n"))
    where found != wanted {
      Issue.record("found \(found)\nexpected \(wanted)")
    }
    #expect(text == expected)
  }

  /// The README lists exactly the rules of the errors and warnings.
  @Test(arguments: ScenarioLibrary.names)
  func readmeNamesTheRules(name: String) throws {
    let readme = try String(decoding: ProjectFiles.bytes("SampleTraces/README.md"), as: UTF8.self)
    let row = try #require(
      readme.split(separator: "\n").first { $0.hasPrefix("| `\(name)` |") }, "no row for \(name)")
    let cells = row.split(separator: "|", omittingEmptySubsequences: false)
    let wanted = Set(cells[2].matches(of: /RL\d\d\d/).map { String($0.output) })
    let found = try Self.analysis("virtual/\(name)").findings.filter { $0.severity != .info }.map(
      \.rule.rawValue)
    #expect(Set(found) == wanted)
  }
}
