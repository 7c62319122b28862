import Foundation
import TestSupport
import Testing

@testable import EmbeddedFiles

/// Sources/Files/CRLTraceFiles/files.c lists each template, style, script, scenario and rule file.
@Suite struct EmbeddedFileTests {
  @Test(arguments: [
    "Output/ReportWriting/Resources", "Output/PageReport/Resources", "Output/JudgementReport/Resources",
    "Scenarios/Scenario/Library", "Stacks/CallStacks/Library",
  ])
  func eachFileIsEmbedded(folder: String) throws {
    let path = ProjectFiles.root.appendingPathComponent("Sources/\(folder)").path
    let names = try FileManager.default.contentsOfDirectory(atPath: path)
    #expect(!names.isEmpty)
    // Types are only for the checker.
    for name in names where !name.hasSuffix(".d.ts") {
      #expect(EmbeddedFile.find(name) == (try ProjectFiles.text("Sources/\(folder)/\(name)")), "\(name)")
    }
  }

  @Test(arguments: ["findings.md", "glossary.md"])
  func eachExplainedPageIsEmbedded(name: String) throws {
    #expect(EmbeddedFile.find(name) == (try ProjectFiles.text("docs/reference/\(name)")))
  }

  @Test func anUnknownFileIsNotFound() { #expect(EmbeddedFile.find("report") == nil) }
}
