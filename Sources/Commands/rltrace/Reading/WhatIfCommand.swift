import ArgumentParser
import JudgementReport
import TraceAnalysis
import TraceFormat
import WhatIf

struct WhatIfCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "what-if",
    abstract: "Predicts what a change to the program would do to a recorded run loop.",
    discussion: """
      what-if replays a trace on a model of CFRunLoop. First it replays the trace without a change: if the replay \
      does not repeat the recording, there is no prediction. Then it replays the trace with the changes and compares \
      both. Every result states what it assumes.

      Changes:
      \(ChangeParser.forms.map { "  \($0.form)\n      \($0.meaning)" }.joined(separator: "\n"))

      NAME is the name of a timer, source, observer or block, as in `rltrace analyze`. Put a name in double quotes if \
      it contains words of the change. Instead of callout, a change may say timer, source, block or observer.

      Examples:
        rltrace what-if app.rltrace --do 'timer refresh in common'
        rltrace what-if app.rltrace --do 'callout import takes at most 8ms' --do 'remove poll' -o predicted.rltrace
        rltrace what-if app.rltrace --do 'split import at 8ms' --html difference.html
        rltrace what-if app.rltrace --changes fix.yaml --format json | jq .figures
        rltrace what-if app.rltrace --rank
        rltrace what-if app.rltrace --do nothing

      Exit status: 0 predicted, 2 undecided.
      """)

  enum Format: String, OptionWord { case text, json }

  @Argument(help: "The trace.", completion: .file(extensions: ["rltrace"]))
  var file: String

  @Option(name: .customLong("do"), help: ArgumentHelp("A change. May be repeated.", valueName: "change"))
  var changes: [String] = []

  @Option(
    name: .customLong("changes"), help: "A YAML list of changes.",
    completion: .file(extensions: ["yaml", "yml"]))
  var changesFile: String?

  @Flag(help: "Try the changes that the trace suggests, and list the most useful first.")
  var rank = false

  @Option(
    help: ArgumentHelp(
      "A repeating timer whose due points are the beginnings of frames; repeatable.", valueName: "name"))
  var frames: [String] = []

  @Option(
    name: .shortAndLong, help: "Also write the predicted trace to this file.",
    completion: .file(extensions: ["rltrace"]))
  var output: String?

  @Option(
    help: ArgumentHelp(
      "The largest residue of the replay without a change (default: 10 % of the time in which the loops are busy, at "
        + "least 8ms).", valueName: "duration"),
    transform: DurationArgument.read)
  var tolerance: DurationArgument?

  @Option(help: "text or json.")
  var format: Format = .text

  @Flag(help: "Also show the numbers that do not change, and the residues.")
  var all = false

  @Option(
    help: "Also write an HTML page that compares recording and prediction on one time axis.",
    completion: .file(extensions: ["html"]))
  var html: String?

  @Option(help: ArgumentHelp(ColorChoice.help)) var color: ColorChoice = .auto

  @Flag(help: ArgumentHelp(StrictReading.help)) var strict = false

  func validate() throws {
    if rank {
      let others = [
        ("--do", !changes.isEmpty), ("--changes", changesFile != nil), ("-o", output != nil),
        ("--html", html != nil),
      ]
      if let other = others.first(where: \.1) {
        throw ValidationError("--rank chooses the changes itself, so it cannot be combined with \(other.0)")
      }
    } else if changes.isEmpty, changesFile == nil {
      throw ValidationError("give a change with --do, or --rank")
    }
    if all, format == .json { throw ValidationError("--all is for text; JSON always has every number") }
    if let output, Terminal.isStandardOutput(output) {
      throw ValidationError("-o writes a file, because standard output has the report; name a file")
    }
  }

  func run() throws {
    try WholeFile.refuseStandardOutput(html, option: "--html", instead: "name a file")
    FileUse.read([file])
    if let changesFile { FileUse.read([changesFile], as: "list of changes") }
    try FileUse.write((output.map { [($0, "-o")] } ?? []) + (html.map { [($0, "--html")] } ?? []))
    let wanted = try wantedChanges()
    let reader = try StrictReading.open(file, isStrict: strict, longNames: ShownName.whileReading)
    var options = AnalysisOptions()
    options.frameSources = frames
    let base = try AnalysisRun(reader, options, file: file)
    let replay: WhatIfReplay
    do throws(WhatIfError) {
      replay = try WhatIfReplay(reader, base.analysis, file: file, toleranceNs: tolerance?.nanoseconds)
    } catch {
      return try finish(undecided: error, wanted, [])
    }
    if rank { return try print(replay.ranking()) }
    let predicted: WhatIfReplay.Predicted
    do throws(WhatIfError) { predicted = try replay.predict(wanted) } catch {
      return try finish(undecided: error, wanted, replay.predictor.fidelity)
    }
    try write(predicted, replay)
    try print(predicted.report)
  }

  private func wantedChanges() throws -> [Change] {
    var texts = changes
    if let changesFile { texts += try ChangesFile.read(changesFile) }
    do { return try texts.map { try ChangeParser.read($0) } } catch let error as WhatIfError {
      guard case .usage(let what) = error else { throw error }
      throw Failure(status: .usage, message: what)
    }
  }

  /// Reports that there is no prediction, and ends with status 2.
  private func finish(undecided error: WhatIfError, _ changes: [Change], _ fidelity: [Fidelity]) throws {
    switch error {
    case .usage(let what): throw Failure(status: .usage, file: file, message: what)
    case .trace(let error): throw Failure.reading(file, error)
    case .undecided(let reason):
      try print(WhatIfReport(file: file, changes: changes, fidelity: fidelity, undecided: reason))
      throw ExitCode(WhatIfCommand.undecidedStatus)
    }
  }

  private static let undecidedStatus: Int32 = 2

  private func write(_ predicted: WhatIfReplay.Predicted, _ replay: WhatIfReplay) throws {
    if let output {
      let sink = try Output.binary(output)
      do throws(TraceFormatError) {
        try sink.write(predicted.bytes)
        try sink.commit()
      } catch {
        sink.discard()
        throw Output.failure(output, error)
      }
      Output.report(wrote: output)
    }
    if let html { try WholeFile.write(try replay.page(predicted), to: html, option: "--html") }
  }

  private func print(_ report: WhatIfReport) throws {
    var out = OutputBuffer()
    switch format {
    case .text: for line in report.lines(style: color.style, showsAll: all) { try out.line(line) }
    case .json: try out.line(try WhatIfReport.document.encode([report]))
    }
    try out.flush()
  }
}
