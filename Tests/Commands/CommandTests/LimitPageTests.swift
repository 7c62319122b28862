import Foundation
import TestSupport
import Testing
import TraceFormat

/// docs/reference/limits.md lists all limits on input from files, as the comments at their declarations describe them.
/// RLTRACE_UPDATE_GOLDEN=1 writes its tables.
@Suite struct LimitPageTests {
  private static let path = "docs/reference/limits.md"
  private static let files: KeyValuePairs = [
    "## Traces": "Trace/TraceFormat/Limits.swift",
    "## Commands that read files": "Trace/TraceFormat/ReadingLimits.swift",
    "## Analyses": "Analysis/TraceReplay/Limits/AnalysisLimits.swift",
    "## Backtraces": "Stacks/Backtraces/BacktraceLimits.swift",
    "## Stacks": "Stacks/CallStacks/StackLimits.swift",
    "## Descriptions of run loops": "Stacks/LoopTopology/TopologyLimits.swift",
    "## Symbols": "Recording/Symbolication/SymbolLimits.swift",
    "## Imports": "Output/TraceImport/ImportLimits.swift",
    "## YAML": "Files/CheckedYAML/YAMLLimits.swift",
    "## Virtual time": "Scenarios/ScenarioRunners/VirtualLimits.swift",
    "## Predictions": "Scenarios/WhatIf/Vocabulary/WhatIfLimits.swift",
  ]

  @Test func thePageHasAllLimits() throws {
    var lines = try ProjectFiles.text(Self.path).components(separatedBy: "\n")
    for (heading, file) in Self.files {
      let start = try #require(lines.firstIndex(of: heading), "\(Self.path) lacks \(heading)")
      let end = lines[(start + 1)...].firstIndex { $0.hasPrefix("#") } ?? lines.endIndex
      let table = (start..<end).filter { lines[$0].hasPrefix("|") }
      let first = try #require(table.first), last = try #require(table.last)
      lines.replaceSubrange(first...last, with: try Self.table(of: file))
    }
    try GeneratedFile.expect(Self.path, is: lines.joined(separator: "\n"))
  }

  /// Returns the table of the constants of a file. Their comments have the form "Things. Beyond: effect. Reason.", and
  /// the reason may be missing.
  private static func table(of file: String) throws -> [String] {
    var rows = ["| limit | value | of what | beyond it |", "|---|---|---|---|"]
    var comment = ""
    for line in try ProjectFiles.text("Sources/\(file)").components(separatedBy: "\n") {
      if let words = line.wholeMatch(of: #/ *\/\/\/ (.*)/#) {
        comment += comment.isEmpty ? String(words.1) : " \(words.1)"
        continue
      }
      defer { comment = "" }
      guard let constant = line.wholeMatch(of: /.* static let (\w+)(?:: UInt64)? = (.*)/) else { continue }
      let parts = try #require(
        comment.wholeMatch(of: /(.+?)\. Beyond: (.+?)\.(?: .*)?/), "\(file): \(constant.1): \(comment)")
      let number = try #require(value(constant.2), "\(file): \(constant.2) is not a number")
      rows.append("| `\(constant.1)` | \(number) | \(inside(parts.1)) | \(parts.2) |")
    }
    return rows
  }

  /// Returns the value of a number like `64`, `1_000` and `3 << 20`, or of the one constant to which another one refers.
  private static func value(_ text: Substring) -> UInt64? {
    if text == "TraceLimits.eventsOfAnyTrace" { return UInt64(TraceLimits.eventsOfAnyTrace) }
    let numbers = text.split(separator: " << ").map { UInt64($0.filter { $0 != "_" }) }
    guard let number = numbers.first ?? nil else { return nil }
    guard numbers.count == 2, let shift = numbers[1] else { return numbers.count == 1 ? number : nil }
    return number << shift
  }

  /// Returns the text as it is written inside a sentence. Abbreviations keep their capitals.
  private static func inside(_ text: Substring) -> String {
    let isAbbreviation = text.prefix(2).allSatisfy(\.isUppercase)
    return isAbbreviation ? String(text) : text.prefix(1).lowercased() + text.dropFirst()
  }
}
