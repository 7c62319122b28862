import ProgramRecorder

/// The command line as the system has it: what is not UTF-8 reads differently in `CommandLine.arguments`.
enum RawArguments {
  private static var all: [SystemText] {
    (0..<Int(CommandLine.argc)).compactMap { number in
      CommandLine.unsafeArgv[number].map { SystemText(cString: $0) }
    }
  }

  /// Whether a word that an option was given is what was typed, and not what is left of bytes that are no text.
  static func hold(_ word: String) -> Bool {
    !word.unicodeScalars.contains("\u{FFFD}") || all.contains { $0.ends(with: word) }
  }

  /// The last words, which the parser has as these.
  static func last(_ words: [String]) -> [SystemText] {
    let raw = all.suffix(words.count)
    return raw.map(\.text) == words ? Array(raw) : words.map { SystemText($0) }
  }
}
