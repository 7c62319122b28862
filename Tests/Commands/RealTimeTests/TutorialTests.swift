import Foundation
import TestSupport
import Testing

/// docs/tutorial.md must show the real output.
@Suite(.ownThread) struct TutorialTests {
  private let folder: TemporaryFolder
  private let page: String

  init() throws {
    folder = try TemporaryFolder()
    page = try ProjectFiles.text("docs/tutorial.md")
  }

  @Test func thePageHasTheProgramAndItsChange() throws {
    #expect(page.contains("```swift\n\(try ProjectFiles.text("docs/tutorial/Stutter.swift"))```\n"))
    #expect(page.contains("```diff\n\(try ProjectFiles.text("docs/tutorial/smooth.patch"))```\n"))
  }

  /// Compares the output, except for numbers. A busy machine adds its own causes, so each line may occur in any of
  /// five runs.
  @Test func theOutputsAreThoseOfTheProgram() throws {
    let outputs = outputs
    #expect(outputs.count > 30)
    var all = ""
    var missing: [Substring] = []
    for _ in 0..<5 {
      all += try recordAndCompare()
      missing = outputs.filter { line in
        line.split(separator: "…").map { Transcript.shape(String($0)) }.contains {
          !$0.isEmpty && !all.contains($0)
        }
      }
      if missing.isEmpty { break }
    }
    #expect(missing == [], "docs/tutorial.md")
    let json = try Program.rltrace.run(["analyze", folder.file("Smooth.rltrace"), "--format", "json"]).output
    let analysis = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    let timers = analysis?["timers"] as? [[String: Any]]
    let clock = try #require(timers?.first { ($0["name"] as? String)?.contains("startClock") == true })
    #expect((clock["skipped_by"] as? [String: Int])?["wrong_mode"] == 0)
  }

  /// Runs the commands of the page. Returns the output without its numbers.
  private func recordAndCompare() throws -> String {
    for name in folder.names { try FileManager.default.removeItem(atPath: folder.file(name)) }
    for name in ["Stutter.swift", "smooth.patch"] {
      try ProjectFiles.text("docs/tutorial/\(name)").write(
        toFile: folder.file(name), atomically: false, encoding: .utf8)
    }
    // A busy machine delays fires.
    var outputs = try Transcript(page: page).run(in: folder, options: ["what-if": "--tolerance 1s"])
    // Then only differences beyond a factor are relevant. `--all` also shows the others, in a wider table.
    if Transcript.shape(outputs.last ?? "").contains(" ran on a busy machine: ") {
      let all = try Program.rltrace.run(
        ["compare", "--all", "Stutter.rltrace", "Smooth.rltrace"], environment: ["COLUMNS": "200"],
        folder: folder.path)
      outputs.append(all.output)
    }
    return Transcript.shape(outputs.joined(separator: "\n"))
  }

  /// The lines of the page that a command printed.
  private var outputs: [Substring] {
    var isCode = false
    var isCommand = false
    return page.split(separator: "\n").filter { line in
      if line.hasPrefix("```") { isCode.toggle() }
      let isOutput = !isCode && line.hasPrefix("    ") && !line.contains("$ ") && !isCommand
      isCommand = line.hasSuffix("\\")
      return isOutput
    }
  }

  @Test func thePicturesAreUpToDate() throws {
    let result = try Program(path: ProjectFiles.root.appendingPathComponent("tools/pictures").path).run([
      "--binary", Program.rltrace.path, "--check",
    ])
    #expect(result.status == 0, "\(result.errors)")
  }
}
