import ArgumentParser
import SystemSupport
import TextReport
import TraceFormat
import TraceResults

/// Checks the names of commands on the command line. The parser would treat an unknown name as an argument, and after
/// `help` it would ignore it.
enum CommandNames {
  private static let help = "help"

  /// Throws if a word where a command is expected is not the name of a command.
  static func check(_ arguments: some Sequence<String>) throws(Failure) {
    var words = Array(arguments)[...]
    let isHelp = words.first == help
    if isHelp { words.removeFirst() }
    var command: any ParsableCommand.Type = RLTrace.self
    var path = [RLTrace._commandName]
    while let word = words.popFirst(), !word.hasPrefix("-") {
      let subcommands = command.configuration.subcommands
      // The remaining words belong to this command.
      if subcommands.isEmpty { return }
      guard let next = command.subcommand(named: word) else {
        if isHelp, path.count == 1, word == help { return }
        throw unknown(word, in: subcommands, path.joined(separator: " "))
      }
      command = next
      path.append(word)
    }
  }

  private static func unknown(
    _ word: String, in subcommands: [any ParsableCommand.Type], _ path: String
  ) -> Failure {
    let names = subcommands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
    let hint =
      if path == RLTrace._commandName, TraceFile.isTrace(word) {
        "; did you mean `rltrace analyze \(ShellWords.line([word]))`?"
      } else if path == RLTrace._commandName, Explanations().explains(word) {
        "; did you mean `rltrace explain \(ShellWords.line([word]))`?"
      } else if KnownNames.nearest(to: word, in: names) != nil {
        KnownNames.suggestion(word, in: names)
      } else {
        KnownNames.hint(word, in: names, limit: .max)
      }
    return Failure(status: .usage, message: "unknown command '\(word)'\(hint); see `\(path) --help`")
  }
}

extension ParsableCommand {
  /// Returns the command of this name directly below this one.
  static func subcommand(named name: String) -> (any ParsableCommand.Type)? {
    configuration.subcommands.first { $0._commandName == name }
  }
}
