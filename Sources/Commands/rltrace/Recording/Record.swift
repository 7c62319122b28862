import ArgumentParser
import Foundation
import ProgramRecorder
import Symbolication
import Scenario
import TraceAnalysis
import TraceCompression
import TraceFormat
import TraceRecorder

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
      COMMAND is any dynamically linked program. record sees its CFRunLoops and its main queue; for a server, add \
      --loops all (event loops that wait with epoll, poll or select) and --queues all (Dispatch queues, tasks and \
      actors). The program runs as it would without rltrace, with the same streams, signals and exit status. \
      Options after COMMAND belong to COMMAND. Each process that COMMAND starts gets its own trace, \
      NAME.PID.rltrace, if it runs a loop. If only one process ran a loop, its trace is NAME.rltrace. If no process \
      did, the exit status is 66.

      record keeps an earlier trace of the same name as NAME.old1.rltrace, the next one as NAME.old2.rltrace. \
      `rltrace compare` compares the last two.

      Scenarios run on this process's own CFRunLoop or, with --virtual, on a model of it in virtual time. `rltrace \
      scenarios` lists them.

      Examples:
        rltrace record ./MyProgram --its-option
        rltrace record -o slow.rltrace --duration 30s -- swift test --skip-build
        rltrace record --duration 30s --stop ./MyServer
        rltrace record --max-size 64M ./MyServer
        rltrace record --sample 10ms ./MyApp
        rltrace record --profile monitor ./MyApp
        rltrace record --flight-recorder 30 --on-gap 250ms ./MyApp
        rltrace record --loops all --flight-recorder 30 --on 'max(pass) < 50ms' ./MyServer
        rltrace record --watch ./MyApp
        rltrace record --loops all --queues all ./MyServer
        rltrace record --print-env -o /var/tmp/service.rltrace >service.env
        rltrace record --scenario timer-starvation --time-unit 1ns
        rltrace record --scenario background-task-cycle --virtual
        rltrace record --scenario mine.yaml --time-scale 0.1
      """)

  @Argument(
    parsing: .captureForPassthrough,
    help: ArgumentHelp(
      "The program to record, and its arguments. Put -- before a name that begins with a dash.",
      valueName: "command"), completion: .file())
  var commandLine: [String] = []

  @Option(
    help: ArgumentHelp(
      "Run a scenario instead of a program: a scenario's name, or a YAML file.", valueName: "name or file"),
    completion: .list(ScenarioLibrary.names))
  var scenario: String?

  @Flag(
    help:
      "Run the scenario on the model, in virtual time: without waiting, and with the same trace each time.")
  var virtual = false

  @Option(help: "The seed for the random times of a scenario (default: 0).")
  var seed: UInt64?

  @Flag(
    help:
      "Print environment variables that make a program record itself into a spool, without rltrace."
  )
  var printEnv = false

  @Option(
    name: .shortAndLong,
    help:
      "The trace to write (default: COMMAND.rltrace or SCENARIO.rltrace). With --virtual, - is standard output.",
    completion: .file(extensions: ["rltrace"]))
  var output: String?

  @Option(
    help: "Stop recording after this time, such as 30s. The program continues.",
    transform: DurationArgument.read)
  var duration: DurationArgument?

  @Flag(
    help: "Also end the program after --duration, with SIGTERM, and SIGKILL 5 s later. The status is then 0.")
  var stop = false

  @Option(
    help: "Keep only the newest part of the trace, up to this size, such as 64M.",
    transform: SizeArgument.read)
  var maxSize: SizeArgument?

  @Option(
    help: ArgumentHelp(
      "Keep only the last seconds. The recorder writes them when the program ends, on SIGUSR2, after gaps "
        + "(--on-gap), and when a rule no longer holds (--on).",
      valueName: "seconds"), transform: DurationArgument.flightSpan)
  var flightRecorder: DurationArgument?

  @Option(
    help: "Make the flight recorder write a snapshot after a gap of this length, such as 1s.",
    transform: DurationArgument.read)
  var onGap: DurationArgument?

  @Option(
    help: ArgumentHelp(
      "Make the flight recorder write a snapshot when this rule of `rltrace gate` no longer holds, such as "
        + "'max(pass) < 50ms'. It is judged each second, about the last 10 seconds. May be repeated.",
      valueName: "rule"))
  var on: [String] = []

  @Option(help: "The threads to record: all or main (default: all).")
  var thread: ThreadChoice?

  @Option(
    help: ArgumentHelp(
      "The loops to record: foundation (CFRunLoop and the main queue), or all, with event loops that wait for file "
        + "descriptors: SwiftNIO, GLib, libuv, asyncio, Qt (default: foundation)."))
  var loops: LoopChoice?

  @Option(
    help: ArgumentHelp(
      "The queues to record: main (the main queue), or all, with Dispatch queues, tasks and actors of Swift "
        + "(default: main)."))
  var queues: QueueChoice?

  @Option(help: "The level of detail: callouts, or activities only (default: callouts).")
  var level: Choice<CaptureLevel>?

  @Option(
    help:
      "Sample the stack of a loop's thread when it stays in one activity for this long, or off (default: 100ms).",
    transform: StallThresholdArgument.read)
  var stallThreshold: StallThresholdArgument?

  @Option(
    help: "Sample stacks at this interval, such as 10ms, in every callout that takes longer.",
    transform: DurationArgument.read)
  var sample: DurationArgument?

  @Option(help: "The signal that interrupts a thread while its stack is copied (default: 23, SIGURG).")
  var stallSignal: Int32?

  @Option(
    help: ArgumentHelp(
      "Sample the stack when one activity, or the launch, reaches the limit of this profile: a name, or a YAML "
        + "file (default: watchdog)."),
    completion: NamedProfile.completion)
  var profile: String?

  @Flag(help: "Leave functions, files and lines out of the trace. `rltrace symbolicate` can add them later.")
  var noSymbols = false

  @Flag(help: "Do not record the processes that the program starts.")
  var noChildren = false

  @Flag(help: "Do not fail if nothing was recorded: return the exit status of the program.")
  var allowEmpty = false

  @Flag(help: "Show what the loops are doing during the recording, as `rltrace watch` does.")
  var watch = false

  @Option(
    help: ArgumentHelp(
      "With --watch: the file to which the program's output is appended (default: NAME.log for NAME.rltrace).",
      valueName: "file"), completion: .file())
  var log: String?

  @Flag(name: .shortAndLong, help: "Print only problems.")
  var quiet = false

  @Option(help: "The trace's time unit: 1ns, 10ns, 100ns or 1us.")
  var timeUnit = Choice(TimeUnit.ns10)

  @Option(help: "none or zstd (default: zstd).")
  var codec: Choice<CodecID>?

  @Option(help: "Multiply all times of the scenario by this factor, 0.01 to 1000 (default: 1).")
  var timeScale: Double?

  @Option(
    help: "The clock of the timestamps: cycle-counter (if invariant) or monotonic (default: cycle-counter).")
  var clock: Choice<ClockSource>?

  /// The program and its arguments.
  var command: [String] { commandLine.first == "--" ? Array(commandLine.dropFirst()) : commandLine }

  /// Returns the failure for a recording that could not begin. An existing spool belongs to another recording.
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
    // The folder or the spool was moved or removed, so the rest of the recording is no longer at the expected path.
    if let place {
      return Failure(
        status: .ioError,
        message: "\(error), and another process moved or removed \(place): the trace cannot be completed")
    }
    let spool = SpoolName.path(trace: output)
    return .writing(output, error, kept: Spool.isSpool(spool) ? spool : nil)
  }

  /// Returns the failure for lost data, which is printed even with `--quiet`; nil when nothing was lost.
  static func loss(_ summary: RecordingSummary, _ path: String) -> Failure? {
    if let cut = summary.cut {
      let what = cut.text(SpoolName.path(trace: path))
      return Failure(
        status: .ioError, message: "\(what): later events are lost; \(path) has the others")
    }
    guard summary.lostForRoom > 0 else { return nil }
    let lost = Phrase.count(summary.lostForRoom, "event or name", "events and names")
    return Failure(
      status: .ioError,
      message:
        "the disk had no room for \(lost); lost events in total: \(summary.lostEvents); \(path) has the others"
    )
  }

  func run() throws {
    noteUnits()
    FileUse.read(scenario.flatMap { NamedScenario.file($0) }, as: "scenario")
    NamedProfile.enterFile(profile)
    if let scenario {
      try RecordScenario(
        scenario: NamedScenario.load(scenario).scaled(by: timeScale ?? 1), isVirtual: virtual,
        seed: seed ?? 0, output: output, options: recordingOptions(info: []), isQuiet: quiet
      ).run()
    } else if printEnv {
      try FileUse.write([(programOutput, "-o")])
      try printEnvironment()
    } else {
      let log = watch ? log ?? SpoolName.stem(programOutput) + ".log" : nil
      try FileUse.write([(programOutput, "-o")] + (log.map { [($0, "--log")] } ?? []))
      let status = try RecordProgram(
        command: command, arguments: RawArguments.last(command), options: programOptions(), isQuiet: quiet,
        allowsEmpty: allowEmpty, stops: stop, namesCode: !noSymbols,
        view: try log.map { log throws(Failure) in try BesideView(log: log) }, rules: try judging()
      ).run()
      if status != 0 { throw ExitCode(status) }
    }
  }

  /// Nil without --on.
  private func judging() throws -> LiveRules? {
    guard let flightRecorder, !on.isEmpty else { return nil }
    return LiveRules(try liveRules(), keptNs: flightRecorder.nanoseconds)
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
    // Servers promise shorter times than people notice, and short waits of a pool's threads add up.
    if loops == .all || queues == .all {
      watch = StallWatch(thresholdNs: BlockedLoop.sampledNs, signal: signal)
    }
    if let sample { watch = StallWatch(everyNs: sample.nanoseconds, signal: signal) }
    if case .after(let threshold)? = stallThreshold {
      watch = StallWatch(thresholdNs: threshold.nanoseconds, signal: signal)
    }
    if let profile = try NamedProfile.load(profile) {
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
      throw Failure(status: .unavailable, message: PreloadLibrary.advice)
    }
    let symbols = SymbolCache()
    var options = ProgramOptions(
      recording: try recordingOptions(info: RecordingFacts.entries(command: command)),
      output: programOutput, library: library, makeNaming: { ProgramNaming(symbols) })
    options.recordsChildren = !noChildren
    options.mainThreadOnly = thread == .main
    options.recordsEventLoops = loops == .all
    options.recordsAllQueues = queues == .all
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
          "\(options.library.path): LD_PRELOAD cannot hold a path with spaces or colons; copy the library")
    }
    let environment = options.environmentWithoutRecorder
    guard environment.spoolPath.hasPrefix("/") else {
      throw Failure(
        status: .usage,
        message: "the name of the current folder is not UTF-8; give -o a path that begins with /")
    }
    try Terminal.print(lines: environment.variables.map { "\($0.name)=\($0.value)" })
  }
}

/// The threads of a program to record.
enum ThreadChoice: String, OptionWord {
  case all, main
}

/// The loops of a program to record.
enum LoopChoice: String, OptionWord {
  case foundation, all
}

/// The queues of a program to record.
enum QueueChoice: String, OptionWord {
  case main, all
}
