import TraceAnalysis

/// Escapes text from a trace for one line of GitHub's Markdown.
package enum Markdown {
  /// Escapes all markup except at the beginning of a line, so that no text becomes a link, a mention or an image.
  /// Works on Unicode scalars, for the same reason as `Markup`.
  package static func escape(_ text: String) -> String {
    var out = String.UnicodeScalarView()
    var last: Unicode.Scalar = " "
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\", "`", "*", "_", "{", "}", "[", "]", "<", ">", "|", "~", "&", "#", "$", "@", "!", ":", "^":
        out.append("\\")
        out.append(scalar)
      // GitHub needs this dot to recognize `www.` or the end of a host name as a link.
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

  /// Returns a row of a table; the cells are escaped.
  package static func row(_ cells: [String]) -> String {
    "| " + cells.map(escape).joined(separator: " | ") + " |"
  }

  /// Returns the first two lines of a table; the headings are not escaped.
  package static func header(_ titles: [String]) -> [String] {
    [
      "| " + titles.joined(separator: " | ") + " |",
      "|" + String(repeating: " --- |", count: titles.count),
    ]
  }
}
