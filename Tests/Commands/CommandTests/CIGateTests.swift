import Foundation
import TestSupport
import Testing

/// `tools/ci-gate`: a recording, a gate, and a baseline that is kept for the next run.
@Suite struct CIGateTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ options: [String], environment: [String: String] = [:]) throws -> Program.Result {
    let bin = URL(fileURLWithPath: Program.rltrace.path).deletingLastPathComponent().path
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let quiet = ["GITHUB_ACTIONS": "", "GITLAB_CI": "", "GITHUB_STEP_SUMMARY": "", "PATH": "\(bin):\(path)"]
    let tool = ProjectFiles.root.appendingPathComponent("tools/ci-gate").path
    return try Program(path: tool).run(
      options + ["--", Program.loopPrograms.path, "timers", "5"],
      environment: quiet.merging(environment) { $1 }, folder: folder.path)
  }

  @Test func keepsTheBaselineOfAGoodRun() throws {
    let options = [
      "--rules", "max(gap) < 1000s\n\ncount(pass) > 0", "--baseline", "kept/app.rltrace", "--baseline-rules",
      "count(pass) < 0.01 * baseline", "--keep",
    ]
    let first = try run(options)
    #expect(first.status == 0, "\(first)")
    #expect(first.output.contains("2 of 2 rules hold"), "\(first)")
    for file in ["kept/app.rltrace", "rltrace-out/app.rltrace", "rltrace-out/app.html"] {
      #expect(FileManager.default.fileExists(atPath: folder.file(file)), "\(file)")
    }
    let kept = try Data(contentsOf: URL(fileURLWithPath: folder.file("kept/app.rltrace")))
    let second = try run(
      options, environment: ["GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": folder.file("summary.md")])
    #expect(second.status == 1, "\(second)")
    #expect(second.output.contains("::error title=count(pass) < 0.01 * baseline::"), "\(second)")
    #expect(second.output.contains("\n::notice title=rltrace gate::2 of 3 rules hold, 1 broken"), "\(second)")
    let summary = try String(contentsOfFile: folder.file("summary.md"), encoding: .utf8)
    #expect(summary.hasPrefix("### "))
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("kept/app.rltrace"))) == kept)
  }

  @Test func writesACodeQualityReport() throws {
    let result = try run(["--rules", "count(pass) < 1", "--label", "x"], environment: ["GITLAB_CI": "true"])
    #expect(result.status == 1, "\(result)")
    let report = URL(fileURLWithPath: folder.file("rltrace-out/x.codequality.json"))
    let faults = try JSONSerialization.jsonObject(with: Data(contentsOf: report)) as? [[String: Any]]
    #expect(faults?.count == 1 && faults?.first?["check_name"] as? String == "count(pass) < 1")
  }

  @Test(arguments: [["--keep"], ["--budget", "missing.yaml"], ["--nonsense"]])
  func usage(options: [String]) throws {
    let result = try run(options)
    #expect(result.status >= 64, "\(result)")
  }
}
