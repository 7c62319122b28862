import ProgramRecorder

/// The command line in raw bytes. Words that are not UTF-8 are changed in `CommandLine.arguments`.
enum RawArguments {
  private static var all: [SystemText] {
    (0..<Int(CommandLine.argc)).compactMap { number in
      CommandLine.unsafeArgv[number].map { SystemText(cString: $0) }
    }
  }

  /// Returns whether an option's word is what the user typed, rather than the replacement of bytes that are not
  /// UTF-8.
  static func hold(_ word: String) -> Bool {
    !word.unicodeScalars.contains("\u{FFFD}") || all.contains { $0.ends(with: word) }
  }

  /// Returns the raw text of the last words that the parser decoded as `words`.
  static func last(_ words: [String]) -> [SystemText] {
    let raw = all.suffix(words.count)
    return raw.map(\.text) == words ? Array(raw) : words.map { SystemText($0) }
  }
}
