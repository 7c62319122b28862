import ArgumentParser
import Foundation
import PageReport
import TextReport
import TraceAnalysis
import TraceFacts
import TraceReplay
import TraceFormat
import TraceTables

struct Analyze: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "analyze",
    abstract: "Analyzes a trace: latencies by mode, gaps, late and skipped timer fires.",
    discussion: """
      Examples:
        rltrace analyze
        rltrace analyze app.rltrace --full
        rltrace analyze app.rltrace --format json | jq '.timers[] | {name, due, fired, skipped}'
        rltrace analyze app.rltrace --from 1.5 --to 3 --mode UITrackingRunLoopMode
        rltrace analyze monday.rltrace tuesday.rltrace --gap-threshold 100ms
        rltrace analyze app.rltrace --profile watchdog
        rltrace analyze app.rltrace --by state:screen
        rltrace analyze app.rltrace --detector apple,semaphore-1s,kscrash
        rltrace analyze app.rltrace --html report.html --csv tables

      Without a trace, analyze takes the newest one in the current folder.

      A moment is a number of seconds into the trace, or a wall-clock time (2026-11-20T14:03:05.25Z). \
      `rltrace explain RL004` explains a finding, and `rltrace explain hang` a term. In the sources, \
      docs/reference/numbers.md defines every number.
      """)

  enum Format: String, OptionWord { case text, json }

  @Argument(
    help: "The traces (default: the newest in this folder).", completion: .file(extensions: ["rltrace"]))
  var files: [String] = []

  @Option(help: "text or json.")
  var format: Format = .text

  @Flag(help: "Print the verdict, the first findings and the next commands (default on a terminal).")
  var brief = false

  @Flag(help: "Print all tables (default if standard output is not a terminal).")
  var full = false

  @OptionGroup var gaps: GapArguments
  @OptionGroup var span: SpanArguments

  @Option(
    help: ArgumentHelp(
      "Stall monitors to try, comma-separated or one per option (default: \(DetectorsArgument.standard)).",
      valueName: "names"))
  var detector: [DetectorsArgument] = []

  @Option(
    help: ArgumentHelp(
      "Also write an HTML report, in the same pass over the trace. See `rltrace report`.",
      valueName: "file"), completion: .file(extensions: ["html"]))
  var html: String?

  @Option(
    help: ArgumentHelp(
      "Also write all tables as CSV into this folder, in the same pass over the trace. See `rltrace export`.",
      valueName: "folder"), completion: .directory)
  var csv: String?

  @Option(help: "Show only rows of this mode: gaps, modes, busy intervals, and timers that are in it.")
  var mode: String?

  @Option(help: "Show only rows and findings of this thread: its index, name or system id, or main.")
  var thread: String?

  @Option(
    help: ArgumentHelp(
      "Also give the results by the values of a state that the program set.", valueName: "state:name"),
    transform: SplitArgument.read)
  var by: SplitArgument?

  @Flag(help: ArgumentHelp(WorthOfFindings.help)) var worth = false
  @Option(help: ArgumentHelp(ColorChoice.help)) var color: ColorChoice = .auto

  @Flag(help: ArgumentHelp(StrictReading.help)) var strict = false

  func validate() throws {
    guard files.count <= 1 || csv == nil && html == nil else {
      throw ValidationError("--html and --csv take one trace; run the command once for each trace.")
    }
    guard !brief || format == .text else {
      throw ValidationError("--brief is for text; with --format json, select the keys verdict and findings.")
    }
    guard !full || format == .text else {
      throw ValidationError("--full is for text; --format json always has everything.")
    }
    guard !brief || by == nil else { throw ValidationError("--brief and --by cannot be combined.") }
    if worth { try WorthOfFindings.refuse(span) }
    guard !brief || !full else { throw ValidationError("--brief and --full cannot be combined.") }
  }

  func run() throws {
    try WholeFile.refuseStandardOutput(
      html, option: "--html", instead: "`rltrace report -o -` prints the page")
    try WholeFile.refuseStandardOutput(
      csv, option: "--csv", instead: "`rltrace export --table NAME` prints a table")
    let files = files.isEmpty ? [try LatestTrace.inFolder()] : files
    FileUse.read(files)
    gaps.enterFiles()
    try FileUse.write(
      [html.map { ($0, "--html") }, csv.map { ($0, "--csv") }].compactMap(\.self)
        + (csv.map { ExportTarget.files(in: $0, .csv).map { ($0, "--csv") } } ?? []))
    let asked = try gaps.options()
    if self.files.isEmpty { Terminal.complain("analyzing \(files[0]), the newest trace in this folder") }
    var results: [(file: String, analysis: Analysis)] = []
    var problems: [Failure] = []
    var lengths: [TraceLength] = []
    var out = OutputBuffer()
    for (number, file) in files.enumerated() {
      let result: AnalysisRun
      do {
        result = try analyze(file, asked)
      } catch let failure as Failure where failure.status != .usage {
        // Errors in one file do not stop the others.
        problems.append(failure)
        continue
      }
      if let problem = result.problem { problems.append(problem) }
      lengths.append(result.length)
      if format == .json {
        results.append((file, result.analysis))
      } else {
        if number > 0 { try out.line("") }
        let text = AnalysisText(
          result.analysis, gapThresholdNs: result.listedGapNs, style: color.style)
        let isBrief = brief || Terminal.outputIsTerminal && !full && by == nil
        for line in text.lines(file: file, isBrief: isBrief) { try out.line(line) }
      }
    }
    if format == .json, !results.isEmpty {
      try AnalysisJSON.document.write(results) { try out.write($0) }
      try out.line("")
    }
    try out.flush()
    gaps.noteUnit(lengths)
    for problem in problems.dropLast() { Terminal.complain(problem.message) }
    if let problem = problems.last { throw problem }
  }

  private func analyze(_ file: String, _ asked: AnalysisOptions) throws -> AnalysisRun {
    let reader = try StrictReading.open(file, isStrict: strict, longNames: ShownName.whileReading)
    var options = try span.applied(to: asked, reader, file)
    // Each detector once, in the order of the command line.
    let chosen = detector.isEmpty ? Detector.standard : detector.flatMap(\.detectors)
    options.replay.detectors = chosen.reduce(into: []) { all, detector in
      if !all.contains(detector) { all.append(detector) }
    }
    options.splitState = by?.state
    let filter = AnalysisFilter(
      mode: try known(mode: mode, in: reader),
      thread: try index(ofThread: thread, in: reader))
    let tables = try csv.map { try ExportTarget(folder: $0, .csv, reader) }
    let timeline = html.map { _ in TimelineBuilder(reader, from: options.from, to: options.to) }
    let both: [(any FactSink)?] = [tables?.exporter, timeline]
    let observers = both.compactMap(\.self)
    options.sink = observers.count > 1 ? FactSinks(observers) : observers.first
    var run = try AnalysisRun(reader, options, file: file)
    try by?.check(run.analysis)
    if worth { WorthOfFindings.add(to: &run.analysis, reader, file: file) }
    // The tables and the page contain all rows, even if the text shows only some of them.
    try tables?.finish(file, run.analysis)
    if let csv { Terminal.complain("wrote \(ExportTable.allCases.count) tables into \(csv)") }
    if let html, let timeline {
      let page = try HTMLReport(reader, file: file).render(run.analysis, timeline: timeline)
      try WholeFile.write(page, to: html, option: "--html")
    }
    run.analysis = filter.apply(to: run.analysis)
    return run
  }

  private func known(mode: String?, in reader: TraceReader) throws(Failure) -> String? {
    let shown = mode.map(ShownName.of)
    guard let mode, !reader.modes.values.contains(where: { ShownName.of($0) == shown }) else { return shown }
    let known = Set(reader.modes.values.map(ShownName.of)).ordered()
    throw Failure(
      status: .usage, message: "no mode '\(mode)' in the trace" + KnownNames.hint(mode, in: known))
  }

  private func index(ofThread thread: String?, in reader: TraceReader) throws(Failure) -> UInt32? {
    guard let thread else { return nil }
    let threads = reader.threads.values.ordered { $0.index < $1.index }
    let match =
      threads.first { thread == "main" && $0.isMain } ?? threads.first { $0.name == thread }
      ?? threads.first { "\($0.index)" == thread }
      ?? threads.first { $0.osThread != 0 && "\($0.osThread)" == thread }
    guard let match else {
      let known = threads.map { $0.isMain ? "main" : $0.name.isEmpty ? "\($0.index)" : ShownName.of($0.name) }
      throw Failure(
        status: .usage, message: "no thread '\(thread)' in the trace" + KnownNames.hint(thread, in: known))
    }
    return match.index
  }
}
