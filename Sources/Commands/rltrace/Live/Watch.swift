import ArgumentParser
import Dispatch
import Foundation
import SystemSupport
import TextReport
import TraceAnalysis
import TraceCompression
import TraceFormat
import TraceRecorder
import TraceReplay

struct Watch: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Shows what the loops of a recording in progress are doing.",
    discussion: """
      RECORDING is the name of a recording under way, or the process id of its program or its recorder. The command \
      only reads: the program and the recorder do not notice it.

      Examples:
        rltrace watch app.rltrace
        rltrace watch 812 --interval 250ms
        rltrace watch app.rltrace --once
        rltrace watch app.rltrace --once --format json | jq .timers
        rltrace watch app.rltrace --format jsonl --interval 5s >> app.jsonl
        rltrace watch app.rltrace --format prometheus --interval 15s -o /var/lib/node_exporter/app.prom
        rltrace watch --replay app.rltrace --speed 4

      On a terminal, ? lists the keys. In a pipe, each interval gives one line for each loop that matters. The command \
      ends with the recording.
      """)

  enum Format: String, OptionWord {
    case text, json, jsonl, openmetrics, prometheus

    /// Nil = no format of metrics.
    var exposition: ExpositionFormat? {
      switch self {
      case .openmetrics: .openMetrics
      case .prometheus: .prometheus
      case .text, .json, .jsonl: nil
      }
    }
  }

  @Argument(
    help: "The name of the recording, or a process id.",
    completion: .file(extensions: ["rltrace", "part", "spool"]))
  var recording: String?

  @Option(help: "The time between two views, 100ms or more.", transform: WatchTimes.interval)
  var interval = WatchTimes.standardInterval

  @Flag(help: "Analyze everything that has been recorded so far, once.")
  var once = false

  @Option(
    help: ArgumentHelp(
      "text, json (with --once), jsonl: one analysis of each interval per line, or metrics for a scraper: "
        + "openmetrics or prometheus (default: text)."))
  var format = Format.text

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "With openmetrics and prometheus: the file that is replaced at each interval.", valueName: "file"),
    completion: .file())
  var output: String?

  @Option(
    name: .customLong("for"), help: ArgumentHelp("End after this time.", valueName: "duration"),
    transform: DurationArgument.read)
  var length: DurationArgument?

  @Option(
    help: ArgumentHelp("Play a finished trace as if it were being recorded.", valueName: "trace"),
    completion: .file(extensions: ["rltrace"]))
  var replay: String?

  @Option(help: "The speed of --replay, as a multiple of real time (default: 1).")
  var speed: Double?

  @Flag(name: .shortAndLong, help: "Do not report how the recording ended.")
  var quiet = false

  @OptionGroup var gaps: GapArguments
  @Option(help: ArgumentHelp(ColorChoice.help)) var color: ColorChoice = .auto

  func validate() throws {
    guard (recording == nil) != (replay == nil) else {
      throw ValidationError("give a recording, or --replay with a trace.")
    }
    guard speed == nil || replay != nil else { throw ValidationError("--speed is for --replay.") }
    if let speed, !(speed >= 0.01 && speed <= 10_000) {
      throw ValidationError("--speed must be from 0.01 to 10000.")
    }
    guard !once || replay == nil else {
      throw ValidationError("--once is for a recording; `rltrace analyze` analyzes a trace.")
    }
    guard !once || format != .jsonl else {
      throw ValidationError("--once prints text, json, openmetrics or prometheus.")
    }
    guard once || format != .json else {
      throw ValidationError("--format json needs --once; without it, use jsonl.")
    }
    try validateMetrics()
  }

  /// A scraper reads one exposition, so they do not follow each other in a stream.
  private func validateMetrics() throws {
    guard format.exposition != nil else {
      guard output == nil else {
        throw ValidationError("-o is for --format openmetrics and prometheus; redirect standard output.")
      }
      return
    }
    guard once || output.map({ !Terminal.isStandardOutput($0) }) ?? false else {
      throw ValidationError(
        "--format \(format.rawValue) needs -o FILE, which is replaced at each interval, or --once.")
    }
    guard interval.nanoseconds <= WatchTimes.keptNs else {
      throw ValidationError(
        "--format \(format.rawValue) needs --interval of 60s or less, because the view keeps 60 s.")
    }
  }

  func run() throws {
    gaps.enterFiles()
    FileUse.read(replay)
    try FileUse.write(output.map { [($0, "-o")] } ?? [])
    var options = try gaps.options()
    if format.exposition != nil {
      options.replay.countsOpenAtStart = true
      options.replay.busyThresholdNs = Exposition.listedBusyNs
    }
    if once { return try printOnce(options) }
    options.replay.detectors = []
    options.stacks.names = WatchedSymbols().names
    let source: any WatchSource =
      if let replay {
        try ReplayedTrace(replay, speed: speed ?? 1)
      } else {
        try LiveRecording(WatchTarget.find(recording ?? ""))
      }
    let watching = Watching(source: source, options: options, intervalNs: interval.nanoseconds)
    let deadline = length.map { WatchTimes.now() &+ $0.nanoseconds }
    let end: WatchEnd
    if format == .text, let terminal = RawTerminal() {
      end = try watching.show(on: terminal, isColoured: color.isColoured, until: deadline)
    } else if let exposition = format.exposition {
      end = try replace(output ?? "", exposition, watching, until: deadline)
    } else {
      end = try print(watching, until: deadline)
    }
    if !quiet || end == .abandoned { try source.report(end) }
  }

  /// Prints each interval to standard output.
  private func print(_ watching: Watching, until deadline: UInt64?) throws -> WatchEnd {
    var out = OutputBuffer()
    return try watching.forEachInterval(until: deadline) { analysis, status in
      if format == .jsonl {
        try out.line(AnalysisJSON.line(status.name, analysis))
      } else {
        for line in WatchLine.lines(analysis, status) { try out.line(line) }
      }
      try out.flush()
    }
  }

  /// Replaces the file after each interval, and when the recording has ended.
  private func replace(
    _ file: String, _ format: ExpositionFormat, _ watching: Watching, until deadline: UInt64?
  ) throws -> WatchEnd {
    var exposition = Exposition()
    let end = try watching.forEachInterval(until: deadline) { analysis, status in
      exposition.add(analysis, status)
      try ReplacedFile.write(exposition.text(format), to: file)
    }
    if end != .quit {
      exposition.end()
      try ReplacedFile.write(exposition.text(format), to: file)
    }
    return end
  }

  private func printOnce(_ asked: AnalysisOptions) throws {
    var options = asked
    options.replay.detectors = Detector.standard
    let target = try WatchTarget.find(recording ?? "")
    if format.exposition != nil, !SegmentFiles.left(trace: target.trace).isEmpty {
      throw Failure(
        status: .usage,
        message:
          "\(target.trace) keeps only its newest part, so its counters would fall; use -o FILE without --once"
      )
    }
    let copy = try OtherProgram.temporaryFile(".rltrace")
    defer { unlink(copy) }
    let file = try LiveRecording.copy(target, to: copy) ? copy : try LiveRecording.finished(target)
    let reader: TraceReader
    do throws(TraceFormatError) {
      reader = try TraceReader(
        source: FileSource(path: file), codecs: allCodecs, longNames: ShownName.whileReading)
    } catch {
      throw Failure.reading(target.trace, error)
    }
    let run = try AnalysisRun(reader, options, file: target.trace)
    var out = OutputBuffer()
    if let format = format.exposition {
      var exposition = Exposition()
      exposition.add(
        run.analysis,
        WatchStatus(
          name: Files.name(of: target.trace), processID: 0, elapsedNs: run.analysis.trace.durationNs))
      if file != copy { exposition.end() }
      let text = exposition.text(format)
      if let output, !Terminal.isStandardOutput(output) {
        try ReplacedFile.write(text, to: output)
      } else {
        try out.write(text)
      }
    } else if format == .json {
      try AnalysisJSON.document.write([(target.trace, run.analysis)]) { try out.write($0) }
      try out.line("")
    } else {
      let text = AnalysisText(run.analysis, gapThresholdNs: run.listedGapNs, style: color.style)
      for line in text.lines(file: target.trace, isBrief: Terminal.outputIsTerminal) { try out.line(line) }
    }
    try out.flush()
    if let problem = run.problem { throw problem }
  }
}

