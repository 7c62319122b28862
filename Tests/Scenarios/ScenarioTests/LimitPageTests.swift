import Backtraces
import CallStacks
import CheckedYAML
import Foundation
import LoopTopology
import RunLoopVocabulary
import ScenarioRunners
import Symbolication
import TestSupport
import Testing
import TraceFormat
import TraceImport
import TraceReplay
import WhatIf

/// docs/reference/limits.md lists all limits on input from files. RLTRACE_UPDATE_GOLDEN=1 writes its tables.
@Suite struct LimitPageTests {
  private static let path = "docs/reference/limits.md"
  private static let tables: [(heading: String, limits: [Limit], source: String)] = [
    ("## Traces", TraceLimits.all, "Sources/Trace/TraceFormat/Limits.swift"),
    ("## Commands that read files", ReadingLimits.all, "Sources/Trace/TraceFormat/ReadingLimits.swift"),
    ("## Analyses", AnalysisLimits.all, "Sources/Analysis/TraceReplay/Limits/AnalysisLimits.swift"),
    ("## Backtraces", BacktraceLimits.all, "Sources/Stacks/Backtraces/BacktraceLimits.swift"),
    ("## Stacks", StackLimits.all, "Sources/Stacks/CallStacks/StackLimits.swift"),
    ("## Descriptions of run loops", TopologyLimits.all, "Sources/Stacks/LoopTopology/TopologyLimits.swift"),
    ("## Symbols", SymbolLimits.all, "Sources/Recording/Symbolication/SymbolLimits.swift"),
    ("## Imports", ImportLimits.all, "Sources/Output/TraceImport/ImportLimits.swift"),
    ("## YAML", YAMLLimits.all, "Sources/Files/CheckedYAML/YAMLLimits.swift"),
    ("## Virtual time", VirtualLimits.all, "Sources/Scenarios/ScenarioRunners/VirtualLimits.swift"),
    ("## Predictions", WhatIfLimits.all, "Sources/Scenarios/WhatIf/Vocabulary/WhatIfLimits.swift"),
  ]
  /// Constants that are thresholds, not limits on input, so the page does not list them.
  private static let thresholds: Set = ["namedStretchNs", "assumedHeartbeatNs"]

  private static func rows(_ limits: [Limit]) -> [String] {
    ["| limit | value | of what | beyond it |", "|---|---|---|---|"]
      + limits.map { "| `\($0.name)` | \($0.value) | \($0.of) | \($0.beyond) |" }
  }

  @Test func thePageHasAllLimits() throws {
    var lines = try ProjectFiles.text(Self.path).components(separatedBy: "\n")
    for (heading, limits, _) in Self.tables {
      let start = try #require(lines.firstIndex(of: heading), "\(Self.path) lacks \(heading)")
      let end = lines[(start + 1)...].firstIndex { $0.hasPrefix("#") } ?? lines.endIndex
      let table = (start..<end).filter { lines[$0].hasPrefix("|") }
      let first = try #require(table.first), last = try #require(table.last)
      lines.replaceSubrange(first...last, with: Self.rows(limits))
    }
    try GeneratedFile.expect(Self.path, is: lines.joined(separator: "\n"))
  }

  @Test(arguments: tables.indices) func eachDeclaredLimitIsInItsTable(table: Int) throws {
    let (_, limits, source) = Self.tables[table]
    let declarations = try ProjectFiles.text(source).matches(of: /(?:public|package) static let ([A-Za-z]+)/)
    let declared = declarations.map { String($0.1) }
    #expect(Set(declared).subtracting(Self.thresholds) == Set(limits.map(\.name)).union(["all"]))
    #expect(Set(limits.map(\.name)).count == limits.count)
  }
}
