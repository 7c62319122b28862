import ArgumentParser
import Foundation
import ProgramRecorder
import Symbolication
import Scenario
import TraceAnalysis
import TraceCompression
import TraceFormat
import TraceRecorder
import TraceResults

struct Record: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Records the run loops of a program, or a scenario, into a trace.",
    usage: """
      rltrace record [OPTIONS] [--] COMMAND [ARGUMENT…]
      rltrace record --scenario NAME [OPTIONS]
      rltrace record --print-env [OPTIONS]
      """,
    discussion: """
      COMMAND is any dynamically linked program that uses Foundation's run loop; it runs as it would without \
      rltrace, with the same streams, the same signals and the same exit status. Options behind COMMAND are its own. \
      Processes that it starts and that run loops, too, get traces of their own, named NAME.PID.rltrace; when only one \
      process ran a loop, its trace is NAME.rltrace. When none did, the status is 66.

      An earlier trace of the name is kept as NAME.old1.rltrace, the next one as NAME.old2.rltrace. `rltrace compare` compares the \
      last two.

      Scenarios run on this process's own, real CFRunLoop, or with --virtual on the model of it, in virtual time. \
      `rltrace scenarios` lists them.

      Examples:
        rltrace record ./MyProgram --its-option
        rltrace record -o slow.rltrace --duration 30s -- swift test --skip-build
        rltrace record --duration 30s --stop ./MyServer
        rltrace record --max-size 64M ./MyServer
        rltrace record --sample 10ms ./MyApp
        rltrace record --profile monitor ./MyApp
        rltrace record --flight-recorder 30 --on-gap 250ms ./MyApp
        rltrace record --print-env -o /var/tmp/service.rltrace >service.env
        rltrace record --scenario timer-starvation --time-unit 1ns
        rltrace record --scenario background-task-cycle --virtual
        rltrace record --scenario mine.yaml --time-scale 0.1
      """)

  @Argument(
    parsing: .captureForPassthrough,
    help: ArgumentHelp(
      "The program to record, and its arguments; behind -- where its name begins with a dash.",
      valueName: "command"), completion: .file())
  var commandLine: [String] = []

  @Option(
    help: ArgumentHelp("What to run instead: a scenario's name, or a YAML file.", valueName: "name or file"),
    completion: .list(ScenarioLibrary.names))
  var scenario: String?

  @Flag(help: "The scenario runs on the model, in virtual time: the same trace each time, at once.")
  var virtual = false

  @Option(help: "Decides the random times of a scenario (default: 0).")
  var seed: UInt64?

  @Flag(
    help: "Print the variables that make a program record itself into a spool, where no wrapper can stand.")
  var printEnv = false

  @Option(
    name: .shortAndLong,
    help:
      "The trace to write (default: COMMAND.rltrace or SCENARIO.rltrace); - is standard output, with --virtual.",
    completion: .file(extensions: ["rltrace"]))
  var output: String?

  @Option(
    help: "Stop recording after this time, as 30s; the program goes on.", transform: DurationArgument.read)
  var duration: DurationArgument?

  @Flag(help: "After --duration the program ends, too: SIGTERM, and SIGKILL 5 s later. The status is then 0.")
  var stop = false

  @Option(
    help: "Keep the newest part of the trace, at most this large, as 64M.", transform: SizeArgument.read)
  var maxSize: SizeArgument?

  @Option(
    help: ArgumentHelp(
      "Keep the last seconds only: written at the program's end, at SIGUSR2, and at gaps.",
      valueName: "seconds"), transform: DurationArgument.flightSpan)
  var flightRecorder: DurationArgument?

  @Option(
    help: "The flight recorder writes a snapshot after a gap of this length, as 1s.",
    transform: DurationArgument.read)
  var onGap: DurationArgument?

  @Option(help: "Which threads: all or main (default: all).")
  var thread: ThreadChoice?

  @Option(help: "How much: callouts, or activities alone (default: callouts).")
  var level: Choice<CaptureLevel>?

  @Option(
    help:
      "Sample the stack of a loop's thread that stays in one activity for so long; off = never (default: 100ms).",
    transform: StallThresholdArgument.read)
  var stallThreshold: StallThresholdArgument?

  @Option(
    help: "Sample stacks this often, of every callout that takes longer, as 10ms.",
    transform: DurationArgument.read)
  var sample: DurationArgument?

  @Option(help: "The signal that interrupts a thread while its stack is copied (default: 23, SIGURG).")
  var stallSignal: Int32?

  @Option(
    help:
      "Sample the stack when a stay in one activity, or the launch, reaches this profile's limit: a name, or a YAML file (default: watchdog).",
    completion: .list(Profile.named.map(\.name)))
  var profile: String?

  @Flag(help: "Leave functions, files and lines out of the trace; rltrace symbolicate can add them later.")
  var noSymbols = false

  @Flag(help: "Leave the processes that the program starts alone.")
  var noChildren = false

  @Flag(help: "That there is nothing to record is no failure: the status is the program's.")
  var allowEmpty = false

  @Flag(name: .shortAndLong, help: "Say nothing when all went well.")
  var quiet = false

  @Option(help: "The trace's time unit: 1ns, 10ns, 100ns or 1us.")
  var timeUnit = Choice(TimeUnit.ns10)

  @Option(help: "none or zstd (default: zstd).")
  var codec: Choice<CodecID>?

  @Option(help: "Makes all parts of the scenario this many times as long, 0.01 to 1000 (default: 1).")
  var timeScale: Double?

  @Option(help: "Stamps from cycle-counter (where invariant) or monotonic (default: cycle-counter).")
  var clock: Choice<ClockSource>?

  /// The program and its arguments.
  var command: [String] { commandLine.first == "--" ? Array(commandLine.dropFirst()) : commandLine }

  /// Returns the failure to begin a recording. An existing spool belongs to another recording.
  static func failure(toBegin error: RecordingError, _ output: String) -> Failure {
    switch error {
    case .trace(.nameTaken(let what)):
      Failure(status: .cannotCreate, message: "\(what); choose another place with -o")
    case .trace(let error): .writing(output, error)
    case .noThread, .alreadyRecording: failure(error, output)
    }
  }

  static func failure(
    _ error: RecordingError, _ output: String, spoolTakenFrom place: String? = nil
  ) -> Failure {
    if case .noThread = error {
      return Failure(
        status: .ioError, message: "\(error); end other processes, or raise the limits (ulimit -u, -v)")
    }
    guard case .trace(let error) = error else { return Failure(status: .software, message: "\(error)") }
    // The folder or the spool was moved. The rest of it has another name.
    if let place {
      return Failure(
        status: .ioError,
        message: "\(error), and somebody moved or removed \(place): the trace cannot be completed")
    }
    let spool = SpoolName.path(trace: output)
    return .writing(output, error, kept: Spool.isSpool(spool) ? spool : nil)
  }

  /// Returns the failure for lost data, which is printed even with `--quiet`; nil when nothing was lost.
  static func loss(_ summary: RecordingSummary, _ path: String) -> Failure? {
    if let cut = summary.cut {
      let what = cut.text(SpoolName.path(trace: path))
      return Failure(
        status: .ioError, message: "\(what): what was stored from then on is lost; \(path) has the rest")
    }
    guard summary.lostForRoom > 0 else { return nil }
    let lost = Say.count(summary.lostForRoom, "event or name", "events and names")
    return Failure(
      status: .ioError,
      message:
        "the disk had no room for \(lost); lost events in all: \(summary.lostEvents); \(path) has the others")
  }

  func run() throws {
    noteUnits()
    FileUse.read(scenario.flatMap { NamedScenario.file($0) }, as: "scenario")
    FileUse.read(profile.flatMap { NamedProfile.file($0) }, as: "profile")
    if let scenario {
      try RecordScenario(
        scenario: NamedScenario.load(scenario).scaled(by: timeScale ?? 1), isVirtual: virtual,
        seed: seed ?? 0, output: output, options: recordingOptions(info: []), isQuiet: quiet
      ).run()
    } else if printEnv {
      try FileUse.write([(programOutput, "-o")])
      try printEnvironment()
    } else {
      try FileUse.write([(programOutput, "-o")])
      let status = try RecordProgram(
        command: command, arguments: RawArguments.last(command), options: programOptions(), isQuiet: quiet,
        allowsEmpty: allowEmpty, stops: stop, namesCode: !noSymbols
      ).run()
      if status != 0 { throw ExitCode(status) }
    }
  }

  /// The default size of a flight recorder, in bytes.
  private static let flightSize: UInt64 = 256 << 20

  private var kept: KeptPart? {
    guard maxSize != nil || flightRecorder != nil else { return nil }
    return KeptPart(
      bytes: maxSize?.bytes ?? Record.flightSize, spanNs: flightRecorder?.nanoseconds,
      gapNs: onGap?.nanoseconds)
  }

  private func recordingOptions(info: [InfoEntry]) throws(Failure) -> RecordingOptions {
    let codec = codec?.value ?? .zstd
    return RecordingOptions(
      timeUnit: timeUnit.value, makeCodec: { allCodecs(codec) ?? NoCodec() }, info: info,
      clock: clock?.value ?? .cycleCounter, stalls: try stalls())
  }

  private func stalls() throws(Failure) -> StallWatch? {
    if case .off? = stallThreshold { return nil }
    let signal = stallSignal ?? StallWatch.standardSignal
    var watch = StallWatch(signal: signal)
    if let sample { watch = StallWatch(everyNs: sample.nanoseconds, signal: signal) }
    if case .after(let threshold)? = stallThreshold { watch.thresholdNs = threshold.nanoseconds }
    if let profile = try profile.map({ name throws(Failure) in try NamedProfile.load(name) }) {
      watch.limitsNs = profile.limits
      watch.limitNs = profile.limitNs
    }
    return watch
  }

  /// The trace of a recorded program.
  private var programOutput: String {
    output ?? "\(command.first.map { URL(fileURLWithPath: $0).lastPathComponent } ?? "program").rltrace"
  }

  private func programOptions() throws -> ProgramOptions {
    guard let library = PreloadLibrary.find(environment: ProcessInfo.processInfo.environment) else {
      throw Failure(
        status: .unavailable,
        message: "\(PreloadLibrary.fileName) is not beside rltrace nor in ../lib/rltrace; build all products "
          + "(swift build), or name it in RLTRACE_PRELOAD")
    }
    let symbols = SymbolCache()
    var options = ProgramOptions(
      recording: try recordingOptions(info: RecordingFacts.entries(command: command)),
      output: programOutput, library: library, makeNaming: { ProgramNaming(symbols) })
    options.recordsChildren = !noChildren
    options.mainThreadOnly = thread == .main
    options.activitiesOnly = level?.value == .activities
    options.codecs = allCodecs
    options.durationNs = duration?.nanoseconds
    options.kept = kept
    return options
  }

  private func printEnvironment() throws {
    let options = try programOptions()
    guard !options.library.path.contains(where: { $0 == " " || $0 == ":" }) else {
      throw Failure(
        status: .unavailable,
        message:
          "\(options.library.path): LD_PRELOAD cannot hold a name with blanks or colons; copy the library")
    }
    let environment = options.environmentWithoutRecorder
    guard environment.spoolPath.hasPrefix("/") else {
      throw Failure(
        status: .usage,
        message: "the name of the current folder is not UTF-8; give -o a path that begins with /")
    }
    var out = OutputBuffer()
    for (name, value) in environment.variables { try out.line("\(name)=\(value)") }
    try out.flush()
  }
}

/// The threads of a program to record.
enum ThreadChoice: String, ExpressibleByArgument, CaseIterable {
  case all, main
}
