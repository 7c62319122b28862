import ArgumentParser
import TraceAnalysis
import TraceComparison
import TraceReport

struct Compare: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Says what is different between two traces: better, worse, new, gone.",
    discussion: """
      Examples:
        rltrace compare before.rltrace after.rltrace
        rltrace compare before.rltrace after.rltrace --all --gap-threshold 100ms
        rltrace compare before.rltrace after.rltrace --format json | jq .verdict
        rltrace compare before.rltrace after.rltrace --html difference.html

      Rows are matched by thread, mode, timer, callout and source, never by time. docs/commands/compare.md says \
      how, and which test tells a change from chance. The status is 0 whatever differs; `rltrace gate` is for \
      scripts.
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

  @Argument(help: "The trace to compare with.", completion: .file(extensions: ["rltrace"]))
  var base: String

  @Argument(help: "The trace that may be better or worse.", completion: .file(extensions: ["rltrace"]))
  var new: String

  @Option(help: "text or json.")
  var format: Format = .text

  @Flag(help: "Also what does not differ.")
  var all = false

  @OptionGroup var gaps: GapArguments

  @Option(help: "Also write a page with the distributions' curves.", completion: .file(extensions: ["html"]))
  var html: String?

  func run() throws {
    try reportingFailures {
      var options = try gaps.options()
      options.detectors = []
      let traces = (
        try AnalysisRun(openTrace(base), options, file: base),
        try AnalysisRun(openTrace(new), options, file: new)
      )
      let comparison = Comparison(
        base: traces.0.analysis, new: traces.1.analysis, gapThresholdNs: options.gapThresholdNs)
      if let html {
        try WholeFile.write(
          ComparisonPage(comparison).html(baseFile: base, newFile: new), to: html, option: "--html")
      }
      var out = OutputBuffer()
      switch format {
      case .text:
        let text = ComparisonText(
          comparison, showsAll: all, style: TextStyle(isColoured: Terminal.wantsColour))
        for line in text.lines(baseFile: base, newFile: new) { try out.line(line) }
      case .json: try out.line(try ComparisonJSON.encode(comparison, baseFile: base, newFile: new))
      }
      try out.flush()
      let problems = [traces.0.problem, traces.1.problem].compactMap(\.self)
      for problem in problems.dropLast() { Terminal.complain(problem.message) }
      if let problem = problems.last { throw problem }
    }
  }
}
