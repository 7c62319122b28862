import Foundation
import TestSupport
import Testing

/// `rltrace report` as a command. PageReportTests and BrowserTests cover the content of the page.
@Suite struct ReportCommandTests {
  private let sample = ProjectFiles.root.appendingPathComponent(
    "SampleTraces/virtual/timer-starvation.rltrace")

  @Test func thePageIsBesideTheTrace() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.copyItem(atPath: sample.path, toPath: folder.file("a.rltrace"))
    try "old".write(toFile: folder.file("a.html"), atomically: true, encoding: .utf8)
    let result = try Program.rltrace.run(["report", folder.file("a.rltrace")])
    #expect(result.status == 0 && result.output.isEmpty, "\(result.errors)")
    #expect(
      result.errors.hasPrefix("rltrace: wrote \(folder.file("a.html")), ") && result.errorLines.count == 1)
    let page = try String(contentsOfFile: folder.file("a.html"), encoding: .utf8)
    #expect(page.contains("199 of 400") && page.hasSuffix("</html>\n"))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["a.html", "a.rltrace"])
  }

  @Test func theSamePassGivesTheSamePage() throws {
    let folder = try TemporaryFolder()
    let alone = try Program.rltrace.run(["report", sample.path, "-o", folder.file("a.html")])
    let beside = try Program.rltrace.run(["analyze", sample.path, "--html", folder.file("b.html")])
    #expect(alone.status == 0 && beside.status == 0, "\(alone.errors)\(beside.errors)")
    #expect(
      FileManager.default.contentsEqual(atPath: folder.file("a.html"), andPath: folder.file("b.html")))
  }

  @Test func theTraceIsNotOverwritten() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.copyItem(atPath: sample.path, toPath: folder.file("a.rltrace"))
    let result = try Program.rltrace.run(["report", folder.file("a.rltrace"), "-o", folder.file("a.rltrace")])
    #expect(result.status == 64 && result.errors.contains("would overwrite the input trace"))
    #expect(FileManager.default.contentsEqual(atPath: folder.file("a.rltrace"), andPath: sample.path))
  }

  @Test func aFailedWriteLeavesNothing() throws {
    let folder = try TemporaryFolder()
    let result = try Program.rltrace.run(["report", sample.path, "-o", folder.file("none/a.html")])
    #expect(result.status == 73 && result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  /// The readable part of a truncated trace is shown, and marked as a part.
  @Test func aDamagedTraceHasAPage() throws {
    let folder = try TemporaryFolder()
    let bytes = try Data(contentsOf: sample)
    try bytes.prefix(bytes.count * 3 / 4).write(to: URL(fileURLWithPath: folder.file("cut.rltrace")))
    let result = try Program.rltrace.run(["report", folder.file("cut.rltrace")])
    #expect(result.status == 65)
    let page = try String(contentsOfFile: folder.file("cut.html"), encoding: .utf8)
    #expect(page.contains("This recording is incomplete"))
  }

  @Test func aWindow() throws {
    let folder = try TemporaryFolder()
    let result = try Program.rltrace.run(
      ["report", sample.path, "-o", folder.file("a.html"), "--from", "1.5", "--to", "2"])
    #expect(result.status == 0, "\(result.errors)")
    let page = try String(contentsOfFile: folder.file("a.html"), encoding: .utf8)
    #expect(page.contains("\"fromNs\":\"1500000000\"") && page.contains("\"spanNs\":\"500000000\""))
  }
}
