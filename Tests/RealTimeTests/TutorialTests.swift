import Foundation
import TestSupport
import Testing

/// docs/tutorial.md must show the real output.
@Suite struct TutorialTests {
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
        line.split(separator: "…").map { shape(String($0)) }.contains { !$0.isEmpty && !all.contains($0) }
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

  /// Records and analyzes both programs as the page does. Returns the output without its numbers.
  private func recordAndCompare() throws -> String {
    let tutorial = ProjectFiles.root.appendingPathComponent("docs/tutorial").path
    let made = try Program(
      shell: """
        set -e
        cp "$1"/* . && rm -f *.rltrace && swiftc -g -O Stutter.swift
        cp Stutter.swift Smooth.swift && patch -s Smooth.swift smooth.patch && swiftc -g -O Smooth.swift
        for name in Stutter Smooth; do
          "$0" record -- ./$name 2>$name.said
          "$0" analyze $name.rltrace >$name.txt
        done
        "$0" what-if Stutter.rltrace --tolerance 1s \
          --do 'timer "closure #1 in startClock()" also in UITrackingRunLoopMode' \
          --do 'callout "closure #1 in loadThumbnails(after:)" off the loop' >predicted.txt
        "$0" compare Stutter.rltrace Smooth.rltrace >compared.txt
        """
    ).run([Program.rltrace.path, tutorial], folder: folder.path)
    try #require(made.status == 0, "\(made.errors)")
    func text(_ name: String) throws -> String {
      try String(contentsOfFile: folder.file(name), encoding: .utf8)
    }
    // The verdict of the fixed program depends on a calm machine, so its text is added here.
    return shape(
      try text("Stutter.said") + text("Stutter.txt") + text("predicted.txt") + text("Smooth.said")
        + text("Smooth.txt")
        + text("compared.txt")
        + "Verdict: Nothing wrong was found: no run loop hung, no timer missed a fire.\n"
        + "patching file Smooth.swift")
  }

  /// The lines of the page that a command printed.
  private var outputs: [Substring] {
    var isCode = false
    return page.split(separator: "\n").filter { line in
      if line.hasPrefix("```") { isCode.toggle() }
      return !isCode && line.hasPrefix("    ") && !line.contains("$ ")
    }
  }

  /// Returns the text with `#` for numbers, without their units, and with single spaces.
  private func shape(_ text: String) -> String {
    text.replacing(/[0-9][0-9.]*( (ns|µs|ms|s)\b)?/, with: "#").replacing(/\s+/, with: " ")
      .trimmingCharacters(in: .whitespaces)
  }

  @Test func thePicturesAreUpToDate() throws {
    let result = try Program(path: ProjectFiles.root.appendingPathComponent("tools/pictures").path).run([
      "--binary", Program.rltrace.path, "--check",
    ])
    #expect(result.status == 0, "\(result.errors)")
  }
}
