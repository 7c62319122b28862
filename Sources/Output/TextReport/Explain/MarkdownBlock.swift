import Foundation
import ReportWriting

/// A part of a page in Markdown: a heading, and the blocks up to the next heading.
struct MarkdownSection {
  /// 1 to 3.
  let level: Int
  let title: String
  let blocks: [MarkdownBlock]

  static func all(_ page: String) -> [MarkdownSection] {
    var sections: [MarkdownSection] = []
    var title: (level: Int, text: String) = (1, "")
    var lines: [Substring] = []
    func end() {
      let blocks = MarkdownBlock.all(lines)
      if !blocks.isEmpty {
        sections.append(MarkdownSection(level: title.level, title: title.text, blocks: blocks))
      }
      lines = []
    }
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      guard line.hasPrefix("#") else {
        lines.append(line)
        continue
      }
      end()
      title = (line.prefix { $0 == "#" }.count, String(line.drop { $0 == "#" }.dropFirst()))
    }
    end()
    return sections
  }
}

/// A paragraph, a list item, or a table; without links or emphasis.
enum MarkdownBlock {
  case paragraph(String)
  /// `term`: the emphasized words at its beginning, perhaps after an article.
  case item(String, term: String?)
  case table([[String]])

  var text: String {
    switch self {
    case .paragraph(let text), .item(let text, _): text
    case .table: ""
    }
  }

  /// The rows of a table without its heading.
  var rows: [[String]] { if case .table(let rows) = self { rows } else { [] } }

  func lines(_ style: TextStyle) -> [String] {
    switch self {
    case .paragraph(let text): style.wrapped(text, hanging: "")
    case .item(let text, _): style.wrapped("* \(text)")
    case .table(let rows): rows.flatMap { style.wrapped($0.joined(separator: ": "), indent: "    ") }
    }
  }

  static func all(_ lines: [Substring]) -> [MarkdownBlock] {
    var blocks: [MarkdownBlock] = []
    for block in lines.split(whereSeparator: \.isEmpty) {
      if block.allSatisfy({ $0.hasPrefix("|") }) {
        // A heading and a rule come before the rows.
        blocks.append(.table(block.dropFirst(2).map(cells)))
        continue
      }
      var items: [[Substring]] = []
      for line in block {
        if line.hasPrefix("* ") || items.isEmpty {
          items.append([line])
        } else {
          items[items.count - 1].append(line.drop { $0 == " " })
        }
      }
      blocks += items.map { lines in
        let text = lines.joined(separator: " ")
        guard text.hasPrefix("* ") else { return .paragraph(plain(text)) }
        let content = String(text.dropFirst(2))
        return .item(plain(content), term: term(content))
      }
    }
    return blocks
  }

  private static func cells(_ row: Substring) -> [String] {
    row.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false).map {
      plain($0.trimmingCharacters(in: .whitespaces))
    }
  }

  /// Returns the emphasized words at the beginning of an item, without a full stop.
  private static func term(_ item: String) -> String? {
    var rest = Substring(item)
    if rest.hasPrefix("The ") { rest = rest.dropFirst(4) }
    guard rest.hasPrefix("*") else { return nil }
    let words = rest.drop { $0 == "*" }.prefix { $0 != "*" }
    return words.hasSuffix(".") ? String(words.dropLast()) : String(words)
  }

  /// Returns the text without links and emphasis. Code keeps its quotes.
  private static func plain(_ text: String) -> String {
    var plain = ""
    for (number, part) in text.split(separator: "`", omittingEmptySubsequences: false).enumerated() {
      let isCode = number % 2 == 1
      plain += number == 0 ? "" : "`"
      plain += isCode ? String(part) : part.filter { $0 != "*" }
    }
    return links?.stringByReplacingMatches(
      in: plain, range: NSRange(plain.startIndex..., in: plain), withTemplate: "$1") ?? plain
  }

  private static let links = try? NSRegularExpression(pattern: "\\[([^\\]]*)\\]\\([^)]*\\)")
}
