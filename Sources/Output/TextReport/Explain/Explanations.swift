import EmbeddedFiles
import ReportWriting
import TraceResults

/// The explanations of findings and terms, read from the pages docs/reference/findings.md and glossary.md, which are part
/// of the program.
package struct Explanations {
  /// Something that a page explains.
  struct Topic {
    /// The id of a finding, or a term as the page writes it.
    let name: String
    /// For a finding: its title, severities and needs. For a term: the text, for a search.
    let summary: String
    /// The section or the sentence, in Markdown.
    let text: [MarkdownBlock]
    let isFinding: Bool
  }

  let topics: [Topic]

  package init() {
    self.init(findings: EmbeddedFile.text("findings.md"), glossary: EmbeddedFile.text("glossary.md"))
  }

  init(findings: String, glossary: String) {
    let rules = MarkdownSection.all(findings)
    topics =
      Self.rules(rules) + MarkdownSection.all(glossary).flatMap(Self.terms)
      + (rules.first.map { Self.listedTerms($0.blocks) } ?? [])
  }

  /// The ids of findings and the terms, as the pages write them.
  package var names: [String] { topics.map(\.name) }

  /// Returns whether a page has the name. Case does not matter.
  package func explains(_ name: String) -> Bool { topic(name) != nil }

  private func topic(_ name: String) -> Topic? {
    let asked = name.lowercased()
    return topics.first { $0.name.lowercased() == asked }
  }

  /// Returns the explanation; nil if no page has the name.
  package func lines(about name: String, style: TextStyle) -> [String]? {
    guard let topic = topic(name) else { return nil }
    let title = topic.isFinding ? "\(topic.name): \(topic.summary)" : topic.name
    return style.wrapped(title, indent: "").map(style.strong) + topic.text.flatMap { $0.lines(style) }
  }

  /// Returns one line for each topic.
  package func list(style: TextStyle) -> [String] {
    let width = (topics.map(\.name.count).max() ?? 0) + 2
    func lines(areFindings: Bool) -> [String] {
      topics.filter { $0.isFinding == areFindings }.map { topic in
        TextTable.cut(TextTable.pad(topic.name, width, left: true) + topic.summary, style.width)
      }
    }
    return [style.strong("Findings")] + lines(areFindings: true) + ["", style.strong("Terms")]
      + lines(areFindings: false)
  }

  /// Returns the end of a message about an unknown name: the nearest name, or terms whose text has the word.
  package func hint(_ name: String) -> String {
    if KnownNames.nearest(to: name, in: names) != nil { return KnownNames.suggestion(name, in: names) }
    let asked = name.lowercased()
    let mentions = topics.filter {
      !$0.isFinding && asked.count > 2 && $0.summary.lowercased().contains(asked)
    }
    let those = mentions.prefix(3).map { "'\($0.name)'" }.joined(separator: ", ")
    return those.isEmpty ? "" : "; the word occurs in the explanation of \(those)"
  }

  // MARK: Reading the pages

  /// Returns the sections of finding rules. The table before them has their severities and needs.
  private static func rules(_ sections: [MarkdownSection]) -> [Topic] {
    let rows = sections.first?.blocks.flatMap(\.rows) ?? []
    return sections.compactMap { section in
      guard let row = rows.first(where: { $0.count == 4 && $0[0] == section.title }) else { return nil }
      let facts = "Severity: \(row[1])." + (row[3].isEmpty ? "" : " Needs: \(row[3]).")
      // The first paragraph is the title, which the table has as well.
      return Topic(
        name: section.title, summary: row[2], text: [.paragraph(facts)] + section.blocks.dropFirst(),
        isFinding: true)
    }
  }

  /// Returns the terms of one section of the glossary: its title, unless it only holds a table, and each row.
  private static func terms(_ section: MarkdownSection) -> [Topic] {
    let own =
      section.level == 3 && !section.title.hasPrefix("Other terms")
      ? [
        Topic(
          name: section.title.lowercased(), summary: section.blocks.first?.text ?? "", text: section.blocks)
      ] : []
    var topics: [Topic] = own
    for block in section.blocks {
      for row in block.rows where row.count == 2 {
        for name in row[0].split(separator: ",").map({ $0.drop { $0 == " " } }) {
          topics.append(Topic(name: String(name), summary: row[1], text: [.paragraph(row[1])]))
        }
      }
    }
    return topics
  }

  /// Returns the terms that begin the items of lists.
  private static func listedTerms(_ blocks: [MarkdownBlock]) -> [Topic] {
    blocks.compactMap { block in
      guard case .item(let text, let term?) = block else { return nil }
      return Topic(name: term.lowercased(), summary: text, text: [.paragraph(text)])
    }
  }
}

extension Explanations.Topic {
  fileprivate init(name: String, summary: String, text: [MarkdownBlock]) {
    self.init(name: name, summary: summary, text: text, isFinding: false)
  }
}
