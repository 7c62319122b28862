import Foundation
import ReportWriting
import TestSupport
import Testing
import TextReport
import TraceAnalysis
import TraceFormat

/// Golden tests with the trace and the expected report in one file. Tests/Golden/analysis/NAME.golden holds the text
/// form of a trace, a line `-- report --`, and the output of `rltrace analyze` for it. RLTRACE_UPDATE_GOLDEN=1
/// rewrites the reports; read them before you commit.
@Suite struct GoldenAnalysisTests {
  private static let separator = "-- report --\n"
  private static let folder = ProjectFiles.root.appendingPathComponent("Tests/Golden/analysis")

  static let names: [String] = {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.filter { $0.hasSuffix(".golden") }.map { String($0.dropLast(7)) }.sorted()
  }()

  @Test func thereAreSome() { #expect(GoldenAnalysisTests.names.count >= 8) }

  @Test(arguments: names)
  func report(name: String) throws {
    let file = GoldenAnalysisTests.folder.appendingPathComponent("\(name).golden")
    let parts = try String(contentsOf: file, encoding: .utf8).components(
      separatedBy: GoldenAnalysisTests.separator)
    let trace = parts[0]
    let reader = try openTrace(try assembleTrace(trace.hasSuffix("\n") ? String(trace.dropLast()) : trace))
    let analysis = try TraceAnalyzer(reader).analyze()
    expectSumsToClose(analysis)
    let lines = AnalysisText(
      analysis, gapThresholdNs: 250_000_000, style: TextStyle(isColoured: false)
    ).lines(file: "\(name).rltrace")
    #expect(lines.allSatisfy { $0.count <= 100 })
    let report = lines.joined(separator: "\n") + "\n"
    if ProcessInfo.processInfo.environment["RLTRACE_UPDATE_GOLDEN"] == "1" {
      try (trace + GoldenAnalysisTests.separator + report).write(to: file, atomically: true, encoding: .utf8)
    } else {
      #expect(parts.count == 2 && report == parts[1], "found:\n\(report)")
    }
  }
}
