import ArgumentParser

/// A command as the root of its own command line.
///
/// Below the real root, the parser describes the options of the command four times instead of twice, and first looks
/// for options of its own. Each type that it meets for the first time costs searches of all conformances, which take
/// most of the time of a short command.
private struct LoneCommand<Command: ParsableCommand>: ParsableCommand, CustomReflectable {
  static var configuration: CommandConfiguration {
    // The parser does not look for --generate-completion-script below another command. Without names for help, it does
    // not look for --help and --help-hidden.
    CommandConfiguration(
      commandName: Command._commandName, _superCommandName: RLTrace._commandName, helpNames: [])
  }

  private(set) var command = Command()

  init() {}
  init(from decoder: any Decoder) throws { command = try Command(from: decoder) }
  mutating func validate() throws { try command.validate() }

  /// The options, which the parser finds by reflection.
  var customMirror: Mirror { Mirror(reflecting: command) }
}

extension ParsableCommand {
  /// Parses the words after the command's name. Returns nil if they are not valid: only the root knows whether they ask
  /// for help, and how to report an error.
  static func parsedAlone(_ words: [String]) -> (any ParsableCommand)? {
    (try? LoneCommand<Self>.parseAsRoot(words) as? LoneCommand<Self>)?.command
  }
}