/// The times of the command.
enum WatchTimes {
  static let leastIntervalNs: UInt64 = 100_000_000
  static let standardInterval = DurationArgument(nanoseconds: 1_000_000_000, text: "1s")
  /// The length of the past that is kept, enough for the longest span on the screen.
  static let keptNs: UInt64 = WatchChoices.spansNs.max() ?? 0
  static let keptBytes: UInt64 = 64 << 20
  /// The longest time between two reads of the rings, so that little is overwritten in between.
  static let lookNs: UInt64 = 50_000_000
  /// A view takes at most the time between two views, divided by this number.
  static let restPerWork: UInt64 = 10

  static func interval(_ text: String) throws -> DurationArgument {
    let interval = try DurationArgument.read(text)
    guard (leastIntervalNs...3_600_000_000_000).contains(interval.nanoseconds) else {
      throw ValidationError("expected a time from 100ms to 1h, got '\(text)'")
    }
    return interval
  }

  /// Returns when the next view is due. A view that takes a long time is made less often, so that the program keeps
  /// enough processor time.
  static func next(after due: UInt64, begun: UInt64, intervalNs: UInt64) -> UInt64 {
    let now = now()
    return max(due &+ intervalNs, now, begun &+ (now &- begun) &* restPerWork)
  }

  static func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }
}

extension DurationArgument: CustomStringConvertible {
  var description: String { text }
}
