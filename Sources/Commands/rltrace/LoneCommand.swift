import ArgumentParser

/// A command as the root of its own command line.
///
/// Below the real root, the parser describes the options of the command four times instead of twice, and first looks
/// for options of its own. Each type that it meets for the first time costs searches of all conformances, which take
/// most of the time of a short command.
private struct LoneCommand<Command: ParsableCommand>: ParsableCommand {
  static var configuration: CommandConfiguration {
    // The parser does not look for --generate-completion-script below another command.
    CommandConfiguration(
      commandName: Command._commandName, _superCommandName: RLTrace._commandName, helpNames: [])
  }

  @OptionGroup var command: Command
}

extension ParsableCommand {
  /// Parses the words after the command's name. Returns nil if they are not valid: only the root knows whether they ask
  /// for help, and how to report an error.
  static func parsedAlone(_ words: [String]) -> (any ParsableCommand)? {
    (try? LoneCommand<Self>.parseAsRoot(words) as? LoneCommand<Self>)?.command
  }

  /// Returns the command of this name directly below this one.
  static func subcommand(named name: String) -> (any ParsableCommand.Type)? {
    configuration.subcommands.first { $0._commandName == name }
  }
}
