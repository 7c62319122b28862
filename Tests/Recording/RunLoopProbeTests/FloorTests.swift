import Foundation
import TestSupport
import Testing

/// Package.swift supports old systems for apps that embed the recorder. No such system is available here, so the test
/// searches the sources for newer APIs. `tools/embedding` asks the toolchain about every API that the code in an app
/// uses.
@Suite struct FloorTests {
  /// Text from uses of newer APIs, and the first system that has each API.
  private static let newer: [(word: String, since: String)] = [
    ("import Synchronization", "macOS 15"), ("Mutex<", "macOS 15"), ("Atomic<", "macOS 15"),
    ("UInt128", "macOS 15"), ("Int128", "macOS 15"), ("String(validating:", "macOS 15"),
    ("InlineArray", "macOS 26"), ("ContinuousClock", "macOS 13"), ("SuspendingClock", "macOS 13"),
    ("Task.sleep(for:", "macOS 13"), (".replacing(", "macOS 13"), (".firstRange(of:", "macOS 13"),
    (".ranges(of:", "macOS 13"), (".trimmingPrefix(", "macOS 13"), (".wholeMatch(of:", "macOS 13"),
    (".firstMatch(of:", "macOS 13"), (".prefixMatch(of:", "macOS 13"), (".matches(of:", "macOS 13"),
    ("Regex", "macOS 13"), ("import RegexBuilder", "macOS 13"), ("URL(filePath:", "macOS 13"),
    (".appending(path:", "macOS 13"), ("TimeZone.gmt", "macOS 13"), ("(timeZone: .gmt", "macOS 13"),
    ("import Observation", "macOS 14"), ("repeat each", "macOS 14"), ("#Predicate", "macOS 14"),
  ]

  @Test func theSourcesUseNoNewerAPI() throws {
    let sources = ProjectFiles.root.appendingPathComponent("Sources").path
    let files = try FileManager.default.subpathsOfDirectory(atPath: sources).filter { $0.hasSuffix(".swift") }
    #expect(files.count > 100)
    var found: [String] = []
    for file in files {
      let text = try ProjectFiles.text("Sources/\(file)")
      // Most files have none, and a search in each line would take seconds.
      let words = text.withCString { start in Self.newer.filter { strstr(start, $0.word) != nil } }
      if words.isEmpty { continue }
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      for (number, line) in lines.enumerated() where !line.contains("//") {
        for (word, since) in words where line.contains(word) {
          found.append("\(file):\(number + 1): '\(word)' requires \(since)")
        }
      }
    }
    #expect(found == [])
  }

  /// The page must state the same systems as the manifest.
  @Test func thePageMatchesTheManifest() throws {
    let manifest = try ProjectFiles.text("Package.swift")
    let page = try ProjectFiles.text("docs/reference/recording.md")
    #expect(
      manifest.contains("platforms: [.macOS(.v12), .iOS(.v15), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)]"))
    #expect(page.contains("iOS 15, macOS 12, tvOS 15, watchOS 8"))
  }
}
