import TraceAnalysis

/// Text from a trace inside GitHub's Markdown, on one line.
enum Markdown {
  /// Nothing in it is markup, wherever on a line it stands but at its beginning, and nothing of it becomes a link, a
  /// mention or an image. By Unicode scalars, for the reason that `Markup` has.
  static func escape(_ text: String) -> String {
    var out = String.UnicodeScalarView()
    var last: Unicode.Scalar = " "
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\", "`", "*", "_", "{", "}", "[", "]", "<", ">", "|", "~", "&", "#", "$", "@", "!", ":", "^":
        out.append("\\")
        out.append(scalar)
      // What `www.` and the end of a host's name need to be a link.
      case "." where last.properties.isAlphabetic:
        out.append("\\")
        out.append(scalar)
      case "\n", "\t": out.append(" ")
      default: out.append(scalar.visible)
      }
      last = scalar
    }
    return String(out)
  }

  /// A row of a table; cells are escaped.
  static func row(_ cells: [String]) -> String {
    "| " + cells.map(escape).joined(separator: " | ") + " |"
  }

  /// The two lines that a table begins with; headings are not escaped.
  static func header(_ titles: [String]) -> [String] {
    [
      "| " + titles.joined(separator: " | ") + " |",
      "|" + String(repeating: " --- |", count: titles.count),
    ]
  }
}
