/// The usage lines of a help text. The parser does not break them.
enum UsageText {
  private static let start = "USAGE: "
  private static let hanging = String(repeating: " ", count: start.count + 2)

  /// Returns the help text with a usage line that fits the terminal and 80 columns.
  static func fitting(_ help: String) -> String {
    // Bytes are split much faster than characters.
    let lines = help.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard let usage = lines.first(where: { $0.starts(with: start.utf8) }) else { return help }
    return help[..<usage.startIndex] + broken(Substring(usage), min(Terminal.width, 80))
      + help[usage.endIndex...]
  }

  /// Breaks the line between options, and not within the brackets around one.
  private static func broken(_ line: Substring, _ width: Int) -> String {
    var parts: [String] = []
    for word in line.split(separator: " ") {
      if parts.isEmpty || word.hasPrefix("[") {
        parts.append(String(word))
      } else {
        parts[parts.count - 1] += " " + word
      }
    }
    var lines: [String] = []
    for part in parts {
      if let last = lines.last, last.count + 1 + part.count <= width {
        lines[lines.count - 1] += " " + part
      } else {
        lines.append(lines.isEmpty ? part : hanging + part)
      }
    }
    return lines.joined(separator: "\n")
  }
}
