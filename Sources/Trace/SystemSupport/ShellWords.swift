/// Command lines as text.
package enum ShellWords {
  /// Returns a line that a shell splits into the same words.
  package static func line(_ words: some Sequence<String>) -> String {
    words.map(quoted).joined(separator: " ")
  }

  private static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      let character = Character(UnicodeScalar(byte))
      return byte < 0x80 && (character.isLetter || character.isNumber || "%+,-./:=@_".contains(character))
    }
    return isPlain && !word.isEmpty
      ? word
      : "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
