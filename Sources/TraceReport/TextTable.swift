/// Aligned columns of text: the first left, the others right.
struct TextTable {
  private var rows: [[String]] = []
  private let leftColumns: Int

  init(_ header: [String], leftColumns: Int = 1) {
    rows = [header]
    self.leftColumns = leftColumns
  }

  mutating func add(_ row: [String]) { rows.append(row) }

  var isEmpty: Bool { rows.count == 1 }

  /// Lines of at most `width` characters: the left columns give way, one after the other, most of all those behind the
  /// first.
  func lines(width: Int = 100, style: TextStyle) -> [String] {
    var widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    var excess = widths.reduce(0, +) + 2 * (widths.count - 1) + 2 - width
    for column in 0..<leftColumns where excess > 0 {
      let narrow = min(widths[column], max(column == 0 ? 12 : 5, widths[column] - excess))
      excess -= widths[column] - narrow
      widths[column] = narrow
    }
    return rows.enumerated().map { number, row in
      let cells = row.enumerated().map { column, cell in
        TextTable.pad(TextTable.cut(cell, widths[column]), widths[column], left: column < leftColumns)
      }
      var trimmed = "  " + cells.joined(separator: "  ")
      while trimmed.last == " " { trimmed.removeLast() }
      return number == 0 ? style.dim(trimmed) : trimmed
    }
  }

  static func cut(_ text: String, _ width: Int) -> String {
    text.count <= width ? text : text.prefix(width - 1) + "…"
  }

  static func pad(_ text: String, _ width: Int, left: Bool) -> String {
    let space = String(repeating: " ", count: max(0, width - text.count))
    return left ? text + space : space + text
  }
}

/// Colours, where they are wanted.
public struct TextStyle: Sendable {
  private let isColoured: Bool
  public init(isColoured: Bool) { self.isColoured = isColoured }

  func dim(_ text: String) -> String { wrap(text, "2") }
  func strong(_ text: String) -> String { wrap(text, "1") }
  func alarm(_ text: String) -> String { wrap(text, "1;31") }
  func good(_ text: String) -> String { wrap(text, "32") }

  private func wrap(_ text: String, _ code: String) -> String {
    isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
