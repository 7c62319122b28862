import Foundation
import TestSupport
import Testing

/// `rltrace watch` with files that belong to no recording under way: one line gives the reason.
@Suite struct WatchRefusalTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: [
    ("nothing", [], 65), ("zeros", [UInt8](repeating: 0, count: 100_000), 65),
    ("text", Array("no spool\n".utf8), 65), ("a begin", Array("RLTSPOOL".utf8), 65),
  ])
  func refusesOtherFiles(what: String, bytes: [UInt8], status: Int32) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: folder.file("app.rltrace.spool")))
    for options in [[], ["--once"], ["--once", "--format", "json"], ["--format", "jsonl"]] {
      let result = try Program.rltrace.run(["watch", "app.rltrace"] + options, folder: folder.path)
      #expect(result.status == status && result.output.isEmpty, "\(what): \(result.status) \(result.errors)")
      #expect(result.errorLines.count == 1, "\(what): \(result.errors)")
    }
  }

  /// A copy of a spool that lacks its end is bad input, wherever it ends.
  @Test func refusesCutSpools() throws {
    let made = try folder.shell(
      """
      env $("$0" record --print-env -o app | sed s/slots=[0-9]*/slots=4096/) "$1" timers 5
      """)
    try #require(made.status == 0, "\(made.errors)")
    for length: off_t in [600_000, 5_000, 4_096, 100, 0] {
      #expect(truncate(folder.file("app.rltrace.spool"), length) == 0)
      let result = try Program.rltrace.run(["watch", "app.rltrace"], folder: folder.path)
      #expect(result.status == 65 && result.errorLines.count == 1, "\(length): \(result)")
    }
  }

  @Test func refusesAProcessThatDoesNotRun() throws {
    let result = try Program.rltrace.run(["watch", "4194305"], folder: folder.path)
    #expect(result.status == 66 && result.errors == "rltrace: process 4194305 is not running\n", "\(result)")
  }

  @Test func refusesFoldersAndMissingFiles() throws {
    try FileManager.default.createDirectory(
      atPath: folder.file("app.rltrace.spool"), withIntermediateDirectories: false)
    let directory = try Program.rltrace.run(["watch", "app.rltrace"], folder: folder.path)
    #expect(directory.status != 0 && directory.errorLines.count == 1 && directory.output.isEmpty)
    let missing = try Program.rltrace.run(["watch", "other.rltrace"], folder: folder.path)
    #expect(missing.status == 66 && missing.errorLines.count == 1 && missing.output.isEmpty)
  }
}
