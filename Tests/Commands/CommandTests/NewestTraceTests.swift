import Foundation
import TestSupport
import Testing

/// `rltrace analyze` without a file.
@Suite struct NewestTraceTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func analyze(_ options: String...) throws -> Program.Result {
    try Program.rltrace.run(["analyze"] + options, folder: folder.path)
  }

  private func put(_ sample: String, as name: String, secondsAgo: Double) throws {
    let file = folder.file(name)
    try FileManager.default.copyItem(atPath: SampleTraces.virtual(sample), toPath: file)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -secondsAgo)], ofItemAtPath: file)
  }

  @Test func theNewestTraceIsTaken() throws {
    try put("five-causes", as: "a.rltrace", secondsAgo: 20)
    try put("timer-starvation", as: "b.rltrace", secondsAgo: 10)
    try put("five-causes", as: "b.old1.rltrace", secondsAgo: 30)
    try "not a trace".write(toFile: folder.file("c.rltrace"), atomically: true, encoding: .utf8)
    let result = try analyze("--brief")
    #expect(result.status == 0, "\(result)")
    #expect(result.errors == "rltrace: analyzing b.rltrace, the newest trace in this folder\n")
    #expect(result.output.hasPrefix("b.rltrace\n"))
    #expect(
      try Program.rltrace.run(["analyze", "b.rltrace", "--brief"], folder: folder.path).output
        == result.output)
    try FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: folder.file("a.rltrace"))
    #expect(try analyze("--format", "json").errors.contains("analyzing a.rltrace"))
  }

  /// An output that would replace the trace is refused, as with a named trace.
  @Test func theTraceIsAnInput() throws {
    try put("five-causes", as: "a.rltrace", secondsAgo: 0)
    let result = try analyze("--html", "a.rltrace")
    #expect(result.status == 64 && result.errors.contains("would overwrite the input trace"), "\(result)")
  }

  @Test func aFolderWithoutTraces() throws {
    let result = try analyze()
    #expect(result.status == 66 && result.output.isEmpty && result.errorLines.count == 1, "\(result)")
    #expect(result.errors.contains("name the trace: rltrace analyze FILE"))
  }
}
