import TraceAnalysis

/// Aligned columns of text: the first ones left-aligned, the others right-aligned.
package struct TextTable {
  private var rows: [[String]] = []
  private let leftColumns: Int
  /// The left columns that are never cut.
  private let wholeColumns: Set<Int>

  package init(_ header: [String], leftColumns: Int = 1, wholeColumns: Set<Int> = []) {
    rows = [header]
    self.leftColumns = leftColumns
    self.wholeColumns = wholeColumns
  }

  package mutating func add(_ row: [String]) { rows.append(row) }

  package var isEmpty: Bool { rows.count == 1 }

  /// Returns the width to which a left column may be narrowed. A place in the source at the end of a name stays whole.
  private func leastWidth(of column: Int) -> Int {
    let places = rows.lazy.compactMap { sourcePlace($0[column])?.count }
    return max(column == 0 ? 12 : 5, places.max().map { $0 + roomBeforePlace } ?? 0)
  }

  /// Returns lines of at most the style's width. The left columns are narrowed one after the other. Those after the
  /// first may become narrower than the first. Names that are cut stay distinct.
  package func lines(style: TextStyle) -> [String] {
    let widest = max(48, style.width / 2)
    var widths = rows[0].indices.map { column in
      let natural = rows.map { $0[column].count }.max() ?? 0
      return column < leftColumns && !wholeColumns.contains(column) ? min(natural, widest) : natural
    }
    var excess = widths.reduce(0, +) + 2 * (widths.count - 1) + 2 - style.width
    for column in 0..<leftColumns where excess > 0 && !wholeColumns.contains(column) {
      let narrow = min(widths[column], max(leastWidth(of: column), widths[column] - excess))
      excess -= widths[column] - narrow
      widths[column] = narrow
    }
    // If the table is still too wide, the last columns are left out.
    var columns = widths.count
    while excess > 0, columns > leftColumns + 1 {
      columns -= 1
      excess -= widths[columns] + 2
    }
    let names = (0..<leftColumns).map { column in
      RowLabels.shortened(rows.map { $0[column] }, limit: widths[column])
    }
    let left = rows[0].dropFirst(columns)
    let rest =
      left.isEmpty
      ? [] : [TextTable.cut("  (no room for the columns: \(left.joined(separator: ", ")))", style.width)]
    return rows.enumerated().map { number, row in
      let cells = row.prefix(columns).enumerated().map { column, cell in
        let text = column < leftColumns ? names[column][cell] ?? cell : cell
        return TextTable.pad(TextTable.cut(text, widths[column]), widths[column], left: column < leftColumns)
      }
      var trimmed = "  " + cells.joined(separator: "  ")
      while trimmed.last == " " { trimmed.removeLast() }
      return number == 0 ? style.dim(trimmed) : trimmed
    } + rest
  }

  package static func cut(_ text: String, _ width: Int) -> String {
    text.count <= width ? text : text.prefix(max(width - 1, 0)) + "…"
  }

  package static func pad(_ text: String, _ width: Int, left: Bool) -> String {
    let space = String(repeating: " ", count: max(0, width - text.count))
    return left ? text + space : space + text
  }
}

/// The width of lines, and whether they have colours.
package struct TextStyle: Sendable {
  /// The width in a file, and on a terminal that does not report one.
  package static let usualWidth = 100
  /// The number of characters in a line.
  package let width: Int
  private let isColoured: Bool

  package init(isColoured: Bool, width: Int = TextStyle.usualWidth) {
    self.isColoured = isColoured
    self.width = max(width, 40)
  }

  package func dim(_ text: String) -> String { wrap(text, "2") }
  package func strong(_ text: String) -> String { wrap(text, "1") }
  package func alarm(_ text: String) -> String { wrap(text, "1;31") }
  package func caution(_ text: String) -> String { wrap(text, "1;33") }
  package func good(_ text: String) -> String { wrap(text, "32") }

  /// Returns the text in the colour of the verdict.
  package func toned(_ text: String, _ verdict: Verdict) -> String {
    switch verdict.outcome {
    case .fault: verdict.severity == .error ? alarm(text) : caution(text)
    case .clear: verdict.hasMissedFires ? text : good(text)
    case .undecided: caution(text)
    }
  }

  private func wrap(_ text: String, _ code: String) -> String {
    isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }

  /// Returns a line within the width. Tables limit their own width and may be coloured.
  package func fitting(_ line: String) -> String {
    line.utf8.contains(0x1B) ? line : TextTable.cut(line, width)
  }

  /// Returns the lines below a title; nothing if there are none.
  package func section(_ title: String, _ lines: [String]) -> [String] {
    lines.isEmpty ? [] : ["", strong(title)] + lines
  }

  /// Returns a text with a label in a column before it.
  package func labelled(_ label: String, _ text: String) -> [String] {
    let width = 12
    var lines = wrapped(text, indent: String(repeating: " ", count: width), hanging: "")
    lines[0] = TextTable.pad(label, width, left: true) + lines[0].dropFirst(width)
    return lines
  }

  /// Breaks a sentence at spaces into lines of the width; a word that is wider is cut in the middle.
  package func wrapped(_ text: String, indent: String = "  ", hanging: String = "  ") -> [String] {
    var lines: [String] = []
    var line = indent
    var isEmpty = true
    // Split by bytes: finding characters is slow, and a name may have thousands of them.
    for word in text.utf8.split(separator: UInt8(ascii: " ")) {
      let word = elided(String(Substring(word)), limit: max(width - indent.count - hanging.count, 8))
      if line.count + word.count + 1 > width, !isEmpty {
        lines.append(line)
        line = indent + hanging
        isEmpty = true
      }
      line += (isEmpty ? "" : " ") + word
      isEmpty = false
    }
    return lines + [line]
  }
}
