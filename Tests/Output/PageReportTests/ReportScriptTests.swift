import EmbeddedFiles
import Foundation
import ReportWriting
import TestSupport
import Testing

@testable import PageReport

/// The page's script, joined from modules, and the hashes that allow it to run.
@Suite struct ReportScriptTests {
  private static let modules: [String: String] = {
    let folder = ProjectFiles.root.appendingPathComponent("Sources/Output/PageReport/Resources").path
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let names = files.filter { $0.hasSuffix(".js") }
    return Dictionary(uniqueKeysWithValues: names.map { ($0, EmbeddedFile.text($0)) })
  }()

  @Test func eachModuleIsInTheScript() throws {
    #expect(Self.modules.count > 10)
    for name in Self.modules.keys { _ = try place(name) }
  }

  /// Returns the place of the module's first declaration in the script.
  private func place(_ name: String) throws -> String.Index {
    let module = try #require(Self.modules[name], "\(name) is imported but missing")
    let found = try #require(
      module.split(separator: "\n").lazy.compactMap { $0.firstMatch(of: Self.declaration) }.first)
    let code = found.0.hasPrefix("export ") ? found.0.dropFirst(7) : found.0
    return try #require(ReportScript.text.range(of: "\n\(code)"), "\(code) of \(name) is missing")
      .lowerBound
  }

  @Test func aModuleFollowsItsImports() throws {
    for (name, module) in Self.modules {
      for line in module.split(separator: "\n") {
        guard let imported = ReportScript.importedModule(line) else { continue }
        #expect(try place(imported) < place(name), "\(name) imports \(imported)")
      }
    }
  }

  private static var declaration: Regex<(Substring, Substring)> {
    #/^(?:export )?(?:async )?(?:const|let|function|class) (\w+)/#
  }

  /// The joined modules share a scope.
  @Test func noTwoModulesDeclareTheSame() {
    var owners: [Substring: String] = [:]
    for (name, module) in Self.modules {
      for line in module.split(separator: "\n") {
        guard let declared = line.firstMatch(of: Self.declaration)?.1 else { continue }
        let other = owners.updateValue(name, forKey: declared)
        #expect(other == nil, "\(declared) of \(name) and \(other ?? "")")
      }
    }
  }

  /// The joiner works line by line: a template literal must end on the line on which it begins, and a comment must have
  /// its own lines.
  @Test func noModuleSyntaxRemains() {
    for line in ReportScript.text.split(separator: "\n") {
      for word in ["import ", "export ", "//", "/*", "*/", "* "] { #expect(!line.hasPrefix(word), "\(line)") }
      #expect(line.count { $0 == "`" } % 2 == 0, "\(line)")
    }
  }

  @Test func theHashesAreThoseOfSHA256Sum() throws {
    let script = try sha256(ReportScript.text), style = try sha256(PageStyle.common)
    if ProcessInfo.processInfo.environment["RLTRACE_UPDATE_GOLDEN"] == "1" {
      let path = "Sources/Output/PageReport/PageHashes.swift"
      var text = try ProjectFiles.text(path)
      for (name, hash) in [("script", script), ("style", style)] {
        text.replace(try Regex("static let \(name) = \".*\""), with: "static let \(name) = \"\(hash)\"")
      }
      try text.write(to: ProjectFiles.root.appendingPathComponent(path), atomically: true, encoding: .utf8)
    } else {
      #expect(PageHashes.script == script)
      #expect(PageHashes.style == style)
    }
  }

  /// Returns the hash in base64, as a content security policy has it.
  private func sha256(_ text: String) throws -> String {
    let folder = try TemporaryFolder()
    let file = folder.file("text")
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sha256sum", file]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let line = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    let hex = Array(line.prefix(64).utf8)
    try #require(hex.count == 64)
    let bytes = stride(from: 0, to: 64, by: 2).compactMap { at in
      UInt8(String(decoding: hex[at...at + 1], as: UTF8.self), radix: 16)
    }
    return Data(bytes).base64EncodedString()
  }
}
