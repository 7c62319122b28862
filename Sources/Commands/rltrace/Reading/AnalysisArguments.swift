import ArgumentParser
import TraceAnalysis
import TraceReplay
import TraceFormat

/// The options for the listed gaps and for the code to blame for them.
struct GapArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      List gaps of at least this length, such as 250ms, 2s or 800us (default: the profile's value; otherwise 250ms, or \
      the length from which the recording has stacks, if shorter).
      """,
      valueName: "duration"), transform: DurationArgument.read)
  var gapThreshold: DurationArgument?

  @Option(help: NamedProfile.help, completion: NamedProfile.completion) var profile: String?

  // These options are not a group of their own. Each group costs start-up time, because the parser queries the
  // runtime about every type.
  @Option(
    help: ArgumentHelp(
      "For sampled stacks: a folder with programs, .debug files, or a .build-id or debuginfod tree. May be repeated.",
      valueName: "dir"), completion: .directory)
  var symbols: [String] = []

  @Option(
    help: ArgumentHelp(
      "For sampled stacks: an image that belongs to the program; * matches any text. May be repeated (default: a "
        + "guess).",
      valueName: "name"))
  var appImage: [String] = []

  @Option(
    help: "For sampled stacks: a YAML file with cause rules. They apply before the built-in ones.",
    completion: .file(extensions: ["yaml", "yml"]))
  var rules: String?

  func enterFiles() {
    NamedProfile.enterFile(profile)
    FileUse.read(rules, as: "rules file")
  }

  /// Notes that seconds were assumed if every trace is shorter than the threshold. Called once for all traces.
  func noteUnit(_ lengths: [TraceLength]) {
    guard let longest = lengths.max(by: { $0.ns < $1.ns }) else { return }
    gapThreshold?.noteUnit(
      "--gap-threshold", isAbsurdFrom: longest.ns,
      because: "longer than \(longest.file) (\(Units.duration(longest.ns)))")
  }

  /// Reads the profile and the rules. Called once for all traces.
  func options() throws(Failure) -> AnalysisOptions {
    var options = AnalysisOptions()
    options.profile = try NamedProfile.load(profile)
    options.stacks = try stackOptions()
    options.replay.listGaps(fromNs: gapThreshold?.nanoseconds ?? options.profile?.listedFromNs)
    return options
  }
}

/// The options for the analyzed span and its frame sources, the same for each command that analyzes one trace.
struct SpanArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Start at this moment: seconds into the trace, or a wall-clock time.", valueName: "moment"),
    transform: MomentArgument.read)
  var from: MomentArgument?

  @Option(help: ArgumentHelp("End before this moment.", valueName: "moment"), transform: MomentArgument.read)
  var to: MomentArgument?

  @Option(
    help: ArgumentHelp(
      "A repeating timer whose due points are the beginnings of frames; repeatable.", valueName: "name"))
  var frames: [String] = []

  /// Returns `options` with the frame sources, and with the span in this trace's time units.
  func applied(
    to options: AnalysisOptions, _ reader: TraceReader, _ file: String
  ) throws -> AnalysisOptions {
    var options = options
    options.frameSources = frames
    options.from = try from.map { try $0.units(in: reader, file: file) }
    options.to = try to.map { try $0.units(in: reader, file: file) }
    if let from = options.from, let to = options.to, from >= to {
      throw Failure(status: .usage, message: "--from must be before --to")
    }
    return options
  }
}

/// The length of a trace's analyzed span.
struct TraceLength {
  let file: String
  let ns: UInt64
}

/// The analysis of one file, with progress on a terminal.
struct AnalysisRun {
  var analysis: Analysis
  let length: TraceLength
  /// The length from which gaps are listed.
  let listedGapNs: UInt64
  /// Why the trace is incomplete; nil when it is.
  let problem: Failure?

  /// Analyzes the trace. `printsMeanwhile`: rows go to standard output while the trace is read.
  init(
    _ reader: TraceReader, _ options: AnalysisOptions, file: String, printsMeanwhile: Bool = false
  ) throws(Failure) {
    let progress = AnalysisProgress(file: file, isBeside: printsMeanwhile)
    defer { progress.finish() }
    do throws(TraceFormatError) {
      analysis = try TraceAnalyzer(reader, options: options).analyze { progress.update($0) }
    } catch {
      throw Failure.reading(file, error)
    }
    try Self.refuseUnknown(options.frameSources, in: analysis)
    listedGapNs = options.replay.listedGapNs(of: reader)
    length = TraceLength(file: file, ns: analysis.trace.toNs &- analysis.trace.fromNs)
    // The analysis has already found programs and debug information.
    try FileUse.check()
    problem = (reader.problem ?? analysis.damage).map { .incomplete(file, $0, reader) }
  }

  private static func refuseUnknown(_ sources: [String], in analysis: Analysis) throws(Failure) {
    guard !sources.isEmpty else { return }
    let known = Set(analysis.timers.filter { $0.intervalNs > 0 }.flatMap(\.names)).ordered()
    for name in sources where !known.contains(ShownName.of(name)) {
      throw Failure(
        status: .usage,
        message: "no repeating timer '\(name)' in the trace" + KnownNames.hint(name, in: known))
    }
  }
}
