import Foundation
import TestSupport
import Testing

/// `rltrace redact`, run as a user runs it.
@Suite struct RedactTests {
  private let folder: TemporaryFolder
  private let sample = SampleTraces.virtual("modes")

  init() throws { folder = try TemporaryFolder() }

  private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

  @Test func aRecordingWithoutItsNames() throws {
    let path = folder.file("app.rltrace")
    let copy = folder.file("shared.rltrace")
    try #require(
      try Program.rltrace.run([
        "record", "--scenario", "timer-starvation", "--time-scale", "0.05", "-o", path,
      ]).status == 0)
    let result = try Program.rltrace.run(["redact", path, "-o", copy])
    #expect(result.status == 0 && result.output.isEmpty)
    #expect(result.errorLines.count == 1 && result.errors.hasPrefix("rltrace: replaced "), "\(result.errors)")
    #expect(folder.names == ["app.rltrace", "shared.rltrace"])

    let dump = try Program.rltrace.run(["dump", copy]).output
    for name in ["refresh", "Swift", "Linux", "timer-starvation", "rltrace\"", "other threads"] {
      #expect(!dump.contains(name), "\(name)")
    }
    // Facts about rltrace and the machine stay.
    for fact in ["\"recorder\" \"rltrace ", "\"machine\" \"", "\"due_points\" \"exact\"", "\"timer 1\""] {
      #expect(dump.contains(fact), "\(fact)")
    }
    #expect(!dump.contains("\"machine\" \"(redacted)\""))
    let report = try Program.rltrace.run(["analyze", copy])
    #expect(report.output.contains("UITrackingRunLoopMode"))
    #expect(report.output.contains("RL001"))
  }

  @Test func codecs() throws {
    let copy = folder.file("copy.rltrace")
    for codec in ["none", "zstd"] {
      try #require(try Program.rltrace.run(["redact", sample, "-o", copy, "--codec", codec]).status == 0)
      #expect(try Program.rltrace.run(["info", copy]).output.contains("codec          \(codec)"))
    }
  }

  /// The readable part is copied, and the status reports the loss.
  @Test func aCutTrace() throws {
    let cut = folder.file("cut.rltrace")
    try bytes(sample).dropLast(3000).write(to: URL(fileURLWithPath: cut))
    let copy = folder.file("copy.rltrace")
    let result = try Program.rltrace.run(["redact", cut, "-o", copy])
    #expect(result.status == 65)
    #expect(result.errorLines.count == 2 && result.errors.contains("cut short"), "\(result.errors)")
    let report = try Program.rltrace.run(["analyze", copy])
    #expect(report.status == 65 && report.output.contains("INCOMPLETE"))
    #expect(!report.output.contains("finger"))
  }

  @Test func refusals() throws {
    let path = folder.file("app.rltrace")
    try bytes(sample).write(to: URL(fileURLWithPath: path))
    let link = folder.file("link.rltrace")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    for (arguments, status) in [
      ([path, "-o", path], Int32(64)), ([path, "-o", link], 64), ([path], 64),
      (["missing.rltrace", "-o", folder.file("x")], 66),
      ([path, "-o", folder.file("no/folder.rltrace")], 73), ([path, "-o", folder.path], 73),
      ([ProjectFiles.root.appendingPathComponent("README.md").path, "-o", folder.file("x")], 65),
    ] {
      let result = try Program.rltrace.run(["redact"] + arguments)
      #expect(result.status == status, "\(arguments): \(result.errors)")
      #expect(!result.errors.isEmpty)
    }
    #expect(try bytes(path) == bytes(sample), "the original stays")
    #expect(folder.names == ["app.rltrace", "link.rltrace"])
  }
}
