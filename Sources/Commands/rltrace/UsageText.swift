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
    var lines: [String] = [""]
    for part in line.split(separator: /\ (?=\[)/) {
      let last = lines[lines.count - 1]
      if last.isEmpty || last.count + 1 + part.count <= width {
        lines[lines.count - 1] += (last.isEmpty ? "" : " ") + part
      } else {
        lines.append(hanging + part)
      }
    }
    return lines.joined(separator: "\n")
  }
}
