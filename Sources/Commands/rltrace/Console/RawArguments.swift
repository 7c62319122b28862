import ProgramRecorder
import TraceResults

/// The command line in raw bytes. Words that are not UTF-8 are changed in `CommandLine.arguments`.
enum RawArguments {
  private static var all: [SystemText] {
    (0..<Int(CommandLine.argc)).compactMap { number in
      CommandLine.unsafeArgv[number].map { SystemText(cString: $0) }
    }
  }

  /// Throws if a word is not UTF-8: two such names could become the same. The last `count` words are not checked: they
  /// reach a program unchanged.
  static func check(exceptLast count: Int) throws(Failure) {
    guard let word = all.dropLast(count).first(where: { !$0.isUTF8 }) else { return }
    throw Failure(
      status: .usage, message: "\(harmless(word.text, limit: 200)) is not UTF-8; choose another name")
  }

  /// Returns the raw text of the last words that the parser decoded as `words`.
  static func last(_ words: [String]) -> [SystemText] {
    let raw = all.suffix(words.count)
    return raw.map(\.text) == words ? Array(raw) : words.map { SystemText($0) }
  }
}
