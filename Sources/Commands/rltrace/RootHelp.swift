import ArgumentParser

/// The help text of `rltrace` itself, as the parser makes it. The parser would first search all conformances for the
/// options of the root, which has none, and break the text by characters: together three quarters of the time.
enum RootHelp {
  private static let columnsOfLabel = 26

  static func text(width: Int) -> String {
    let root = RLTrace.configuration
    let options = [("--version", "Show the version."), ("-h, --help", "Show help information.")]
    let commands = root.subcommands.map { $0.configuration }.filter { $0.shouldDisplay }
      .map { ($0.commandName ?? "", $0.abstract) }
    let name = RLTrace._commandName
    return """
      \(broken("OVERVIEW: \(root.abstract)\n\n\(root.discussion)", width))

      USAGE: \(name) <subcommand>

      OPTIONS:
      \(rows(options, width))
      SUBCOMMANDS:
      \(rows(commands, width))
        See '\(name) help <subcommand>' for detailed help.
      """
  }

  private static func rows(_ rows: [(label: String, text: String)], _ width: Int) -> String {
    let indent = String(repeating: " ", count: columnsOfLabel)
    var text = ""
    for row in rows {
      let label = "  \(row.label)"
      text += label + String(repeating: " ", count: columnsOfLabel - label.utf8.count)
      text += broken(row.text, width - columnsOfLabel, hanging: indent) + "\n"
    }
    return text
  }

  /// Breaks an ASCII text at spaces into lines of so many bytes. A longer word has a line of its own.
  private static func broken(_ text: String, _ columns: Int, hanging: String = "") -> String {
    let space = UInt8(ascii: " ")
    var rest = Array(text.utf8)[...]
    var lines = ""
    while true {
      let line = rest.prefix(max(columns, 1))
      let isLast = line.endIndex == rest.endIndex
      let end =
        line.lastIndex(of: UInt8(ascii: "\n"))
        ?? (isLast ? nil : line.lastIndex(of: space) ?? rest.firstIndex(of: space))
      lines += String(decoding: rest[..<(end ?? rest.endIndex)], as: UTF8.self)
      guard let end else { return lines }
      lines += "\n" + hanging
      rest = rest[(end + 1)...]
    }
  }
}
