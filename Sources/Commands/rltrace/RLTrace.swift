import ArgumentParser
import Foundation

@main
struct RLTrace: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rltrace",
    abstract: "Records what run loops do, and explains which callouts were late and why.",
    discussion: """
      Examples:
        rltrace record ./MyProgram
        rltrace analyze MyProgram.rltrace
        rltrace record -- ./MyProgram --fast && rltrace compare
        rltrace explain RL004
        rltrace report MyProgram.rltrace -o MyProgram.html
        rltrace open MyProgram.rltrace --in perfetto
        rltrace what-if MyProgram.rltrace --rank
        rltrace watch MyProgram.rltrace
        rltrace gate MyProgram.rltrace --rule 'max(busy) < 250ms'
        rltrace record --scenario timer-starvation -o starvation.rltrace

      Exit status: 0 success; 1 a rule is broken (gate), or the events are impossible (validate); 2 a rule is \
      undecided (gate), or the trace is cut short (validate); 64 wrong usage; 65 the input is damaged, cut short \
      or not a trace; 66 an input cannot be opened; 69 a codec or the recording library is missing; 70 a defect in \
      rltrace; 73 an output cannot be created; 74 reading or writing failed; 128 + N when signal N stopped rltrace. \
      `man rltrace` and `man rltrace-COMMAND` have the same texts.
      """,
    version: rltraceVersion,
    // Each command states its name. Deriving a name from a type searches all conformances, which takes two fifths of
    // the time of `--help`.
    subcommands: [
      Record.self, Recover.self, Scenarios.self, Analyze.self, Explain.self, Report.self, Compare.self,
      Doctor.self,
      GateCommand.self,
      Summarize.self, FleetCommand.self,
      Export.self, Open.self, Watch.self, WhatIfCommand.self, Stack.self, Info.self, Validate.self,
      TopologyCommand.self,
      Dump.self,
      Assemble.self, Import.self, Symbolicate.self, Redact.self, Peer.self,
    ])

  static func main() {
    IgnoredSignals.begin()
    do {
      try checkCommandLine()
      let words = Array(CommandLine.arguments.dropFirst())
      try CommandNames.check(words)
      if let text = textAsked(words) { exit(withError: written(text)) }
      var command = try parseAsRoot(words)
      try RawArguments.check(exceptLast: (command as? Record)?.commandLine.count ?? 0)
      try command.run()
    } catch let failure as Failure {
      exit(withError: failure.report())
    } catch is OutputClosed {
      // A closed pipe is not an error of the command; `head` relies on this.
      exit(withError: nil)
    } catch {
      end(with: error)
    }
  }

  /// The runtime reads the command line from /proc. Without it, each command would look like one without arguments.
  private static func checkCommandLine() throws(Failure) {
    guard CommandLine.argc < 1 else { return }
    throw Failure(
      status: .unavailable,
      message:
        "cannot read the command line from /proc/self/cmdline; mount /proc (`mount -t proc proc /proc`)")
  }

  /// Returns the text if the command line only asks for the version, or for the help of a command. The parser would
  /// make a help text twice: for the exit status, and for the text.
  private static func textAsked(_ words: [String]) -> String? {
    if words == ["--version"] { return configuration.version }
    // Like the parser, which prints the help of a command, for a line of 80 characters if no width is known.
    if words == ["--help"] { return RootHelp.text(width: Terminal.knownWidth ?? 80) }
    guard words.count == 2, words[1] == "--help" else { return nil }
    return subcommand(named: words[0]).map { UsageText.fitting(helpMessage(for: $0)) }
  }

  /// Prints help, with short usage lines, and completion scripts, and an error in the command line as one line.
  private static func end(with error: any Error) -> Never {
    let code = exitCode(for: error)
    if error is ExitCode { exit(withError: error) }
    if code.isSuccess { exit(withError: written(UsageText.fitting(fullMessage(for: error)))) }
    let lines = message(for: error).split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    // The parser lists alternatives on separate lines.
    var text = ""
    for line in lines where !line.isEmpty {
      let isItem = line.hasPrefix("- ")
      text += text.isEmpty ? "" : isItem && !text.hasSuffix(":") ? ", " : " "
      text += isItem ? String(line.dropFirst(2)) : line
    }
    while text.hasSuffix(".") { text.removeLast() }
    Terminal.complain("\(text); see `\(commandNamed()) --help`")
    exit(withError: code)
  }

  /// Prints the text to standard output and returns the error, so that the command does not succeed if it cannot
  /// print its help.
  private static func written(_ text: String) -> (any Error)? {
    do {
      if !text.isEmpty { try Terminal.print(text + "\n") }
      return nil
    } catch let failure as Failure {
      return failure.report()
    } catch {
      return nil
    }
  }

  /// Returns the command path on the command line, up to the first word that is not a command.
  private static func commandNamed() -> String {
    var words = [_commandName]
    var command: any ParsableCommand.Type = self
    for argument in CommandLine.arguments.dropFirst() {
      guard let next = command.subcommand(named: argument) else { break }
      words.append(argument)
      command = next
    }
    return words.joined(separator: " ")
  }
}
