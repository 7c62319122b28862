import ArgumentParser
import Foundation
import TraceAnalysis
import TraceReport

struct Report: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Makes an HTML report of a trace: verdict, findings, time line, starvation, histograms, gaps.",
    discussion: """
      One file that needs nothing else: no network, no server, any current browser. It opens in a second, however \
      long the trace is.

      Examples:
        rltrace report app.rltrace
        rltrace report app.rltrace -o monday.html --profile interactive
        rltrace report app.rltrace -o - | gzip >app.html.gz
        rltrace report app.rltrace --from 1.5 --to 3 -o detail.html
      """)

  @Argument(help: "The trace.", completion: .file(extensions: ["rltrace"]))
  var file: String

  @Option(
    name: .shortAndLong,
    help:
      "The page to write, - for standard output; one that is there is replaced (default: the trace's name with .html).",
    completion: .file(extensions: ["html"]))
  var output: String?

  @OptionGroup var gaps: GapArguments
  @OptionGroup var span: SpanArguments

  func run() throws {
    let path = output ?? Self.page(of: file)
    let asked = try gaps.options()
    let reader = try openTrace(file)
    try WholeFile.keep([file], from: path, option: "-o")
    var options = try span.applied(to: asked, reader, file)
    let timeline = TimelineBuilder(reader, from: options.from, to: options.to)
    options.observer = timeline
    let run = try AnalysisRun(reader, options, file: file)
    let page = try HTMLReport(reader, file: file).render(run.analysis, timeline: timeline)
    if Output.isStandardOutput(path) {
      var out = OutputBuffer()
      try out.write(page)
      try out.flush()
    } else {
      try WholeFile.write(page, to: path, option: "-o")
    }
    // The page says so, too; a script that reads the status should know.
    if let problem = run.problem { throw problem }
  }

  /// `app.rltrace` gives `app.html`, beside it.
  static func page(of file: String) -> String {
    (file.hasSuffix(".rltrace") ? String(file.dropLast(8)) : file) + ".html"
  }
}
