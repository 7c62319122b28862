import Foundation
import TestSupport
import Testing

/// `rltrace watch --format openmetrics` and `prometheus`.
@Suite struct WatchMetricsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func watch(_ arguments: [String]) throws -> Program.Result {
    try Program.rltrace.run(["watch"] + arguments, folder: folder.path)
  }

  @Test(arguments: [
    (["app", "--format", "openmetrics"], "needs -o FILE"), (["app", "--format", "prometheus"], "or --once"),
    (["app", "--format", "prometheus", "-o", "-"], "needs -o FILE"),
    (["app", "--format", "prometheus", "-o", "x.prom", "--interval", "2min"], "60s or less"),
    (["app", "-o", "x.prom"], "is for --format openmetrics"),
    (["app", "--once", "--format", "json", "-o", "x.prom"], "is for --format openmetrics"),
    (["app", "--once", "--format", "jsonl"], "openmetrics or prometheus"),
  ])
  func refusals(arguments: [String], why: String) throws {
    let result = try watch(arguments)
    #expect(result.status == 64 && result.output.isEmpty && result.errorLines.count == 1, "\(result)")
    #expect(result.errors.contains(why), "\(result.errors)")
    #expect(folder.names.isEmpty)
  }

  private func metrics(_ format: String, _ file: String) -> [String] {
    ["--replay", SampleTraces.virtual("stuttering-app"), "--speed", "10000", "--format", format, "-o", file]
  }

  @Test func writesTheFile() throws {
    for format in ["openmetrics", "prometheus"] {
      let result = try watch(metrics(format, "\(format).prom"))
      #expect(result.status == 0 && result.output.isEmpty, "\(result)")
      let text = try String(contentsOfFile: folder.file("\(format).prom"), encoding: .utf8)
      #expect(text.hasPrefix("# TYPE rltrace_") && text.hasSuffix("# EOF\n") == (format == "openmetrics"))
      #expect(text.contains(#"rltrace_recording_under_way{recording="stuttering-app.rltrace"} 0"#), "\(text)")
      #expect(text.contains("rltrace_loop_passes_total{"), "\(text)")
    }
    #expect(folder.names == ["openmetrics.prom", "prometheus.prom"])
  }

  /// A reader that has opened the file reads the earlier text to its end, and links and permissions stay.
  @Test func replacesTheFileAtOnce() throws {
    try folder.file("real.prom", "earlier\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: folder.file("real.prom"))
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("link.prom"), withDestinationPath: "real.prom")
    let reader = try #require(FileHandle(forReadingAtPath: folder.file("real.prom")))
    let result = try watch(metrics("prometheus", "link.prom"))
    #expect(result.status == 0, "\(result.errors)")
    #expect(try reader.readToEnd() == Data("earlier\n".utf8))
    let text = try String(contentsOfFile: folder.file("real.prom"), encoding: .utf8)
    #expect(text.hasPrefix("# TYPE rltrace_"))
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("real.prom"))
    #expect(attributes[.posixPermissions] as? Int == 0o640)
    #expect(folder.names == ["link.prom", "real.prom"])
  }

  @Test func aFolderThatDoesNotExist() throws {
    let result = try watch(metrics("prometheus", "missing/x.prom"))
    #expect(result.status == 73 && result.errorLines.count == 1, "\(result)")
  }
}
