import Foundation
import TestSupport
import Testing

/// docs/explanation/articles.md names a command, a sample or test, and a page for each system of the articles.
@Suite struct ArticlePageTests {
  private static let path = "docs/explanation/articles.md"

  /// Returns the cells of the table of systems, without its heading.
  private func rows() throws -> [[String]] {
    try ProjectFiles.text(Self.path).split(separator: "\n").drop { !$0.hasPrefix("| system |") }.dropFirst(2)
      .prefix { $0.hasPrefix("|") }
      .map { row in
        row.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false).map {
          $0.trimmingCharacters(in: .whitespaces)
        }
      }
  }

  /// Returns the parts of a cell in backquotes.
  private func names(_ cell: String) -> [String] { cell.matches(of: #/`([^`]+)`/#).map { String($0.1) } }

  @Test func eachCellIsFilled() throws {
    let rows = try rows()
    #expect(rows.count >= 12)
    for row in rows { #expect(row.count == 5 && row.allSatisfy { !$0.isEmpty }, "\(row)") }
    let articles = Set(rows.compactMap { $0.count == 5 ? String($0[1].prefix(3)) : nil })
    #expect(articles == ["000", "001", "002", "003", "004"])
  }

  /// The page of a command contains its options.
  @Test func eachCommandExists() throws {
    for row in try rows() where row.count == 5 {
      let commands = names(row[2])
      #expect(!commands.isEmpty, "\(row)")
      for command in commands {
        let words = command.split(separator: " ")
        guard words.count > 1, words[0] == "rltrace" else {
          Issue.record("\(command) is not a command of rltrace")
          continue
        }
        let page = try? ProjectFiles.text("docs/reference/commands/\(words[1]).md")
        #expect(page != nil, "\(words[1]) is not a command")
        for option in words where option.hasPrefix("--") {
          #expect(page?.contains("`\(option)") == true, "\(words[1]) does not have \(option)")
        }
      }
    }
  }

  @Test func eachSampleOrTestExists() throws {
    let traces = Set(
      SampleTraces.all.map { URL(fileURLWithPath: $0).deletingPathExtension().lastPathComponent })
    let folder = ProjectFiles.root.appendingPathComponent("Tests").path
    let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    let tests = Set(
      files.filter { $0.hasSuffix("Tests.swift") }.map { URL(fileURLWithPath: $0).lastPathComponent })
    for row in try rows() where row.count == 5 {
      let names = names(row[3])
      #expect(!names.isEmpty, "\(row)")
      for name in names {
        #expect(traces.contains(name) || tests.contains("\(name).swift"), "\(name) is not a sample or a test")
      }
    }
  }

  @Test func eachPageExists() throws {
    let folder = ProjectFiles.root.appendingPathComponent(Self.path).deletingLastPathComponent()
    for row in try rows() where row.count == 5 {
      let links = row[4].matches(of: #/\]\(([^)#]+)/#).map { String($0.1) }
      #expect(!links.isEmpty, "\(row)")
      for link in links {
        let page = folder.appendingPathComponent(link).standardizedFileURL.path
        #expect(FileManager.default.fileExists(atPath: page), "\(link) is not a page")
      }
    }
  }
}
