import ArgumentParser
import Foundation
import TraceGate
import TraceResults

extension Record {
  private static let leastSize: UInt64 = 1 << 16

  /// Refuses options that do not apply, because a user who gives one expects an effect.
  func validate() throws {
    try refuseOptionsAsCommand()
    let ways = (scenario == nil ? 0 : 1) + (command.isEmpty ? 0 : 1) + (printEnv ? 1 : 0)
    guard ways == 1 else {
      throw ValidationError(
        ways == 0
          ? "nothing to record: give COMMAND [ARGUMENT…], --scenario NAME or --print-env"
          : "give only one of COMMAND, --scenario and --print-env; options of rltrace go before COMMAND"
      )
    }
    if scenario != nil {
      try refuse(forPrograms + besideProgram, "is for programs, not for scenarios")
    } else {
      try refuse(forScenarios, "is for scenarios")
    }
    if printEnv {
      try refuse(
        besideProgram,
        "needs a recorder, and --print-env has none: the spool keeps each thread's newest events")
    }
    if virtual { try refuse([("--clock", clock != nil)], "needs a real clock; --virtual has none") }
    try validateValues()
    try validateOutput()
  }

  private typealias Given = (option: String, isGiven: Bool)

  private var forPrograms: [Given] {
    [
      ("--thread", thread != nil), ("--loops", loops != nil), ("--queues", queues != nil),
      ("--level", level != nil), ("--no-children", noChildren),
    ]
  }

  private var besideProgram: [Given] {
    [
      ("--duration", duration != nil), ("--stop", stop), ("--max-size", maxSize != nil),
      ("--flight-recorder", flightRecorder != nil), ("--on-gap", onGap != nil), ("--on", !on.isEmpty),
      ("--allow-empty", allowEmpty),
      ("--watch", watch), ("--log", log != nil),
    ] + (printEnv ? [("--codec", codec != nil), ("--quiet", quiet)] : [])
  }

  private var forScenarios: [Given] {
    [("--virtual", virtual), ("--seed", seed != nil), ("--time-scale", timeScale != nil)]
  }

  private func refuse(_ options: [Given], _ why: String) throws {
    if let given = options.first(where: \.isGiven) { throw ValidationError("\(given.option) \(why)") }
  }

  /// Refuses unknown options, which the parser would treat as the program's name.
  private func refuseOptionsAsCommand() throws {
    guard let first = commandLine.first, first.hasPrefix("-"), first != "--" else { return }
    switch first {
    case "-h", "--help", "-help": throw CleanExit.helpRequest(self)
    case "--version": throw CleanExit.message(rltraceVersion)
    default:
      let near = KnownNames.suggestion(first, in: Record.optionNames)
      let hint = near.isEmpty ? "; put -- before a program whose name begins with -" : near
      throw ValidationError("unknown option '\(first)'\(hint)")
    }
  }

  /// The options in the help text.
  private static var optionNames: [String] {
    helpMessage().split { !($0.isLetter || $0 == "-") }.map(String.init).filter {
      $0.hasPrefix("--") && $0.count > 2
    }
  }

  /// Prints a note about each length of time that was hardly meant in seconds.
  func noteUnits() {
    let usual: UInt64 = 10_000_000_000
    sample?.noteUnit("--sample", isAbsurdFrom: usual)
    if case .after(let threshold)? = stallThreshold {
      threshold.noteUnit("--stall-threshold", isAbsurdFrom: usual)
    }
    if let kept = flightRecorder {
      onGap?.noteUnit(
        "--on-gap", isAbsurdFrom: kept.nanoseconds, because: "longer than what the flight recorder keeps")
    }
  }

  private func validateValues() throws {
    if let timeScale, !(timeScale >= 0.01 && timeScale <= 1000) {
      throw ValidationError("--time-scale must be from 0.01 to 1000")
    }
    guard onGap == nil || flightRecorder != nil else {
      throw ValidationError("--on-gap needs --flight-recorder SECONDS")
    }
    try validateRules()
    guard queues != .all || thread != .main else {
      throw ValidationError("--queues all needs all threads, and --thread main records one")
    }
    guard log == nil || watch else { throw ValidationError("--log needs --watch") }
    if watch, isatty(STDIN_FILENO) != 1 || isatty(STDOUT_FILENO) != 1 {
      throw ValidationError(
        "--watch needs a terminal; `rltrace watch` shows a recording that runs elsewhere")
    }
    guard !stop || duration != nil else { throw ValidationError("--stop needs --duration TIME") }
    if let maxSize, maxSize.bytes < Record.leastSize {
      throw ValidationError("--max-size must be 64K or more")
    }
    guard sample == nil || stallThreshold == nil else {
      throw ValidationError("give only one of --sample and --stall-threshold")
    }
    if case .off? = stallThreshold, profile != nil {
      throw ValidationError("--profile needs stacks, and --stall-threshold off takes none")
    }
    if let sample, sample.nanoseconds < 1_000_000 { throw ValidationError("--sample must be 1ms or more") }
    if case .after(let threshold)? = stallThreshold, threshold.nanoseconds < 1_000_000 {
      throw ValidationError("--stall-threshold must be 1ms or more, or off")
    }
    if let stallSignal, !(1...64).contains(stallSignal) || [SIGKILL, SIGSTOP].contains(stallSignal) {
      throw ValidationError("--stall-signal must be the number of a signal that can be handled")
    }
    if let onGap, onGap.nanoseconds < 1_000_000 { throw ValidationError("--on-gap must be 1ms or more") }
  }

  private func validateRules() throws {
    guard !on.isEmpty else { return }
    guard let flightRecorder, flightRecorder.nanoseconds >= LiveRules.leastKeptNs else {
      throw ValidationError("--on needs --flight-recorder SECONDS, of 5 s or more")
    }
    _ = try liveRules()
  }

  /// Returns the rules of --on. Throws if one is not a rule, or cannot be judged while the program runs.
  func liveRules() throws -> [GateRule] {
    try on.map { text -> GateRule in
      let rule: GateRule
      do throws(RuleError) { rule = try RuleParser.parse(text) } catch {
        throw ValidationError("--on '\(harmless(text, limit: 100))': \(error)")
      }
      guard let problem = rule.liveProblem else { return rule }
      throw ValidationError("--on '\(harmless(text, limit: 100))': \(problem)")
    }
  }

  private func validateOutput() throws {
    guard let output else { return }
    guard Terminal.isStandardOutput(output) else { return try Output.refuseNameOfRecording(output) }
    guard virtual else {
      throw ValidationError(
        scenario == nil
          ? "-o - needs --virtual: standard output belongs to the program; name a file"
          : "-o - needs --virtual: a recording in real time needs a file")
    }
    guard !Terminal.outputIsTerminal else {
      throw ValidationError("-o - writes bytes that no terminal can show; redirect it to a file or a pipe")
    }
  }
}
