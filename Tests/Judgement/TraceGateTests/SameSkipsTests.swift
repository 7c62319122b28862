import PageReport
import ReportWriting
import TestSupport
import Testing
import TextReport
import TraceAnalysis
import TraceFormat
import TraceGate

/// The text, the page and the gate must show the same number of missed fires for each cause.
@Suite struct SameSkipsTests {
  @Test(arguments: SampleTraces.analyzable) func everywhere(name: String) throws {
    let reader = try openTrace(ProjectFiles.bytes("SampleTraces/\(name)"))
    var options = AnalysisOptions()
    let timeline = TimelineBuilder(reader)
    options.sink = timeline
    let analysis = try TraceAnalyzer(reader, options: options).analyze()
    let trace = GatedTrace(numbers: analysis, findings: analysis, spansFromNs: 250_000_000, problem: nil)
    let page = try HTMLReport(reader, file: name).render(analysis, timeline: timeline)
    let text = AnalysisText(analysis, gapThresholdNs: 250_000_000, style: TextStyle(isColoured: false))
      .lines(file: name).map { $0.drop { $0 == " " } }.joined(separator: " ")

    for finding in analysis.findings.flatMap(\.subjects) {
      guard let cause = finding.heldUpBy, let share = finding.headline?.share,
        let timer = analysis.timers.first(where: { $0.id == finding.timer }),
        analysis.timers.count(where: { $0.name == timer.name }) == 1
      else { continue }
      // The findings have the numbers of the table, which the gate measures.
      let selector = "timer=\"\(timer.name)\""
      for (measure, value) in [
        ("skipped(\(selector), cause=\(cause.name))", share.part), ("due(\(selector))", share.whole),
      ] {
        let gate = Gate([try RuleParser.parse("\(measure) == \(value)")], trace: trace, baseline: .notGiven)
        let result = try #require(gate.results.first)
        #expect(
          result.outcome == .pass || result.why.contains("contradicts") || result.why.contains("incomplete")
            || result.why.contains("lost"),
          "\(measure) is \(String(describing: result.measured)), not \(value)")
      }
      let words = "\(cause == .suspended ? "lost" : "missed") \(share.part) of \(share.whole) fire"
      #expect(finding.text.contains(words), "\(finding.text)")
      #expect(page.contains(words), "not on the page: \(words)")
      // For several timers, the text only has the numbers.
      #expect(
        text.contains(words) || text.contains("\(share.part) of \(share.whole) ")
          || analysis.findings.count > 12,
        "not in the text: \(words)")
    }
  }
}
