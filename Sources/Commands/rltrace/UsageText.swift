import TraceReport

/// The usage lines of a help text. The parser does not break them.
enum UsageText {
  private static let start = "USAGE: "
  private static let hanging = String(repeating: " ", count: start.count + 2)

  /// Returns the help text with usage lines that fit the terminal and 80 columns.
  static func fitting(_ help: String) -> String {
    let width = min(Terminal.width, 80)
    return help.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.hasPrefix(start) ? broken(line, width) : String(line)
    }.joined(separator: "\n")
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
