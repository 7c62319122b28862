import Foundation
import TestSupport
import Testing
import TextReport

/// The pages define exactly the keys of the documents. RLTRACE_UPDATE_GOLDEN=1 adds rows for missing keys, with the
/// descriptions of their columns.
@Suite struct KeyPageTests {
  private typealias Schema = [String: Any]

  /// Returns the schema of an object, or of the objects in a list; nil for other values.
  private static func object(_ schema: Any?) -> Schema? {
    guard let schema = schema as? Schema else { return nil }
    if schema["properties"] != nil { return schema }
    let inner =
      (schema["anyOf"] as? [Any] ?? []) + [schema["items"], schema["additionalProperties"]].compactMap { $0 }
    return inner.lazy.compactMap(object).first
  }

  private static func properties(_ schema: Any?) -> Schema { object(schema)?["properties"] as? Schema ?? [:] }

  /// Returns the keys of an object and of the objects inside it. The keys of groups by phase are the names of the
  /// phases.
  private static func keys(_ schema: Any?) -> Set<String> {
    let properties = properties(schema)
    return properties.reduce(into: Set(properties.keys)) { keys, property in
      if !["phases_ns", "observers_ns"].contains(property.key) { keys.formUnion(self.keys(property.value)) }
    }
  }

  private static func parse(_ schema: String) throws -> Schema {
    try #require(try JSONSerialization.jsonObject(with: Data(schema.utf8)) as? Schema)
  }

  /// Returns the lines of a page that define each key. They begin with the heading that names the key, or with the
  /// paragraph that begins with the key.
  private static func sections(_ lines: [String], _ keys: some Collection<String>) -> [String: Range<Int>] {
    var sections: [String: Range<Int>] = [:]
    var current: [String] = []
    for (number, line) in lines.enumerated() {
      let isHeading = line.hasPrefix("## ")
      let begun = keys.filter { isHeading && line.contains("`\($0)`") || line.hasPrefix("`\($0)`:") }
      if isHeading || !begun.isEmpty { current = begun }
      for key in current { sections[key] = (sections[key]?.lowerBound ?? number)..<number + 1 }
    }
    return sections
  }

  /// Returns the numbers of the table lines whose first column contains keys.
  private static func rows(_ lines: [String], _ section: Range<Int>) -> [Int] {
    var isOfKeys = false
    return section.filter { number in
      if !lines[number].hasPrefix("|") { isOfKeys = false }
      defer { if lines[number].hasPrefix("| key") { isOfKeys = true } }
      return isOfKeys && lines[number].hasPrefix("| `")
    }
  }

  @Test func eachSectionHasTheKeysOfItsTable() throws {
    let path = "docs/reference/numbers.md"
    var lines = try ProjectFiles.text(path).components(separatedBy: "\n")
    let document = Self.properties(try Self.parse(AnalysisJSON.document.jsonSchema()))
    let tables = document.filter { Self.object($0.value) != nil }
    var missing: [(after: Int, row: String)] = []
    for (table, schema) in tables {
      let section = try #require(Self.sections(lines, tables.keys)[table], "\(path) has no section \(table)")
      let rows = Self.rows(lines, section)
      for (key, column) in Self.properties(schema)
      where !lines[section].contains(where: { $0.contains("`\(key)`") }) {
        let about = (column as? Schema)?["description"] as? String ?? ""
        missing.append((rows.last ?? section.upperBound - 1, "| `\(key)` | \(about) |"))
      }
      for row in rows {
        for key in lines[row].split(separator: "|")[0].matches(of: #/`([^`]+)`/#).map({ String($0.1) }) {
          #expect(Self.keys(schema).contains(key), "\(path): \(table) has no \(key)")
        }
      }
    }
    if ProcessInfo.processInfo.environment["RLTRACE_UPDATE_GOLDEN"] == "1", !missing.isEmpty {
      for (line, row) in missing.sorted(by: { $0.after > $1.after }) { lines.insert(row, at: line + 1) }
      try lines.joined(separator: "\n").write(
        to: ProjectFiles.root.appendingPathComponent(path), atomically: true, encoding: .utf8)
    } else {
      #expect(missing.map(\.row).isEmpty, "\(path) lacks rows")
    }
  }

  @Test(arguments: SchemaTests.Kind.allCases)
  func everyKeyIsDefined(kind: SchemaTests.Kind) throws {
    let page =
      switch kind {
      case .analysis: ""
      case .comparison: try ProjectFiles.text("docs/reference/commands/compare.md")
      case .doctor: try ProjectFiles.text("docs/reference/commands/doctor.md")
      case .fleet: try ProjectFiles.text("docs/reference/commands/fleet.md")
      case .summary: try ProjectFiles.text("docs/reference/commands/summarize.md")
      case .gate, .gateOfTests: try ProjectFiles.text("docs/reference/commands/gate.md")
      case .stack: try ProjectFiles.text("docs/reference/commands/stack.md")
      case .whatIf: try ProjectFiles.text("docs/reference/commands/what-if.md")
      case .validation: try ProjectFiles.text("docs/reference/commands/validate.md")
      case .topology, .topologyDifference: try ProjectFiles.text("docs/reference/commands/topology.md")
      }
    // docs/reference/numbers.md defines the keys that these documents share with analyses.
    let pages = try page + ProjectFiles.text("docs/reference/numbers.md")
    let keys = Self.keys(try Self.parse(kind.schema))
    #expect(keys.count > (kind == .doctor ? 7 : 15))
    for key in keys.sorted() { #expect(pages.contains("`\(key)`"), "\(kind) does not define \(key)") }
  }
}
