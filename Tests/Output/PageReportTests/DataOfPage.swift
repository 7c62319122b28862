import Foundation
import TestSupport
import Testing
import TraceAnalysis

@testable import PageReport

/// Returns the data that the page of a trace holds for its script.
func dataOfPage(_ text: String) throws -> PageData {
  let reader = try openTrace(assembleTrace(text))
  var options = AnalysisOptions()
  let builder = TimelineBuilder(reader)
  options.sink = builder
  let analysis = try TraceAnalyzer(reader, options: options).analyze()
  let page = try HTMLReport(reader, file: "a.rltrace").render(analysis, timeline: builder)
  let start = try #require(page.range(of: "id=\"data\">"))
  let end = try #require(page.range(of: "</script>", range: start.upperBound..<page.endIndex))
  return try JSONDecoder().decode(
    PageData.self, from: Data(page[start.upperBound..<end.lowerBound].utf8))
}
