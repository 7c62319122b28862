import ArgumentParser
import JudgementReport
import PageReport
import ReportWriting
import TraceAnalysis
import TraceReplay
import TraceComparison
import TraceFormat

struct Compare: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compares two traces and reports what is better, worse, new or gone.",
    discussion: """
      Examples:
        rltrace compare
        rltrace compare app.rltrace
        rltrace compare app.old1.rltrace app.rltrace
        rltrace compare before.rltrace after.rltrace --all
        rltrace compare before.rltrace after.rltrace --html difference.html
        rltrace compare before.rltrace after.rltrace --by state:screen
        rltrace compare before.rltrace after.rltrace --relevant 10%,1ms,small
        rltrace compare before.rltrace after.rltrace --format json | jq .verdict

      `rltrace record` keeps earlier traces of the same name as NAME.old1.rltrace, NAME.old2.rltrace and so on. \
      With one trace, compare uses the recording before it as BASE. Without a trace, it compares the last two \
      recordings in the current folder.

      compare matches rows by thread, mode, timer, callout and source, never by time. A difference counts if it is \
      larger than --relevant and unlikely to be due to chance, according to a rank test of all values and Fisher's \
      exact test of the long ones. Other differences are minor: compare counts them, and lists them only with --all. \
      The exit status is 0 even if the traces differ; use `rltrace gate` in scripts.
      """)

  enum Format: String, OptionWord { case text, json, github, gitlab }

  @Argument(
    help: "The trace to compare with (default: the previous recording).",
    completion: .file(extensions: ["rltrace"]))
  var base: String?

  @Argument(
    help: "The trace to judge (default: the last recording).",
    completion: .file(extensions: ["rltrace"]))
  var new: String?

  @Option(help: "text, json, github (annotations), or gitlab (code quality report).")
  var format: Format = .text

  @Flag(help: "Also list minor differences, and rows that do not differ.")
  var all = false

  @Option(
    help: ArgumentHelp(
      "The smallest relevant difference: a share, a time and an effect (small, medium, large). Parts left out "
        + "keep their defaults.",
      valueName: "share,duration,effect"), transform: RelevantArgument.read)
  var relevant = RelevantArgument(.standard)

  @OptionGroup var gaps: GapArguments

  @Option(
    help: ArgumentHelp(
      "Also compare hitches by the values of a state that both programs set.", valueName: "state:name"),
    transform: SplitArgument.read)
  var by: SplitArgument?

  @Option(
    help: "Also write an HTML page with the curves of the distributions.",
    completion: .file(extensions: ["html"]))
  var html: String?

  @Option(help: ArgumentHelp(ColorChoice.help)) var color: ColorChoice = .auto

  @Flag(help: ArgumentHelp(StrictReading.help)) var strict = false

  func validate() throws {
    if all, format != .text { throw ValidationError("--all is for text; JSON always has every row") }
  }

  func run() throws {
    try WholeFile.refuseStandardOutput(html, option: "--html", instead: "name a file")
    let compared = try ComparedTraces(base, new)
    let (base, new) = (compared.base, compared.new)
    FileUse.read([base, new])
    gaps.enterFiles()
    try FileUse.write(html.map { [($0, "--html")] } ?? [])
    var options = try gaps.options()
    compared.report()
    let readers = (try open(base), try open(new))
    let recorded = (base: RecordedOptions(readers.0), new: RecordedOptions(readers.1))
    options.replay.listGaps(
      fromNs: RecordedOptions.gapThresholdNs(recorded.base, recorded.new, options.replay))
    let own = Comparison.options(options, relevant: relevant.difference)
    let traces = (try analyze(readers.0, own, file: base), try analyze(readers.1, own, file: new))
    let comparison = Comparison(
      base: traces.0.run.analysis, new: traces.1.run.analysis, gapThresholdNs: options.replay.gapThresholdNs,
      relevant: relevant.difference,
      recorded: recorded)
    if let html, let base = traces.0.side, let new = traces.1.side {
      try WholeFile.write(try ComparisonPage(comparison).html(base, new), to: html, option: "--html")
    }
    var out = OutputBuffer()
    switch format {
    case .text:
      let text = ComparisonText(comparison, showsAll: all, style: color.style)
      for line in text.lines(baseFile: base, newFile: new) { try out.line(line) }
    case .json: try out.line(try ComparisonJSON.encode(comparison, baseFile: base, newFile: new))
    case .github: try out.write(AnnotationReport(comparison, file: new, root: .current).github)
    case .gitlab: try out.write(AnnotationReport(comparison, file: new, root: .current).gitlab)
    }
    try out.flush()
    gaps.noteUnit([traces.0.run.length, traces.1.run.length])
    let problems = [traces.0.run.problem, traces.1.run.problem].compactMap(\.self)
    for problem in problems.dropLast() { Terminal.complain(problem.message) }
    if let problem = problems.last { throw problem }
  }

  private func open(_ file: String) throws -> TraceReader {
    try StrictReading.open(file, isStrict: strict, longNames: ShownName.whileReading)
  }

  /// Analyzes one trace. The page's timeline doubles the cost of the analysis, so it is built only for a page.
  private func analyze(
    _ reader: TraceReader, _ options: AnalysisOptions, file: String
  ) throws -> (run: AnalysisRun, side: ComparisonPage.Side?) {
    let timeline = html.map { _ in TimelineBuilder(reader) }
    var options = options
    options.sink = timeline
    options.splitState = by?.state
    let run = try AnalysisRun(reader, options, file: file)
    try by?.check(run.analysis)
    return (
      run,
      timeline.map { ComparisonPage.Side(file: file, Glance(run.analysis, $0, TraceNames(reader))) }
    )
  }
}
