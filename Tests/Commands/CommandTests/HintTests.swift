import Foundation
import TestSupport
import Testing

/// Reports name commands and options in their hints only, and those exist.
@Suite struct HintTests {
  private static let room = "Sources/Output"
  private static let hints = "ReportWriting/Hint.swift"

  /// Returns the names of all commands and options.
  private func names() throws -> Set<String> {
    let text = try Program.rltrace.run(["--experimental-dump-help"]).output
    var names: Set<String> = []
    var values: [Any] = [try JSONSerialization.jsonObject(with: Data(text.utf8))]
    while let value = values.popLast() {
      if let list = value as? [Any] { values += list }
      guard let object = value as? [String: Any] else { continue }
      for case let name as String in [object["name"], object["commandName"]] { names.insert(name) }
      values += object.values
    }
    return names
  }

  @Test func eachCommandAndOptionExists() throws {
    let text = try ProjectFiles.text("\(Self.room)/\(Self.hints)")
    let named = text.matches(of: /(?:--|rltrace )([a-z][a-z-]*)/).map { String($0.1) }
    #expect(named.contains("app-image") && named.contains("record"))
    #expect(Set(named).subtracting(try names()).subtracting(["help"]) == [])
  }

  /// Meanings of columns may name commands and options as well, and imports those of other tools.
  @Test func onlyHintsNameCommandsAndOptions() throws {
    let folder = ProjectFiles.root.appendingPathComponent(Self.room).path
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".swift") && $0 != Self.hints && !$0.hasPrefix("TraceImport/") }
    #expect(files.count > 50)
    for file in files {
      let lines = try ProjectFiles.text("\(Self.room)/\(file)").split(separator: "\n").filter { line in
        !line.contains("Column(") && !line.contains("ResultTable<")
          && !line.drop { $0 == " " }.hasPrefix("//") && line.contains(/(?:^|[^-])--[a-z]|rltrace [a-z]/)
      }
      #expect(lines == [], "\(file)")
    }
  }
}
